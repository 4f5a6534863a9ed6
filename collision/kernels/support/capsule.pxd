from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.vectors cimport along, axis_z
from rbdyn.collision.shapes.capsule cimport CapsuleData
from rbdyn.spatial._algebra cimport Vec3, vec3


cdef inline const CapsuleData* capsule_of(const PosedShape* a) noexcept nogil:
    return <const CapsuleData*> a.s.data


cdef inline void capsule_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The line on the surface that is nearest."""
    line_feature(a, capsule_of(a).radius, capsule_of(a).half_height, d, f)


cdef inline void line_feature(
        const PosedShape* a, double radius, double half_height, Vec3 e, SupportingFeature* f) noexcept nogil:
    """The segment along z at `radius` from the axis in direction e."""
    cdef Vec3 u = axis_z(&a.X.R)
    f.flat = False
    f.n = 2
    f.name[0], f.name[1] = 16, 17
    f.point[0] = along(along(a.X.p, radius, e), -half_height, u)
    f.point[1] = along(along(a.X.p, radius, e), half_height, u)
