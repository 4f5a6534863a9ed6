# Warm start: the impulses of the step before, found again by the key of their block.
#
# Those of cones are kept in world axes, because contact frames turn and their tangents may jump from step to step.

from libc.stdint cimport uint64_t

from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.spatial._algebra cimport Vec3

cdef struct WarmStart:       # grows by doubling and is reused
    int n                    # cones remembered
    Key* key                 # (n,) ascending
    Vec3* impulse            # (n,) [N s], world axes, acts on A
    int n_blocks             # other blocks remembered
    int n_rows               # of theirs
    Key* block_key           # (n_blocks,) ascending
    int* block_rows          # (n_blocks,)
    double* row_impulse      # (n_rows,) [N s]
    size_t key_capacity, impulse_capacity, block_key_capacity, block_rows_capacity, row_capacity


cdef void load(const WarmStart* W, ContactProblem* p) noexcept nogil
cdef int store(WarmStart* W, const ContactProblem* p, const double* impulse, size_t* reallocations) except -1 nogil
cdef int reserve(WarmStart* W, int n, int blocks, int rows, size_t* reallocations) except -1 nogil
cdef void remember(WarmStart* W, Key key, int rows, const double* lam) noexcept nogil
cdef int copy(WarmStart* to, const WarmStart* from_, size_t* reallocations) except -1 nogil
cdef void release(WarmStart* W) noexcept nogil


cdef inline bint is_same(const Key* a, const Key* b) noexcept nogil:
    return a.id_b == b.id_b and a.feature == b.feature and a.id_a == b.id_a and a.source == b.source


cdef inline int compare(Key a, Key b) noexcept nogil:
    """-1, 0, 1 as a comes before b, is b, comes after b: by source, then id_a, id_b, feature."""
    cdef uint64_t x = <uint64_t> a.source << 32 | a.id_a, y = <uint64_t> b.source << 32 | b.id_a
    if x == y:
        x, y = <uint64_t> a.id_b << 32 | a.feature, <uint64_t> b.id_b << 32 | b.feature
    return (x > y) - (x < y)
