# A shape where it is now, the contacts of one pair, and the vector helpers that kernels share.
#
# Kernels here branch on values, so they are written for one scene at a time; `real` is double.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport Pose, ShapeRecord
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, cross3, dot3, matmul3, mul3, scale3, sub3, vec3


cdef enum:
    MAX_POINTS = 8                 # contacts of one pair

cdef struct Solid:
    const ShapeRecord* s           # its sizes
    const Pose* X                  # shape axes to world axes; origin, world [m]

cdef struct Manifold:              # contacts of one pair; every kernel fills this
    int n
    Vec3 normal                    # world, unit, points into the first solid
    Vec3 position[MAX_POINTS]      # world [m], midway between the surfaces
    double depth[MAX_POINTS]       # [m]
    int feature[MAX_POINTS]        # ascending


cdef inline void compose_pose(const Pose* body, const ShapeRecord* s, Pose* out) noexcept nogil:
    """World pose of a shape."""
    out.R = body.R if s.aligned else matmul3(body.R, s.local.R)
    out.p = add3(body.p, mul3(body.R, s.local.p))

cdef inline Vec3 axis_x(const Mat3* R) noexcept nogil:
    return vec3(R.xx, R.yx, R.zx)

cdef inline Vec3 axis_y(const Mat3* R) noexcept nogil:
    return vec3(R.xy, R.yy, R.zy)

cdef inline Vec3 axis_z(const Mat3* R) noexcept nogil:
    return vec3(R.xz, R.yz, R.zz)

cdef inline double norm3(Vec3 a) noexcept nogil:
    return sqrt(dot3(a, a))

cdef inline double clamp(double x, double low, double high) noexcept nogil:
    return low if x < low else (high if x > high else x)

cdef inline Vec3 along(Vec3 a, double s, Vec3 d) noexcept nogil:
    """a + s d."""
    return vec3(a.x + s * d.x, a.y + s * d.y, a.z + s * d.z)

cdef inline Vec3 unit_or(Vec3 a, Vec3 fallback) noexcept nogil:
    """a / |a|, or the fallback if a is too short to have a direction."""
    cdef double length = norm3(a)
    return scale3(1.0 / length, a) if length > 1e-150 else fallback

cdef inline Vec3 perpendicular(Vec3 a) noexcept nogil:
    """A unit vector normal to the unit vector a."""
    cdef Vec3 b = vec3(0.0, a.z, -a.y) if fabs(a.x) < 0.6 else vec3(a.z, 0.0, -a.x)
    return scale3(1.0 / norm3(b), b)

cdef inline void clear(Manifold* m) noexcept nogil:
    m.n = 0

cdef inline void put(Manifold* m, Vec3 position, double depth, int feature) noexcept nogil:
    """Add a point and keep the features ascending.  The caller adds MAX_POINTS at most."""
    cdef int k = m.n
    while k > 0 and m.feature[k - 1] > feature:
        m.position[k] = m.position[k - 1]
        m.depth[k] = m.depth[k - 1]
        m.feature[k] = m.feature[k - 1]
        k -= 1
    m.position[k] = position
    m.depth[k] = depth
    m.feature[k] = feature
    m.n += 1
