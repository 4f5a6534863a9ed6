# Half-space against a shape without faces: the point that lies deepest.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.vectors cimport along, axis_z
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, dot3, neg3, sub3


cdef inline void half_space_point(
        const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """One point, the farthest against the normal."""
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 x = along(support(s, neg3(n)), -core_radius(s), n)
    cdef double g = dot3(n, sub3(x, h.X.p))
    clear(&m)
    if g < margin:
        m.normal = neg3(n)
        add_point(&m, along(x, -0.5 * g, n), -g, 0)
    emit(sink, &m)
