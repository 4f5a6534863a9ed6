from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.support.capsule cimport line_feature
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.spatial._algebra cimport Vec3, dot3, scale3, vec3


cdef enum:
    RIM = 8                        # corners that stand for a cap


cdef inline const CylinderData* cylinder_of(const PosedShape* a) noexcept nogil:
    return <const CylinderData*> a.s.data


cdef inline void cylinder_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """A cap, or from the side the line that is nearest."""
    cdef Vec3 u = axis_z(&a.X.R), e
    cdef double c = dot3(d, u)
    if fabs(c) > 0.70710678118654752:
        cap_feature(a, d, f)
        return
    e = along(d, -c, u)
    line_feature(a, cylinder_of(a).radius, cylinder_of(a).half_height, scale3(1.0 / sqrt(dot3(e, e)), e), f)


cdef inline void cap_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The cap that looks along d."""
    cdef Vec3 u = axis_z(&a.X.R)
    cdef double side = 1.0 if dot3(d, u) >= 0.0 else -1.0
    base_feature(a, scale3(side, u), cylinder_of(a).radius, cylinder_of(a).half_height, RIM if side > 0.0 else 0, f)


cdef inline void base_feature(
        const PosedShape* a, Vec3 normal, double r, double distance, int first, SupportingFeature* f) noexcept nogil:
    """Corners on the rim of a round base, fixed in the body."""
    cdef Vec3 x = axis_x(&a.X.R), y = axis_y(&a.X.R), c
    cdef double q = 0.70710678118654752 * r
    cdef int k
    f.n = RIM
    f.flat = True
    f.normal = normal
    c = along(a.X.p, distance, normal)
    f.point[0], f.point[4] = along(c, r, x), along(c, -r, x)
    f.point[2], f.point[6] = along(c, r, y), along(c, -r, y)
    f.point[1], f.point[5] = along(along(c, q, x), q, y), along(along(c, -q, x), -q, y)
    f.point[3], f.point[7] = along(along(c, -q, x), q, y), along(along(c, q, x), -q, y)
    for k in range(RIM):
        f.name[k] = k + first
