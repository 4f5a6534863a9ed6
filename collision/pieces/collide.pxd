# Shapes against surfaces of triangles: kernels of pairs.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.sink cimport Sink

cdef void convex_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil
cdef void surface_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil
