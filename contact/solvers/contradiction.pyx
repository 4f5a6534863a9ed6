"""How blocks that contradict one another are told, and made compliant."""

from libc.math cimport fabs

from rbdyn.contact.cone.block cimport Cone, make_compliant, mobility
from rbdyn.contact.laws.dispatch cimport prepare_blocks
from rbdyn.contact.operator cimport (
    Island, LineBlock, Operator, contact_velocity, line_velocity, load_impulses, set_free_velocity, set_impulse,
)
from rbdyn.contact.problem cimport BOX, UNILATERAL, ContactProblem
from rbdyn.spatial._algebra cimport vec3

cdef double SOFT = 0.03            # compliance of blocks that contradict one another, of their own mobility
cdef double SLOW = 0.1             # of their targets is asked for then
cdef double DEAR = 30.0            # times the work that moves the bodies is too much; G_ii counts spin, too


cdef bint mark_dependent(Operator* G) noexcept nogil:
    """Mark islands with contacts that have no normal freedom of their own, and let these be compliant from now on."""
    cdef bint found = False
    cdef Cone* B
    cdef int i
    for i in range(G.n):
        B = &G.contact[i].block
        if B.dependent:
            B.compliance = max(B.compliance, B.rho)
            G.island[G.contact[i].island].marked = found = True
    return found


cdef bint mark_contradictory(Operator* G, const double* impulse, double share) noexcept nogil:
    """Mark islands whose blocks push, and are far from what they push for: some of them ask for opposite velocities.

    Where a law is met a row that pushes has no velocity (relative to its target; with its compliance), so that
    sum lam_r v_r = 0 over normal rows, whatever sum lam_r v_free_r was.  If no velocities meet the laws, impulses grow
    along a direction that moves nothing, sweep by sweep, and v_r stays (Farkas' lemma).  `share` of the sum is too
    much.  A box gives way at its bounds, and takes no part.
    """
    cdef const LineBlock* k
    cdef Island* island
    cdef bint found = False
    cdef double lam
    cdef int i, r
    for i in range(G.n_islands):
        G.island[i].left = G.island[i].whole = 0.0
    for i in range(G.n):
        island = G.island + G.contact[i].island
        lam = impulse[3 * i + 2]
        island.left -= min(0.0, lam * (contact_velocity(G, i).z + G.contact[i].block.compliance * lam))
        island.whole += fabs(lam * G.contact[i].v_free.z)
    for i in range(G.n_blocks):
        k = &G.block[i]
        island = G.island + k.island
        for r in range(k.first, k.first + k.rows if k.law != BOX else k.first):
            lam = impulse[3 * G.n + r]
            island.left -= min(0.0, lam * (line_velocity(G, r) + k.compliance * lam))
            island.whole += fabs(lam * G.line[r].v_free)
    for i in range(G.n_islands):
        if G.island[i].left > share * G.island[i].whole:
            G.island[i].marked = found = True
    return found


cdef bint may_be_dear(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Whether a block pushes DEAR times as much as its target alone would take: without, no island is too dear."""
    cdef double lam, T
    cdef int i
    if p.target == NULL:
        return False
    for i in range(G.n):
        lam, T = p.impulse[3 * i + 2], p.target[3 * i + 2] * G.contact[i].block.reach
        if lam > 0.0 and T > 0.0 and lam * mobility(&G.contact[i].block) > DEAR * (fabs(G.contact[i].v_free.z) + T):
            return True
    for i in range(G.n_lines):
        lam, T = p.impulse[3 * G.n + i], p.target[3 * G.n + i]
        if lam * T > 0.0 and fabs(lam) * G.line[i].G > DEAR * (fabs(G.line[i].v_free) + fabs(T)):
            return True
    return False


cdef bint mark_dear(Operator* G, const ContactProblem* p) noexcept nogil:
    """Mark islands whose targets' work, W = sum lam T, is more than moving bodies can take.

    Bodies that push one another apart in a row reach the sum of the speeds T at most, V.  Their mass is less than m,
    the sum of 1 / G_ii over the blocks that push; those that come with up to U, the sum of the approach speeds, are
    stopped as well.  Work far beyond m V (U + V), DEAR times as much, moves no bodies: it turns joints that are nearly
    singular, or is done by blocks against one another.
    """
    cdef Island* k
    cdef bint found = False
    cdef double lam, T
    cdef int i, r
    for i in range(G.n_islands):
        k = G.island + i
        k.V = k.U = k.W = k.m = 0.0
    for i in range(G.n):
        lam = p.impulse[3 * i + 2]
        if lam > 0.0:
            k = G.island + G.contact[i].island
            T = max(0.0, p.target[3 * i + 2]) * G.contact[i].block.reach
            k.V += T
            k.U += fabs(G.contact[i].v_free.z)
            k.W += lam * T
            k.m += 1.0 / mobility(&G.contact[i].block)
    for i in range(G.n_blocks):
        k = G.island + G.block[i].island
        for r in range(G.block[i].first, G.block[i].first + G.block[i].rows):
            lam = p.impulse[3 * G.n + r]
            if lam != 0.0:
                T = p.target[3 * G.n + r]
                k.V += fabs(T)
                k.U += fabs(G.line[r].v_free)
                k.W += max(0.0, lam * T)
                k.m += 1.0 / G.line[r].G
    for i in range(G.n_islands):
        k = G.island + i
        if k.W > DEAR * k.m * k.V * (k.U + k.V):
            k.marked = found = True
    return found


cdef void soften_marked(Operator* G, const ContactProblem* p) noexcept nogil:
    """Give the blocks of marked islands a compliance, SOFT of their own mobility, and SLOW targets.

    What contradicts has one answer then, and a small one.
    """
    cdef LineBlock* k
    cdef double most, target
    cdef int i, r
    for i in range(G.n):
        if G.island[G.contact[i].island].marked:
            make_compliant(&G.contact[i].block, G.contact[i].block.compliance + SOFT * mobility(&G.contact[i].block))
            G.contact[i].block.reach *= SLOW
            set_free_velocity(G.contact + i, p, i)
    for i in range(G.n_blocks):
        k = &G.block[i]
        if G.island[k.island].marked:
            most = 0.0
            for r in range(k.first, k.first + k.rows):
                most = max(most, SOFT * G.line[r].G)
            k.compliance += most
            for r in range(k.first, k.first + k.rows):
                G.line[r].G += most
                if p.target != NULL:
                    target = p.target[3 * G.n + r]
                    if target > 0.0 or k.law != UNILATERAL:       # below zero: a gap, which may close
                        G.line[r].v_free += (1.0 - SLOW) * target
    prepare_blocks(G)


cdef void begin_marked_again(Operator* G, ContactProblem* p) noexcept nogil:
    """No impulses in marked islands: those of blocks that could not be met may have any size.  Marks are gone."""
    cdef int i, r
    for i in range(G.n):
        if G.island[G.contact[i].island].marked:
            set_impulse(p.impulse, i, vec3(0.0, 0.0, 0.0))
    for i in range(G.n_blocks):
        if G.island[G.block[i].island].marked:
            for r in range(G.block[i].first, G.block[i].first + G.block[i].rows):
                p.impulse[3 * G.n + r] = 0.0
    for i in range(G.n_islands):
        G.island[i].marked = False
    load_impulses(G, p.impulse)
