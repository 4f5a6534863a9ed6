# The plane between two curved cores, by Newton's method on the sphere of directions.
#
# Let g(n) = n . w(n), with w(n) = s_A(-n) - s_B(n) of the support points: the gap between the cores along the unit
# normal n.  Its largest value is the distance of cores that are apart, and less the least push of those that overlap.
# w is the gradient of g, and where the support points move smoothly with the normal, by K = d(s_B(n) - s_A(-n))/dn,
# the step within the tangent plane solves (K + g) d = w - g n.
#
# Source: the distance as the largest gap of parallel planes: S. Cameron, R. Culley, Determining the minimum
# translational distance between two convex polyhedra (ICRA 1986); Newton's method on the sphere: P.-A. Absil,
# R. Mahony, R. Sepulchre, Optimization Algorithms on Matrix Manifolds (2008), section 6.2.
#
# Where a shape meets the other with a straight edge (of a box or a hull, along the side of a cylinder or a cone), its
# support point jumps: there the normal is looked for among those across the edge.

from libc.math cimport INFINITY, copysign, fabs, fmin, sqrt

from rbdyn.collision._types cimport BOX_CORE, CONE, CYLINDER_CORE, ELLIPSOID, HULL_CORE, PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z, norm3
from rbdyn.collision.shapes.climbing cimport facing_face
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3, zero3


cdef inline bint is_curved(const PosedShape* a) noexcept nogil:
    """Whether it is known how its support point moves."""
    return a.s.core == CYLINDER_CORE or a.s.kind == <int> ELLIPSOID or a.s.kind == <int> CONE


cdef inline Vec3 moved_on_rim(double r, Vec3 l, Vec3 d) noexcept nogil:
    """How the point of a circle about z that is farthest along l moves as l goes along d."""
    cdef double across2 = l.x * l.x + l.y * l.y, t
    if not across2 > 1e-24 * l.z * l.z:
        return zero3()
    t = r * (l.x * d.y - l.y * d.x) / (across2 * sqrt(across2))
    return vec3(-t * l.y, t * l.x, 0.0)


cdef inline Vec3 moved(const PosedShape* a, Vec3 n, Vec3 d) noexcept nogil:
    """How the support point along n moves as n goes along d; world."""
    cdef Vec3 l, e, r, s
    cdef double length
    if not is_curved(a):
        return zero3()
    l, e = tmul3(a.X.R, n), tmul3(a.X.R, d)
    if a.s.core == CYLINDER_CORE:
        return mul3(a.X.R, moved_on_rim(a.s.bounds.ellipsoid.x, l, e))
    if a.s.kind == <int> CONE:
        if 2.0 * cone_half(a) * l.z > cone_radius(a) * sqrt(l.x * l.x + l.y * l.y):
            return zero3()             # the apex
        return mul3(a.X.R, moved_on_rim(cone_radius(a), l, e))
    r = a.s.bounds.ellipsoid
    length = norm3(vec3(r.x * l.x, r.y * l.y, r.z * l.z))
    s = vec3(r.x * r.x * l.x / length, r.y * r.y * l.y / length, r.z * r.z * l.z / length)
    return mul3(a.X.R, scale3(1.0 / length, along(vec3(r.x * r.x * e.x, r.y * r.y * e.y, r.z * r.z * e.z),
                                                  -dot3(s, e), s)))


cdef inline double cone_half(const PosedShape* a) noexcept nogil:
    return (<const ConeData*> a.s.data).half_height


cdef inline double cone_radius(const PosedShape* a) noexcept nogil:
    return (<const ConeData*> a.s.data).radius


cdef struct FlatSide:              # of a box, a cylinder, a cone or a hull
    Vec3 up                        # outward normal, unit, world
    Vec3 half                      # half sides of a box's, infinite along the normal; x: radius of a disc [m]
    int face                       # of a hull


cdef inline bint find_flat_side(const PosedShape* a, Vec3 m, FlatSide* side) noexcept nogil:
    """Find the flat side that faces along m (unit, world), within 0.3 rad."""
    cdef Vec3 l = tmul3(a.X.R, m), h = a.s.bounds.box
    cdef const HullData* hull
    cdef double near = 0.95
    cdef bint box = a.s.core == BOX_CORE and h.x * h.y * h.z > 0.0
    side.face = -1
    if box and fabs(l.x) > near:
        side.up, side.half = scale3(copysign(1.0, l.x), axis_x(&a.X.R)), vec3(INFINITY, h.y, h.z)
    elif box and fabs(l.y) > near:
        side.up, side.half = scale3(copysign(1.0, l.y), axis_y(&a.X.R)), vec3(h.x, INFINITY, h.z)
    elif box and fabs(l.z) > near:
        side.up, side.half = scale3(copysign(1.0, l.z), axis_z(&a.X.R)), vec3(h.x, h.y, INFINITY)
    elif a.s.core == CYLINDER_CORE and fabs(l.z) > near:
        side.up, side.half.x = scale3(copysign(1.0, l.z), axis_z(&a.X.R)), a.s.bounds.ellipsoid.x
    elif a.s.kind == <int> CONE and l.z < -near:
        side.up, side.half.x = neg3(axis_z(&a.X.R)), cone_radius(a)
    elif a.s.core == HULL_CORE:
        hull = <const HullData*> a.s.data
        if hull.n_faces == 0:
            return False
        side.face = facing_face(hull, l)
        side.up = mul3(a.X.R, normal_of(hull, side.face))
        return dot3(side.up, m) > near
    else:
        return False
    return True


cdef inline Vec3 normal_of(const HullData* hull, int face) noexcept nogil:
    return vec3(hull.normals[3 * face], hull.normals[3 * face + 1], hull.normals[3 * face + 2])


cdef inline Vec3 corner_of(const HullData* hull, int k) noexcept nogil:
    return vec3(hull.vertices[3 * k], hull.vertices[3 * k + 1], hull.vertices[3 * k + 2])


cdef inline double inside_of_side(const PosedShape* a, const FlatSide* side, Vec3 x) noexcept nogil:
    """Distance of a point in the plane of a flat side from where that ends [m], negative outside."""
    cdef Vec3 l = tmul3(a.X.R, sub3(x, a.X.p)), h = side.half, n, e, first, second
    cdef const HullData* hull
    cdef double least = INFINITY
    cdef int k, begin, end
    if a.s.core == BOX_CORE:
        return fmin(h.x - fabs(l.x), fmin(h.y - fabs(l.y), h.z - fabs(l.z)))
    if side.face < 0:
        return h.x - sqrt(l.x * l.x + l.y * l.y)
    hull = <const HullData*> a.s.data
    n = normal_of(hull, side.face)
    begin, end = hull.start[side.face], hull.start[side.face + 1]
    second = corner_of(hull, hull.corner[end - 1])
    for k in range(begin, end):
        first, second = second, corner_of(hull, hull.corner[k])
        e = sub3(second, first)
        least = fmin(least, dot3(cross3(n, e), sub3(l, first)) / norm3(e))
    return least


cdef bint sharpen_near(
        const PosedShape* a, const PosedShape* b, const Vec3* x, const Vec3* w, double* gap, Vec3* normal,
        Vec3* x_a) noexcept nogil
