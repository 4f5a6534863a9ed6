# Which kernel knows which pair, and what else is known of a kind of shape: tables filled at import.

from rbdyn.collision._types cimport ConvexShape, PosedShape
from rbdyn.collision.sink cimport Sink


# Contacts of two shapes, into the sink, normals into the first.  `margin` [m]: gaps below it count too.
ctypedef void (*PairKernel)(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil

cdef struct PairEntry:
    PairKernel kernel              # NULL: such a pair never touches
    bint swapped                   # True: the kernel takes the second shape first

cdef struct KindEntry:
    size_t size                    # of the struct that ShapeRecord.data points to
    int core                       # Core that the shape lies in
    const ConvexShape* convex      # NULL: the general kernel does not take it

cdef int kind_number(str name) except -1
cdef const KindEntry* kind_entry(int kind) noexcept nogil
cdef const PairEntry* pair_table() noexcept nogil


cdef inline void collide(
        const PairEntry* table, int n_kinds, const PosedShape* a, const PosedShape* b, double margin,
        Sink* sink) noexcept nogil:
    """Emit the contacts of two shapes, normals into the first."""
    cdef const PairEntry* entry = &table[a.s.kind * n_kinds + b.s.kind]
    sink.swapped = entry.swapped
    if entry.swapped:
        entry.kernel(b, a, margin, sink)
    elif entry.kernel != NULL:
        entry.kernel(a, b, margin, sink)
