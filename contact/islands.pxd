# Islands: blocks that act on one another, through single bodies and normalised coordinates.  Each is a problem by
# itself: found before the first sweep, and solved without a look at any other, so that its bits depend on none.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport Block, ContactProblem

cdef struct Island:
    Operator G               # of its blocks alone; the arrays are those of Islands.whole
    double* impulse          # (3 G.n + G.n_lines,) [N s]: of its cones, then of its other rows
    double* begun            # likewise: what they began with, and in the end what the next step is to begin with
    int iterations           # out: sweeps done
    double error             # out: largest velocity change in the last sweep [m/s]
    bint converged           # out
    bint noted               # G.z_begun holds what the impulses in `begun` make
    int ended                # out: Stage; a later one in the list replaces an earlier one

cdef struct Islands:         # workspace; grows by doubling and is reused
    int n                    # that need impulses
    int cones, blocks        # of theirs
    Island* island           # (n,) in the order of their first blocks
    Operator whole           # blocks sorted by island, else in the order of the problem
    int* memory              # one allocation for the five below
    int* node                # (n_single + n_coordinates,) union-find
    int* number              # (n_single + n_coordinates,) island of a root
    int* member              # (p.n,) island of each block, -1 if that needs no impulse
    int* order               # (blocks,) the problem's numbers of the blocks of `whole`
    int* start               # (2 n,) places of each island's first cone and first other block
    double* impulse          # (rows,) unless there is but one island; one allocation with the two below and z_begun
    double* begun            # (rows,)
    double* onward           # (p.n_rows,) in the problem's order: what the next step is to begin with
    size_t island_capacity, memory_capacity, impulse_capacity
    size_t reallocations     # beside those of `whole`


cdef int join_cone(int* node, const ContactProblem* p, int i) noexcept nogil
cdef int join_rows(int* node, const ContactProblem* p, const Block* B, int partner) noexcept nogil
cdef int open_islands(Islands* all, ContactProblem* p) except -1 nogil
cdef void close_islands(Islands* all, ContactProblem* p) noexcept nogil
cdef void clear_outcome(ContactProblem* p, bint converged) noexcept nogil
cdef void release(Islands* all) noexcept nogil


cdef inline int rows_of(const Operator* G) noexcept nogil:
    """Impulses of these blocks."""
    return 3 * G.n + G.n_lines


cdef inline int root_of(int* node, int i) noexcept nogil:
    """The node that stands for the island of node i; paths are halved on the way (Tarjan and van Leeuwen, 1984)."""
    while node[i] != i:
        node[i] = node[node[i]]
        i = node[i]
    return i


cdef inline bint is_of_robots(const Operator* G) noexcept nogil:
    """Tell whether contacts of an island act on articulated systems."""
    cdef int i
    for i in range(G.n):
        if G.contact[i].row_end > G.contact[i].row:
            return True
    return False
