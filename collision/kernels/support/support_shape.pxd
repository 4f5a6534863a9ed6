# A shape that a user's support function defines.

from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.support.own_function cimport call_function
from rbdyn.collision.shapes.support_shape cimport Compiled, SupportData
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, tmul3, vec3


cdef inline Vec3 own_support(const void* data, Vec3 l) noexcept nogil:
    """What the function says."""
    cdef const SupportData* s = <const SupportData*> data
    cdef double[3] d, x
    d[0], d[1], d[2] = l.x, l.y, l.z
    if s.compiled[0] != 0:
        (<Compiled> s.compiled[0])(d, x, <void*> s.user[0])
    else:
        call_function(s.function[0], d, x)
    return vec3(x[0], x[1], x[2])


cdef inline void own_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """A point."""
    f.flat = False
    f.n = 1
    f.name[0] = 0
    f.point[0] = add3(a.X.p, mul3(a.X.R, own_support(a.s.data, tmul3(a.X.R, d))))
