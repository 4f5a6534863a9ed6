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


cdef inline void held_rows(const Operator* G, const LineBlock* k, const double* cones, const double* lam,
                           int* rows) noexcept nogil:
    """rows: 1 for each row of a block whose velocity its law holds, around these impulses of it; else 0."""
    if k.law == BILATERAL:
        bilateral.held_rows(G, k, rows)
    elif k.law == BOX:
        box.held_rows(G, k, lam, rows)
    elif k.law == DISC:
        disc.held_rows(G, k, cones, lam, rows)
    else:
        unilateral.held_rows(G, k, lam, rows)


cdef inline int let_go(const LineBlock* k, const double* cones, double* lam, int* rows) noexcept nogil:
    """Take held impulses that the law does not allow to what it allows, and their rows to 0; returns how many."""
    if k.law == BILATERAL:
        return 0
    if k.law == BOX:
        return box.let_go(k, lam, rows)
    if k.law == DISC:
        return disc.let_go(k, cones, lam, rows)
    return unilateral.let_go(k, lam, rows)


cdef inline int hold_more(const Operator* G, const LineBlock* k, const double* cones, const double* lam,
                          double threshold, int* rows) noexcept nogil:
    """Set those of rows to 1 that a velocity beyond the threshold [m/s] asks to be held, too; returns how many."""
    if k.law == BILATERAL:
        return 0
    if k.law == BOX:
        return box.hold_more(G, k, lam, threshold, rows)
    if k.law == DISC:
        return disc.hold_more(G, k, cones, lam, threshold, rows)
    return unilateral.hold_more(G, k, lam, threshold, rows)


cdef inline void make_admissible(const LineBlock* k, const double* cones, double* lam) noexcept nogil:
    """Replace the impulses of a block by the nearest ones that its law allows beside these of the cones."""
    cdef int r
    if k.law == DISC:
        disc.clip(k, cones, lam)
        return
    for r in range(k.rows):
        lam[r] = admissible(k, lam[r])
