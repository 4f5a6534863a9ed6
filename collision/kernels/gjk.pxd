# Nearest points of two convex cores that do not overlap.
#
# Source: E. Gilbert, D. Johnson, S. Keerthi, A fast procedure for computing the distance between
# complex objects (IEEE J. Robotics and Automation 4, 1988); nearest point of a simplex by the regions
# of RTCD, sections 5.1.2, 5.1.5 and 5.1.6.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.bounds cimport centre_of
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3, vec3


cdef struct Simplex:               # points of A - B, those of A they came from, and weights
    int n
    Vec3 w[4]                      # [m]
    Vec3 a[4]                      # world [m]
    double weight[4]               # the nearest point is sum weight_k w_k


cdef inline Vec3 nearest_on_a(const Simplex* s) noexcept nogil:
    cdef Vec3 v = vec3(0.0, 0.0, 0.0)
    cdef int k
    for k in range(s.n):
        v = add3(v, scale3(s.weight[k], s.a[k]))
    return v


cdef inline double descend(
        const PosedShape* a, const PosedShape* b, double reach, Vec3 start, double slack, Vec3* x_a,
        Vec3* normal) noexcept nogil:
    """`separate`, from a direction other than that of the origins, and to a share `slack` of the square."""
    cdef Simplex s
    return descend_by(a, b, reach, start, False, slack, x_a, normal, &s)


cdef double descend_by(
        const PosedShape* a, const PosedShape* b, double reach, Vec3 start, bint centres, double slack, Vec3* x_a,
        Vec3* normal, Simplex* s) noexcept nogil


cdef inline double separate(
        const PosedShape* a, const PosedShape* b, double reach, double slack, Vec3* x_a, Vec3* normal,
        Simplex* s) noexcept nogil:
    """Distance of the cores, the nearest point of a's, and the unit normal from b to a.

    To a share `slack` of its square.  Returns -inf if they overlap, touch, or have a gap that rounding blurs (x_a and
    normal are then not set), minus their least push if they overlap and that is known, and some number above `reach` as
    soon as it is clear that they are farther apart than that (along the normal; x_a is then not set).  `s` is the
    simplex that the descent ended with.
    """
    return descend_by(a, b, reach, sub3(centre_of(a), centre_of(b)), True, slack, x_a, normal, s)
