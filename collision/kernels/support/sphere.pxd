from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.vectors cimport along
from rbdyn.collision.shapes.sphere cimport SphereData
from rbdyn.spatial._algebra cimport Vec3, vec3


cdef inline const SphereData* sphere_of(const PosedShape* a) noexcept nogil:
    return <const SphereData*> a.s.data


cdef inline void sphere_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """A point."""
    f.flat = False
    f.n = 1
    f.name[0] = 0
    f.point[0] = along(a.X.p, sphere_of(a).radius, d)
