# The one place that asks a block for its law.

from rbdyn.contact.laws cimport bilateral, box, unilateral
from rbdyn.contact.operator cimport LineBlock, Operator
from rbdyn.contact.problem cimport BILATERAL, BOX


cdef inline void prepare_blocks(Operator* G) noexcept nogil:
    """What each law needs beyond the constants of its rows."""
    cdef int i
    for i in range(G.n_blocks):
        if G.block[i].law == BILATERAL:
            bilateral.prepare(G, &G.block[i])


cdef inline double visit_block(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """Solve one block with all others held; `impulse` begins behind the cones.  Returns its velocity change [m/s]."""
    if k.law == BILATERAL:
        return bilateral.visit(G, k, alpha, impulse)
    if k.law == BOX:
        return box.visit(G, k, alpha, impulse)
    return unilateral.visit(G, k, alpha, impulse)


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the block's law allows."""
    if k.law == BILATERAL:
        return bilateral.admissible(k, lam)
    if k.law == BOX:
        return box.admissible(k, lam)
    return unilateral.admissible(k, lam)
