"""How blocks that contradict one another are told, and made compliant."""

from libc.math cimport fabs

from rbdyn.contact.cone.block cimport make_compliant, mobility
from rbdyn.contact.laws.dispatch cimport prepare_blocks
from rbdyn.contact.operator cimport LineBlock, Operator, contact_velocity, line_velocity, set_free_velocity
from rbdyn.contact.problem cimport BOX, ContactProblem

cdef double SOFT = 0.03            # compliance of blocks that contradict one another, of their own mobility
cdef double SLOW = 0.1             # of their targets is asked for then
cdef double CONTRADICTION = 0.1    # of the velocity that was to be changed is left, so that blocks count as such


cdef bint soften_dependent(Operator* G) noexcept nogil:
    """Give contacts without normal freedom of their own a compliance, lest they work against each other for ever."""
    cdef bint any_ = False
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.dependent:
            G.contact[i].block.compliance = max(G.contact[i].block.compliance, G.contact[i].block.rho)
            any_ = True
    return any_


cdef void soften(Operator* G, const ContactProblem* p) noexcept nogil:
    """Give every block a compliance, SOFT of its own mobility: what contradicts has one answer then, a small one."""
    cdef LineBlock* k
    cdef double most
    cdef int i, r
    for i in range(G.n):
        make_compliant(&G.contact[i].block, G.contact[i].block.compliance + SOFT * mobility(&G.contact[i].block))
        G.contact[i].block.reach *= SLOW
        set_free_velocity(G.contact + i, p, i)
    for i in range(G.n_blocks):
        k = &G.block[i]
        most = 0.0
        for r in range(k.first, k.first + k.rows):
            most = max(most, SOFT * G.line[r].G)
        k.compliance += most
        for r in range(k.first, k.first + k.rows):
            G.line[r].G += most
            if p.target != NULL:
                G.line[r].v_free += (1.0 - SLOW) * max(0.0, p.target[3 * G.n + r])
    prepare_blocks(G)


cdef bint contradictory(const Operator* G, const double* impulse) noexcept nogil:
    """Whether blocks that push are far from what they push for: then some of them ask for opposite velocities.

    Where a law is met a row that pushes has no velocity (relative to its target; with its compliance), so that
    sum lam_r v_r = 0 over normal rows, whatever sum lam_r v_free_r was.  If no velocities meet the laws, impulses grow
    along a direction that moves nothing, sweep by sweep, and v_r stays (Farkas' lemma).  A box gives way at its bounds,
    and takes no part.
    """
    cdef const LineBlock* k
    cdef double left = 0.0, whole = 0.0, lam
    cdef int i, r
    for i in range(G.n):
        lam = impulse[3 * i + 2]
        left -= min(0.0, lam * (contact_velocity(G, i).z + G.contact[i].block.compliance * lam))
        whole += fabs(lam * G.contact[i].v_free.z)
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.first, k.first + k.rows if k.law != BOX else k.first):
            lam = impulse[3 * G.n + r]
            left -= min(0.0, lam * (line_velocity(G, r) + k.compliance * lam))
            whole += fabs(lam * G.line[r].v_free)
    return left > CONTRADICTION * whole


cdef bint too_dear(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Whether the targets' work, W = sum lam T, is more than moving bodies can take.

    Bodies that push one another apart in a row reach the sum of the speeds T at most, V.  Their mass is less than m,
    the sum of 1 / G_ii over the blocks that push; those that come with up to U, the sum of the approach speeds, are
    stopped as well.  Work beyond m V (U + V) moves no bodies: it turns joints that are nearly singular, or is done by
    blocks against one another (ten times as much, since G_ii counts the spin that a push makes).
    """
    cdef double V = 0.0, U = 0.0, W = 0.0, m = 0.0, most, lam, T
    cdef int i
    if p.target == NULL:
        return False
    for i in range(G.n):
        lam = p.impulse[3 * i + 2]
        if lam > 0.0:
            T = max(0.0, p.target[3 * i + 2]) * G.contact[i].block.reach
            V += T
            U += fabs(G.contact[i].v_free.z)
            W += lam * T
    for i in range(G.n_lines):
        lam = p.impulse[3 * G.n + i]
        if lam != 0.0:
            T = p.target[3 * G.n + i]
            V += fabs(T)
            U += fabs(G.line[i].v_free)
            W += max(0.0, lam * T)
    most = 10.0 * V * (U + V)
    for i in range(G.n):                               # the first masses are enough as a rule
        if W <= m * most:
            return False
        if p.impulse[3 * i + 2] > 0.0:
            m += 1.0 / mobility(&G.contact[i].block)
    for i in range(G.n_lines):
        if p.impulse[3 * G.n + i] != 0.0:
            m += 1.0 / G.line[i].G
    return W > m * most
