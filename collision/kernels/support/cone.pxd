from libc.math cimport sqrt

from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.support.cylinder cimport base_feature
from rbdyn.collision.kernels.vectors cimport along, axis_z
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, neg3, tmul3, vec3


cdef inline const ConeData* cone_of(const PosedShape* a) noexcept nogil:
    return <const ConeData*> a.s.data


cdef inline Vec3 cone_support(const void* data, Vec3 l) noexcept nogil:
    """The apex, or the point of the rim."""
    cdef const ConeData* c = <const ConeData*> data
    cdef double across = sqrt(l.x * l.x + l.y * l.y)
    if 2.0 * c.half_height * l.z > c.radius * across:
        return vec3(0.0, 0.0, c.half_height)
    if across > 1e-12 * -l.z:
        return vec3(c.radius / across * l.x, c.radius / across * l.y, -c.half_height)
    return vec3(0.0, 0.0, -c.half_height)


cdef inline void cone_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The base, or the line on the side that is nearest; straight up the apex."""
    cdef const ConeData* c = cone_of(a)
    cdef Vec3 l = tmul3(a.X.R, d)
    cdef double across = sqrt(l.x * l.x + l.y * l.y), h = 2.0 * c.half_height
    if -l.z * sqrt(h * h + c.radius * c.radius) > h * across + c.radius * l.z:
        base_feature(a, neg3(axis_z(&a.X.R)), c.radius, c.half_height, 0, f)
        return
    f.flat = False
    f.n = 0
    if across > 0.0:
        f.point[0] = add3(a.X.p, mul3(a.X.R, vec3(c.radius / across * l.x, c.radius / across * l.y, -c.half_height)))
        f.name[0] = 16
        f.n = 1
    f.point[f.n], f.name[f.n] = along(a.X.p, c.half_height, axis_z(&a.X.R)), 17
    f.n += 1
