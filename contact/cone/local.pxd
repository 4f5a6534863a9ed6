# The problem of one contact with the others held fixed: find lam with v = G lam + c and
#
#     0 <= lam_n  perpendicular to  v_n >= 0,   |lam_t| <= mu lam_n,   v_t = 0 while |lam_t| < mu lam_n,
#
# otherwise the sliding law (slide.pxd).  Tests in this order: open, stick, slide.

from libc.math cimport NAN, fabs, frexp, hypot, isfinite, ldexp, sqrt

from rbdyn.contact.cone.block cimport FRICTIONLESS, GENERAL, ISOTROPIC, SKIPPED, Cone
from rbdyn.contact.cone.slide cimport (
    slide_coulomb_bisection,
    slide_coulomb_newton,
    slide_raisim_bisection,
    slide_raisim_newton,
)
from rbdyn.spatial._algebra cimport Vec3, neg3, scale3, smul3, vec3

cdef enum FrictionLaw:
    COULOMB                  # exact: slip opposes friction
    RAISIM                   # least energy on the sliding curve

cdef enum Method:
    NEWTON
    BISECTION

cdef enum Mode:
    OPEN
    STICK
    SLIDE
    FAILED                   # c or the impulse is not finite; the old impulse was kept


cdef inline Vec3 isotropic_contact(const Cone* B, Vec3 c, Mode* mode) noexcept nogil:
    """G = diag(gamma, gamma, z): normal and tangential parts decouple, and both laws agree."""
    cdef double n = -c.z / B.G.zz
    cdef double r = sqrt(c.x * c.x + c.y * c.y), most = B.mu * n
    if r <= most * B.G.xx:
        mode[0] = STICK
        return vec3(-c.x / B.G.xx, -c.y / B.G.xx, n)
    mode[0] = SLIDE
    return vec3(-most * c.x / r, -most * c.y / r, n)


cdef inline Vec3 slide_general(const Cone* B, Vec3 c, Vec3 stick, FrictionLaw law, Method method) noexcept nogil:
    """The law's point of the sliding curve; without friction if round-off left no such point."""
    cdef Vec3 lam
    if law == COULOMB:
        lam = slide_coulomb_newton(B, c) if method == NEWTON else slide_coulomb_bisection(B, c)
    else:
        lam = slide_raisim_newton(B, c, stick) if method == NEWTON else slide_raisim_bisection(B, c, stick)
    if lam.z >= 0.0 and isfinite(lam.x + lam.y + lam.z):
        return lam
    return vec3(0.0, 0.0, -c.z / B.G.zz)


cdef inline bint sticks(const Cone* B, Vec3 lam) noexcept nogil:
    """Whether an impulse pushes, and friction can do its tangential part."""
    return lam.z > 0.0 and lam.x * lam.x + lam.y * lam.y <= (B.mu * lam.z) * (B.mu * lam.z)


cdef inline Vec3 closed_contact(const Cone* B, Vec3 c, FrictionLaw law, Method method, Mode* mode) noexcept nogil:
    """Stick or slide, for c_n < 0 and 1e-40 < |c|_1 < 1e40."""
    cdef Vec3 stick
    mode[0] = SLIDE
    if B.kind == FRICTIONLESS:
        return vec3(0.0, 0.0, -c.z / B.G.zz)
    if B.kind == ISOTROPIC:
        return isotropic_contact(B, c, mode)
    stick = neg3(smul3(B.inverse, c))
    if sticks(B, stick):
        mode[0] = STICK
        return stick
    return slide_general(B, c, stick, law, method)


cdef inline Vec3 clipped(Vec3 lam, double mu) noexcept nogil:
    """Friction shortened to the cone; the normal part, if it pushes, is kept."""
    cdef double r, most = mu * lam.z if mu > 0.0 else 0.0
    if not lam.z > 0.0:
        return vec3(0.0, 0.0, 0.0)
    if fabs(lam.x) + fabs(lam.y) <= most:              # inside, whatever the rounding of what follows
        return lam
    r = hypot(lam.x, lam.y)
    if r > most:
        lam.x *= most / r
        lam.y *= most / r
    return lam


cdef inline Vec3 extreme_contact(const Cone* B, Vec3 c, Vec3 old, FrictionLaw law, Method method,
                                 Mode* mode) noexcept nogil:
    """|c| far from one: the problem is homogeneous, so solve it for c 2^-k.

    If c is not finite, or the impulse beyond 1e300, `old` is kept.
    """
    cdef int k
    cdef Vec3 lam = vec3(0.0, 0.0, NAN)
    if isfinite(c.x) and isfinite(c.y) and isfinite(c.z):
        frexp(max(fabs(c.x), fabs(c.y), fabs(c.z)), &k)
        c = closed_contact(B, vec3(ldexp(c.x, -k), ldexp(c.y, -k), ldexp(c.z, -k)), law, method, mode)
        lam = clipped(vec3(ldexp(c.x, k), ldexp(c.y, k), ldexp(c.z, k)), B.mu)
    if fabs(lam.x) + fabs(lam.y) + fabs(lam.z) < 1e300:
        return lam
    mode[0] = FAILED
    return old


cdef inline Vec3 local_impulse(const Cone* B, Vec3 c, Vec3 old, FrictionLaw law, Method method,
                               Mode* mode) noexcept nogil:
    """The impulse of one contact [N s] for c = v - (G_ii + rho 1) lam_old [m/s]; contact axes."""
    cdef double size = fabs(c.x) + fabs(c.y) + fabs(c.z)
    cdef Vec3 stick
    if B.kind == SKIPPED or c.z >= 0.0:
        mode[0] = OPEN
        return vec3(0.0, 0.0, 0.0)
    if not 1e-40 < size < 1e40:
        return extreme_contact(B, c, old, law, method, mode)
    if B.kind == GENERAL:                              # what most visits are, without a call
        stick = neg3(smul3(B.inverse, c))
        if sticks(B, stick):
            mode[0] = STICK
            return stick
    return closed_contact(B, c, law, method, mode)
