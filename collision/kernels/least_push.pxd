# The least push that frees two convex shapes, from a push that is nearly so.
#
# Let a push along n by the depth h(n) free them.  Moved out by e more, the shapes are apart, and the descent of
# gjk.pxd finds their distance d >= e and the normal m there.  The plane along m says
# h(m) = m . n (h(n) + e) - d <= h(n): a push
# along m is no longer, and as long only where m = n and the nearest points lie along it.  So repeated pushes get
# shorter, and the last nearest points are those that are deepest in each other.  Source: Y. J. Kim, M. Lin, D. Manocha,
# Incremental penetration depth estimation between convex polytopes using dual-space expansion (IEEE Trans.
# Visualization and Computer Graphics 10, 2004), section 5, for walks from a push to a shorter one.

from libc.math cimport INFINITY, fmin

from rbdyn.collision._types cimport Pose, PosedShape
from rbdyn.collision.kernels.core cimport core_radius
from rbdyn.collision.kernels.nearest cimport Nearest, find_convex
from rbdyn.collision.kernels.patch_ends cimport holds
from rbdyn.collision.kernels.vectors cimport along
from rbdyn.spatial._algebra cimport dot3

cdef enum:
    MAX_PUSHES = 100


cdef inline double touching(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """Distance up to which two shapes touch [m]: what lies between is less than what a normal needs."""
    return 1e-9 * (a.s.bounds.radius + b.s.bounds.radius)


cdef inline bint hold_points(const PosedShape* a, const PosedShape* b, const Nearest* at, double hair) noexcept nogil:
    """Test that both points lie in their shapes, within a hair [m]; True for shapes whose inside is unknown."""
    return (holds(a, along(at.on_a, core_radius(a), at.normal), hair)
            and holds(b, along(at.on_b, -core_radius(b), at.normal), hair))


cdef inline void shorten_push(const PosedShape* a, const PosedShape* b, Nearest* at) noexcept nogil:
    """Shorten the push that frees touching or overlapping shapes, and update the deepest points."""
    cdef PosedShape moved = a[0]
    cdef Pose there = a.X[0]
    cdef Nearest apart
    cdef double more = 0.01 * fmin(a.s.bounds.radius, b.s.bounds.radius), out, gap
    moved.X = &there
    for _ in range(MAX_PUSHES):
        out = more - at.distance
        there.p = along(a.X.p, out, at.normal)
        if not find_convex(&moved, b, INFINITY, &apart) or apart.distance <= 0.0:
            return
        at.on_b, at.on_a = apart.on_b, along(apart.on_b, at.distance, at.normal)
        gap = apart.distance - out * dot3(apart.normal, at.normal)
        if gap <= at.distance + 1e-9 * more:
            return
        at.distance, at.normal = gap, apart.normal
        at.on_a = along(at.on_b, gap, at.normal)


cdef inline void place_points(const PosedShape* a, const PosedShape* b, Nearest* at) noexcept nogil:
    """Put points of shapes that touch or overlap into both, where what was found of faces on faces is not."""
    cdef Nearest least = at[0]
    if not hold_points(a, b, at, touching(a, b)):
        shorten_push(a, b, &least)
        at.on_a, at.on_b = least.on_a, least.on_b
