# Sliding: the impulse on the curve {v_n = 0, |lam_t| = mu lam_n} that the friction law picks.
#
# With beta = -c_n > 0 and e a unit vector of the tangent plane, the curve is a conic with its focus at the origin,
#
#     lam_n = beta / D,   lam_t = mu lam_n e,   D(e) = G_nn + g . e                                             (1)
#     D v_t = w(e) = a0 + A e,   a0 = G_nn c_t + beta G_tn,   A = c_t g^T + beta mu G_tt                        (3)
#
# Friction law "coulomb": w = -s e with s >= 0 (slip against friction; Bonnefon and Daviet, "Quartic formulation of
# Coulomb 3D frictional contact", 2011).  "raisim": least kinetic energy on the curve (Hwangbo, Lee and Hutter,
# "Per-contact iteration method for solving contact dynamics", RA-L 2018); there slip opposes G_nn e + g, not e.
#
# Every function gets a block of kind GENERAL, c with c_n < 0 and 1e-40 < |c|_1 < 1e40, and the stick impulse p, which
# lies outside the friction cone.  A failure shows as a non-finite result; the caller guards.

from libc.math cimport INFINITY, fabs, hypot, sqrt

from rbdyn.contact.cone.block cimport Cone
from rbdyn.spatial._algebra cimport Vec3, vec3

cdef struct Slip:            # eq. 3: D v_t = a0 + A e [m/s/kg]
    double a0x, a0y
    double Axx, Axy, Ayx, Ayy


cdef inline Slip slip(const Cone* B, Vec3 c) noexcept nogil:
    """Eq. 3."""
    cdef Slip w
    cdef double beta = -c.z
    w.a0x = B.G.zz * c.x + beta * B.G.xz
    w.a0y = B.G.zz * c.y + beta * B.G.yz
    w.Axx = c.x * B.gx + beta * B.mu * B.G.xx
    w.Axy = c.x * B.gy + beta * B.mu * B.G.xy
    w.Ayx = c.y * B.gx + beta * B.mu * B.G.xy
    w.Ayy = c.y * B.gy + beta * B.mu * B.G.yy
    return w


cdef inline Vec3 curve_point(const Cone* B, double beta, double ex, double ey) noexcept nogil:
    """Eq. 1."""
    cdef double n = beta / (B.G.zz + B.gx * ex + B.gy * ey)
    return vec3(B.mu * n * ex, B.mu * n * ey, n)


# ---- law "coulomb": the secular equation |x(s)| = 1, x(s) = -(A + s 1)^-1 a0, e = x ----------------------------

cdef struct Secular:
    double x, y              # x(s)
    double norm              # |x(s)|
    double slope             # d|x| / ds


cdef inline Secular secular(const Slip* w, double s) noexcept nogil:
    """x(s) and the derivative of its norm, -x . (A + s 1)^-1 x / |x|."""
    cdef Secular f
    cdef double xx = w.Axx + s, yy = w.Ayy + s
    cdef double r = 1.0 / (xx * yy - w.Axy * w.Ayx)
    f.x = -(yy * w.a0x - w.Axy * w.a0y) * r
    f.y = -(xx * w.a0y - w.Ayx * w.a0x) * r
    f.norm = sqrt(f.x * f.x + f.y * f.y)
    f.slope = -(f.x * (yy * f.x - w.Axy * f.y) + f.y * (xx * f.y - w.Ayx * f.x)) * r / f.norm
    return f


cdef inline double secular_low(const Slip* w) noexcept nogil:
    """The largest real s >= 0 with det(A + s 1) = 0, or 0: |x(s)| > 1 just right of it."""
    cdef double half = 0.5 * (w.Axx + w.Ayy)
    cdef double det = w.Axx * w.Ayy - w.Axy * w.Ayx
    cdef double disc = half * half - det
    if disc < 0.0:
        return 0.0
    # the root of larger size by addition, the other from the product: no cancellation
    if half <= 0.0:
        return sqrt(disc) - half
    return max(0.0, -det / (half + sqrt(disc)))


cdef inline double secular_high(const Slip* w) noexcept nogil:
    """|a0| + |A|_F: |x(s)| <= 1 from here on."""
    return hypot(w.a0x, w.a0y) + sqrt(w.Axx * w.Axx + w.Axy * w.Axy + w.Ayx * w.Ayx + w.Ayy * w.Ayy)


cdef inline Vec3 slide_coulomb_newton(const Cone* B, Vec3 c) noexcept nogil:
    """Newton on 1/|x(s)| - 1 (nearly linear in s: Hebden 1973), kept inside the bracket by bisection."""
    cdef Slip w = slip(B, c)
    cdef Secular f
    cdef double low = secular_low(&w), high = secular_high(&w)
    cdef double s = low, next_s, step, last_step = high - low
    cdef int k
    if low > 0.0 or w.Axx * w.Ayy - w.Axy * w.Ayx <= 0.0:
        s = low + 1e-3 * (high - low)                  # x(low) is infinite
    for k in range(80):
        f = secular(&w, s)
        if f.norm <= 1.0:
            high = s
        else:
            low = s                                    # also for a pole, where the norm is not finite
        if fabs(f.norm - 1.0) <= 1e-14:
            break
        next_s = s + (1.0 - f.norm) * f.norm / f.slope
        if not (low < next_s < high) or (k > 4 and fabs(next_s - s) > 0.5 * last_step):
            next_s = 0.5 * (low + high)
        step = fabs(next_s - s)
        if step <= 1e-16 * s:
            break
        last_step = step
        s = next_s
    return curve_point(B, -c.z, f.x / f.norm, f.y / f.norm)


cdef inline Vec3 slide_coulomb_bisection(const Cone* B, Vec3 c) noexcept nogil:
    """The same equation by halving its bracket."""
    cdef Slip w = slip(B, c)
    cdef Secular f
    cdef double low = secular_low(&w), high = secular_high(&w), s
    cdef int _k
    for _k in range(100):
        s = 0.5 * (low + high)
        f = secular(&w, s)
        if fabs(f.norm - 1.0) <= 1e-14 or high - low <= 2e-16 * high:
            break
        if f.norm <= 1.0:
            high = s
        else:
            low = s
    return curve_point(B, -c.z, f.x / f.norm, f.y / f.norm)


# ---- law "raisim": dE/dtheta = 0 on the curve ---------------------------------------------------------------------
#
# F(e) = w(e) . (G_nn e + g)_perp has the sign of dE/dtheta.  Its only root lies within the angle phi of the stick
# impulse's direction, cos(phi) = mu p_n / |p_t|: the tangent points from p to the conic (eq. 5).  Where the conic is
# a hyperbola (eccentricity mu |G_tn| / G_nn >= 1), directions with D <= 0 count as beyond the root.

cdef inline double energy_slope(const Cone* B, const Slip* w, double ex, double ey) noexcept nogil:
    """F(e), eq. 4."""
    cdef double wx = w.a0x + w.Axx * ex + w.Axy * ey
    cdef double wy = w.a0y + w.Ayx * ex + w.Ayy * ey
    return wy * (B.G.zz * ex + B.gx) - wx * (B.G.zz * ey + B.gy)


cdef inline bint before_root(const Cone* B, const Slip* w, double ex, double ey, double F0) noexcept nogil:
    """Is e on the same side of the root as the direction where F = F0?"""
    return B.G.zz + B.gx * ex + B.gy * ey > 0.0 and energy_slope(B, w, ex, ey) * F0 > 0.0


cdef inline Vec3 slide_raisim_bisection(const Cone* B, Vec3 c, Vec3 p) noexcept nogil:
    """Halve the bracket of eq. 5; directions are unit vectors and the middle is their normalised sum."""
    cdef Slip w = slip(B, c)
    cdef double size = sqrt(p.x * p.x + p.y * p.y)
    cdef double cosine = max(-1.0, min(1.0, B.mu * p.z / size))
    cdef double lx = p.x / size, ly = p.y / size       # before the root
    cdef double hx, hy, mx, my, D, r, side, sine
    cdef double gg = B.gx * B.gx + B.gy * B.gy
    cdef double F0 = energy_slope(B, &w, lx, ly)
    cdef int _k
    if F0 == 0.0:
        return curve_point(B, -c.z, lx, ly)
    side = -1.0 if F0 > 0.0 else 1.0
    sine = side * sqrt(1.0 - cosine * cosine)
    hx, hy = lx * cosine - ly * sine, ly * cosine + lx * sine
    mx, my = lx, ly
    for _k in range(100):
        mx, my = lx + hx, ly + hy
        if mx * mx + my * my < 1e-3:                   # nearly opposite directions have no safe middle: a quarter turn
            mx, my = -ly * side, lx * side
        r = 1.0 / sqrt(mx * mx + my * my)
        mx, my = mx * r, my * r
        D = B.G.zz + B.gx * mx + B.gy * my
        # the relative error of lam is the chord times (1 + |g| / D): an angle alone would not do near D = 0
        if D > 0.0 and ((hx - lx) ** 2 + (hy - ly) ** 2) * (D * D + gg) <= 1e-26 * D * D:
            break
        if before_root(B, &w, mx, my, F0):
            lx, ly = mx, my
        else:
            hx, hy = mx, my
    return curve_point(B, -c.z, mx, my)


cdef struct Quartic:         # (1 + t^2)^2 F = p4 t^4 + ... + p0, t = tan(theta / 2)
    double p0, p1, p2, p3, p4


cdef inline Quartic energy_quartic(const Slip* w, double z, double gx, double gy) noexcept nogil:
    """F = k0 + kc C + ks S + kcc C^2 + kss S^2 + kcs C S (eq. 4) as a polynomial in t."""
    cdef Quartic p
    cdef double k0 = w.a0y * gx - w.a0x * gy
    cdef double kc = w.a0y * z + w.Ayx * gx - w.Axx * gy
    cdef double ks = -w.a0x * z + w.Ayy * gx - w.Axy * gy
    cdef double kcc = w.Ayx * z, kss = -w.Axy * z, kcs = (w.Ayy - w.Axx) * z
    p.p0 = k0 + kc + kcc
    p.p1 = 2.0 * (ks + kcs)
    p.p2 = 2.0 * k0 - 2.0 * kcc + 4.0 * kss
    p.p3 = 2.0 * (ks - kcs)
    p.p4 = k0 - kc + kcc
    return p


cdef inline double asymptote(double z, double gx, double gy, double sign, double high) noexcept nogil:
    """The least of `high` and the size of the roots t of D = 0 on the side `sign`.

    (1 + t^2) D = (z - gx) t^2 + 2 gy t + (z + gx).
    """
    cdef double qa = z - gx, qc = z + gx
    cdef double disc = gy * gy - qa * qc
    cdef double q
    if disc < 0.0:
        return high
    q = -(gy + sqrt(disc)) if gy >= 0.0 else sqrt(disc) - gy
    if qa != 0.0 and q / qa * sign > 0.0:
        high = min(high, fabs(q / qa))
    if q != 0.0 and qc / q * sign > 0.0:
        high = min(high, fabs(qc / q))
    return high


cdef inline double quartic_root(Quartic p, double high) noexcept nogil:
    """The root between 0 and `high`, where the sign changes, by Newton kept inside the bracket by bisection."""
    cdef double low = 0.0, t = 0.0, f = p.p0, df = p.p1, next_t, step, last_step = fabs(high)
    cdef bint newton
    cdef int k
    for k in range(80):
        next_t = t - f / df                            # df = 0 fails the next test
        newton = (next_t - low) * (next_t - high) < 0.0 and (k <= 1 or fabs(next_t - t) <= 0.5 * last_step)
        if not newton:
            next_t = 0.5 * (low + high)
        step = fabs(next_t - t)
        last_step = step
        t = next_t
        f = (((p.p4 * t + p.p3) * t + p.p2) * t + p.p1) * t + p.p0
        df = ((4.0 * p.p4 * t + 3.0 * p.p3) * t + 2.0 * p.p2) * t + p.p1
        if f * p.p0 > 0.0:
            low = t
        else:
            high = t
        # convergence is quadratic: a Newton step of 1e-9 leaves an error of 1e-18; asking for less stalls on round-off
        if step <= (1e-9 if newton else 1e-15) * (1.0 + fabs(t)) or f == 0.0:
            break
    return t


cdef inline Vec3 slide_raisim_newton(const Cone* B, Vec3 c, Vec3 p) noexcept nogil:
    """Root of the quartic of eq. 4 in t = tan((theta - theta_p) / 2), in axes turned so that p_t lies along x."""
    cdef Slip w = slip(B, c), u
    cdef double size = sqrt(p.x * p.x + p.y * p.y)
    cdef double cosine = max(-1.0, min(1.0, B.mu * p.z / size))
    cdef double ex = p.x / size, ey = p.y / size
    cdef double gx = ex * B.gx + ey * B.gy, gy = ex * B.gy - ey * B.gx
    cdef double xx = w.Axx * ex + w.Axy * ey, yx = w.Ayx * ex + w.Ayy * ey        # A e
    cdef double xy = w.Axy * ex - w.Axx * ey, yy = w.Ayy * ex - w.Ayx * ey        # A e_perp
    cdef double high, sign, t = 0.0, C, S
    cdef Quartic q
    u.a0x, u.a0y = ex * w.a0x + ey * w.a0y, ex * w.a0y - ey * w.a0x
    u.Axx, u.Axy = ex * xx + ey * yx, ex * xy + ey * yy
    u.Ayx, u.Ayy = ex * yx - ey * xx, ex * yy - ey * xy
    q = energy_quartic(&u, B.G.zz, gx, gy)
    if q.p0 != 0.0:
        high = min(1e8, sqrt((1.0 - cosine) / (1.0 + cosine)) if cosine > -1.0 else INFINITY)
        sign = -1.0 if q.p0 > 0.0 else 1.0
        t = quartic_root(q, sign * asymptote(B.G.zz, gx, gy, sign, high))
    C, S = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)
    return curve_point(B, -c.z, ex * C - ey * S, ey * C + ex * S)
