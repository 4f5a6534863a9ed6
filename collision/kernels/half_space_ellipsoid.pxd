# Half-space against an ellipsoid: the point that lies deepest.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.ellipsoid cimport ellipsoid_support
from rbdyn.collision.kernels.vectors cimport along, axis_z
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, neg3, sub3, tmul3


cdef inline void half_space_ellipsoid(
        const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """One point, the farthest against the normal."""
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 x = add3(s.X.p, mul3(s.X.R, ellipsoid_support(s.s.data, tmul3(s.X.R, neg3(n)))))
    cdef double g = dot3(n, sub3(x, h.X.p))
    clear(&m)
    if g < margin:
        m.normal = neg3(n)
        add_point(&m, along(x, -0.5 * g, n), -g, 0)
    emit(sink, &m)
