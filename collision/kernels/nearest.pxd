# Distance and nearest points of two convex shapes: the descent of gjk.pxd, to its end; epa.pxd if they overlap.

from libc.math cimport INFINITY, fmin

from rbdyn.collision._types cimport BOX_CORE, HULL_CORE, PosedShape
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.epa cimport of_query, penetrate
from rbdyn.collision.kernels.gjk cimport Simplex, descend, separate
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.spatial._algebra cimport Vec3, dot3, neg3, scale3, sub3

cdef enum:
    MAX_RESTARTS = 50

cdef struct Nearest:                   # of two shapes
    double distance                    # [m], negative if they overlap
    Vec3 on_a, on_b                    # world [m]
    Vec3 normal                        # unit, from b to a


cdef inline bint is_polytope(const PosedShape* a) noexcept nogil:
    """Whether its core is, so that the descent ends."""
    return a.s.core == BOX_CORE or a.s.core == HULL_CORE


cdef inline double rounding_of(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """How far rounding moves the difference of two support points, at most [m]: four roundings of their terms."""
    return 1e-15 * (norm3(a.X.p) + norm3(b.X.p) + a.s.bounds.radius + b.s.bounds.radius)


cdef inline double refine(const PosedShape* a, const PosedShape* b, double apart, Vec3* x, Vec3* n) noexcept nogil:
    """Go on from where the descent of curved cores got stuck on points too close together, until a plane proves it.

    The distance is between that of the points and the gap along the normal.  Each round goes as far as it can towards
    the points that are nearest along the normal (M. Frank, P. Wolfe, An algorithm for quadratic programming, 1956), and
    begins the descent anew from there.  It ends where rounding blurs the two bounds: what is left of points that touch
    has no direction, so that the normal of the plane stays.
    """
    cdef Vec3 v = scale3(apart, n[0]), y, m, s_a, d
    cdef double again, t, blur = rounding_of(a, b)
    for _ in range(MAX_RESTARTS):
        s_a = support(a, neg3(n[0]))
        d = sub3(v, sub3(s_a, support(b, n[0])))
        t = dot3(v, d)
        if t <= apart * (1e-13 * apart + blur):            # apart times what is between the bounds
            break
        t = fmin(1.0, t / dot3(d, d))
        x[0], v = along(x[0], t, sub3(s_a, x[0])), along(v, -t, d)
        apart = norm3(v)
        n[0] = scale3(1.0 / apart, v)
        again = descend(a, b, 1e100, n[0], 1e-15, &y, &m)
        if 0.0 < again < apart:
            apart, x[0], n[0] = again, y, m
            v = scale3(apart, m)
    return apart


cdef inline bint find_convex(const PosedShape* a, const PosedShape* b, double reach, Nearest* out) noexcept nogil:
    """Of two convex shapes, or pieces; False if they are farther apart than `reach` [m]."""
    cdef double r_a = core_radius(a), r_b = core_radius(b), apart
    cdef Vec3 x, n
    cdef Simplex s
    apart = separate(a, b, r_a + r_b + fmin(reach, 1e100), 1e-15, &x, &n, &s)
    if apart >= r_a + r_b + reach:
        return False
    if apart == -INFINITY:
        apart = -penetrate(a, b, &s, of_query(), &x, &n, NULL)
        if apart > 0.0:                    # they do not overlap, but nearly
            apart = max(apart, descend(a, b, 1e100, n, 1e-15, &x, &n))
    if apart > 0.0 and not (is_polytope(a) and is_polytope(b)):
        apart = refine(a, b, apart, &x, &n)
    out.distance, out.normal = apart - r_a - r_b, n
    out.on_a, out.on_b = along(x, -r_a, n), along(x, r_b - apart, n)
    return True
