# The one place that asks a block for its law.

from rbdyn.contact.laws cimport bilateral, box, disc, unilateral
from rbdyn.contact.operator cimport LineBlock, Operator
from rbdyn.contact.problem cimport BILATERAL, BOX, DISC, UNILATERAL


cdef inline void prepare_blocks(Operator* G) noexcept nogil:
    """What each law needs beyond the constants of its rows."""
    cdef int i
    for i in range(G.n_blocks):
        if G.block[i].law == BILATERAL:
            bilateral.prepare(G, &G.block[i])
        elif G.block[i].law == UNILATERAL:
            unilateral.prepare(G, &G.block[i])
        elif G.block[i].law == DISC:
            disc.prepare(G, &G.block[i])


cdef inline void clear_immovable(const Operator* G, double* impulse) noexcept nogil:
    """No impulse along rows that nothing moves, or that others determine: nobody visits them."""
    cdef int i
    for i in range(G.n_lines):
        if not G.line[i].G > 0.0:
            impulse[3 * G.n + i] = 0.0


cdef inline double visit_block(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """Solve one block with all others held; `impulse` begins with the cones.  Returns its velocity change [m/s]."""
    cdef double* others = impulse + 3 * G.n
    if k.law == BILATERAL:
        return bilateral.visit(G, k, alpha, others)
    if k.law == BOX:
        return box.visit(G, k, alpha, others)
    if k.law == DISC:
        return disc.visit(G, k, impulse, alpha, others)
    return unilateral.visit(G, k, alpha, others)


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the law of a block allows, if it is no disc."""
    if k.law == BILATERAL:
        return bilateral.admissible(k, lam)
    if k.law == BOX:
        return box.admissible(k, lam)
    return unilateral.admissible(k, lam)
