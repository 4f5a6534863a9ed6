# Discs: torsional (one row) and rolling friction (two rows), whose bound follows the push of a contact.
#
#     |lam| <= a lam_n,   v = 0 while |lam| < a lam_n,   otherwise v = -s lam with s >= 0
#
# lam_n is the normal impulse of the cone `partner` [N s], a a length [m], lam an angular impulse [N m s].  For a given
# lam_n the impulse is the one of the least energy in the disc, so that lam . v <= 0: it only takes energy.

from libc.math cimport INFINITY, fabs, hypot, isfinite, sqrt

from rbdyn.contact.cone.block cimport mobility
from rbdyn.contact.operator cimport Disc, LineBlock, Operator, add_line_impulse, coupling, line_velocity

cdef enum:
    MOST_STEPS = 60           # of Newton's method; it takes four or five


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """The principal axes of G_bb + compliance 1.

    A mobility below 1e-9 of the other one counts as that: what cannot turn takes no harm from an impulse.
    """
    cdef Disc* D = &k.disc
    cdef double p = G.line[k.first].G, q, o, half, root, x, y, size
    D.x, D.y, D.first, D.second, D.arm = 1.0, 0.0, p, 0.0, 0.0
    if k.partner >= 0 and p > 0.0:
        D.arm = sqrt(mobility(&G.contact[k.partner].block) / p)
    if k.rows == 1:
        return
    q, o = G.line[k.first + 1].G, coupling(G, k.first, k.first + 1)
    half = 0.5 * (p - q)
    root = sqrt(half * half + o * o)
    D.first = 0.5 * (p + q) + root
    D.second = max(0.5 * (p + q) - root, 1e-9 * D.first)
    x, y = (half + root, o) if half >= 0.0 else (o, root - half)      # of two formulas the one that cancels nothing
    size = sqrt(x * x + y * y)
    if size > 0.0:
        D.x, D.y = x / size, y / size


cdef inline double radius(const LineBlock* k, const double* cones) noexcept nogil:
    """a lam_n [N m s]; `cones` are the impulses of the cones."""
    return k.low * max(0.0, cones[3 * k.partner + 2]) if k.partner >= 0 else 0.0


cdef inline double share_inside(double r, const double* lam, int rows) noexcept nogil:
    """The factor that takes these impulses into a disc of radius r."""
    cdef double size = fabs(lam[0]) if rows == 1 else sqrt(lam[0] * lam[0] + lam[1] * lam[1])
    return 1.0 if size <= r else r / size


cdef inline void solve(const Disc* D, double r, double* a, double* b) noexcept nogil:
    """(a, b) <- the impulse for which v = 0, or the one on the rim for which v = -s lam; along the axes of the disc.

    lam(s) = (D + s 1)^-1 (a, b) gets shorter as s grows.  Newton's method on 1 / |lam(s)| = 1 / r, a concave function,
    comes from below (Hebden 1973, More and Sorensen 1983).
    """
    cdef double A = a[0], B = b[0], s = 0.0, more, size
    if not r > 1e-30 * sqrt(A * A + B * B) / D.first:
        s = INFINITY
    a[0], b[0] = A / D.first, (B / D.second if D.second > 0.0 else 0.0)
    size = sqrt(a[0] * a[0] + b[0] * b[0])
    if size <= r:
        return
    if s == 0.0:
        for _ in range(MOST_STEPS):
            more = a[0] * a[0] / (D.first + s) + (b[0] * b[0] / (D.second + s) if D.second > 0.0 else 0.0)
            more = (size / r - 1.0) * size * size / more
            s += more
            a[0], b[0] = A / (D.first + s), (B / (D.second + s) if D.second > 0.0 else 0.0)
            size = sqrt(a[0] * a[0] + b[0] * b[0])
            if not more > 1e-15 * (s + D.first):
                break
    else:                                              # a point of a disc: the direction alone counts
        a[0], b[0], size = A, B, sqrt(A * A + B * B)
    a[0], b[0] = a[0] * (r / size), b[0] * (r / size)


cdef inline double visit(Operator* G, const LineBlock* k, const double* cones, double alpha,
                         double* impulse) noexcept nogil:
    """Solve the block with the others held; returns the largest velocity change [m/s], infinite if it failed."""
    cdef const Disc* D = &k.disc
    cdef double r = radius(k, cones), error = 0.0
    cdef double old[2]
    cdef double v[2]
    cdef double new[2]
    cdef double a, b
    cdef int i
    if not D.first > 0.0:
        return 0.0
    old[1] = v[1] = 0.0
    for i in range(k.rows):
        old[i] = impulse[k.first + i]
        v[i] = line_velocity(G, k.first + i) + k.compliance * old[i]
    a = D.first * (D.x * old[0] + D.y * old[1]) - (D.x * v[0] + D.y * v[1])
    b = D.second * (D.x * old[1] - D.y * old[0]) - (D.x * v[1] - D.y * v[0])
    solve(D, r, &a, &b)
    new[0], new[1] = D.x * a - D.y * b, D.y * a + D.x * b
    for i in range(k.rows):
        new[i] = old[i] + alpha * (new[i] - old[i])
        if not isfinite(new[i]):
            return INFINITY
    for i in range(k.rows):
        if new[i] != old[i]:
            impulse[k.first + i] = new[i]
            add_line_impulse(G, k.first + i, new[i] - old[i])
            error = max(error, D.arm * fabs(G.line[k.first + i].G * (new[i] - old[i])))
    return error


cdef inline void project(double r, int rows, double* y) noexcept nogil:
    """Replace y by the point of a disc of radius r nearest to it."""
    cdef double share = share_inside(r, y, rows)
    cdef int i
    for i in range(rows):
        y[i] *= share


cdef inline void derivative(double r, int rows, double x, double y, double scale, double* D) noexcept nogil:
    """D[0], D[1], D[3], D[4] = scale times the derivative of `project` at (x, y); one row: D[0] at x."""
    cdef double size = hypot(x, y), share
    if size <= r:
        D[0] = scale
        D[4] = scale if rows == 2 else 0.0
    elif rows == 2:                                    # across the impulse alone
        share = scale * r / size
        x, y = x / size, y / size
        D[0], D[1], D[3], D[4] = share * y * y, -share * x * y, -share * x * y, share * x * x
