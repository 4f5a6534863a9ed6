from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.shapes.ellipsoid cimport EllipsoidData
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, tmul3, vec3


cdef inline Vec3 ellipsoid_support(const void* data, Vec3 l) noexcept nogil:
    """E^2 l / |E l| with E the semi-axes on a diagonal."""
    cdef Vec3 r = (<const EllipsoidData*> data).radii
    cdef Vec3 e = vec3(r.x * l.x, r.y * l.y, r.z * l.z)
    cdef double length = norm3(e)
    if length == 0.0:
        return vec3(r.x, 0.0, 0.0)
    return vec3(r.x * (e.x / length), r.y * (e.y / length), r.z * (e.z / length))


cdef inline void ellipsoid_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """A point."""
    f.flat = False
    f.n = 1
    f.name[0] = 0
    f.point[0] = add3(a.X.p, mul3(a.X.R, ellipsoid_support(a.s.data, tmul3(a.X.R, d))))
