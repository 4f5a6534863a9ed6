# Shapes against surfaces of triangles: kernels of pairs.

from rbdyn.collision._types cimport PosedShape, ShapeRecord
from rbdyn.collision.kernels.triangle cimport TriangleData
from rbdyn.collision.sink cimport Sink

cdef void convex_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil
cdef void surface_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil
cdef void begin_piece(const PosedShape* whole, ShapeRecord* s, TriangleData* t, PosedShape* piece) noexcept nogil
cdef void measure_piece(ShapeRecord* s, const TriangleData* t) noexcept nogil
