"""How blocks that contradict one another are told, and made compliant."""

from libc.math cimport fabs

from rbdyn.contact.cone.block cimport Cone, make_compliant, mobility
from rbdyn.contact.laws.dispatch cimport prepare_blocks
from rbdyn.contact.operator cimport (
    LineBlock, Operator, contact_velocity, impulse_at, line_velocity, set_free_velocity,
)
from rbdyn.contact.problem cimport BOX, DISC, UNILATERAL, ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3

cdef double SOFT = 0.03            # compliance of blocks that contradict one another, of their own mobility
cdef double SLOW = 0.1             # of their targets is asked for then
cdef double UNSEEN = 1e-8          # [m/s] of a target: nothing that it asks for is dear
cdef double UNFELT = 1e-6          # [m/s] of a velocity that a solve leaves
cdef double DEAR = 30.0            # times the work that moves the bodies is too much; G_ii counts spin, too


cdef bint soften_dependent(Operator* G) noexcept nogil:
    """Let contacts that have no normal freedom of their own be compliant from now on; returns whether there are any."""
    cdef bint found = False
    cdef Cone* B
    cdef int i
    for i in range(G.n):
        B = &G.contact[i].block
        if B.dependent:
            B.compliance = max(B.compliance, B.rho)
            found = True
    return found


cdef bint contradicts(const Operator* G, const double* impulse, double share) noexcept nogil:
    """Whether blocks push, and are far from what they push for: some of them ask for opposite velocities.

    Where a law is met a row that pushes has no velocity (relative to its target; with its compliance), so that
    sum lam_r v_r = 0 over normal rows, whatever sum lam_r v_free_r was.  If no velocities meet the laws, impulses grow
    along a direction that moves nothing, sweep by sweep, and v_r stays (Farkas' lemma).  `share` of the sum is too
    much.  Boxes and discs give way at their bounds, and take no part.
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
        for r in range(k.first, k.first + k.rows if k.law != BOX and k.law != DISC else k.first):
            lam = impulse[3 * G.n + r]
            left -= min(0.0, lam * (line_velocity(G, r) + k.compliance * lam))
            whole += fabs(lam * G.line[r].v_free)
    return left > share * whole


cdef bint may_be_dear(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil:
    """Whether a block pushes DEAR times as much as its target alone would take: without, no island is too dear."""
    cdef double lam, T
    cdef int i, r
    for i in range(G.n):
        lam, T = impulse[3 * i + 2], p.target[3 * G.contact[i].index + 2] * G.contact[i].block.reach
        if lam > 0.0 and T > UNSEEN and lam * mobility(&G.contact[i].block) > DEAR * (fabs(G.contact[i].v_free.z) + T):
            return True
    for i in range(G.n_blocks):
        for r in range(G.block[i].rows):
            T, lam = p.target[G.block[i].row + r], impulse[3 * G.n + G.block[i].first + r]
            if lam * T > 0.0 and fabs(T) > UNSEEN and fabs(lam) * G.line[G.block[i].first + r].G > (
                    DEAR * (fabs(G.line[G.block[i].first + r].v_free) + fabs(T))):
                return True
    return False


cdef bint takes_energy(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil:
    """Whether all impulses together take energy from the bodies, or leave it: bounces do, through any gear.

    By the bodies' own velocities before and after them, lam . (v + v+) / 2; but for what a solve leaves of velocities.
    """
    cdef const LineBlock* k
    cdef double work = 0.0, size = 0.0, term, lam
    cdef Vec3 v
    cdef int i, r
    for i in range(G.n):
        v = add3(contact_velocity(G, i), G.contact[i].v_free)
        v.z += 2.0 * max(0.0, p.target[3 * G.contact[i].index + 2]) * G.contact[i].block.reach
        term = dot3(impulse_at(impulse, i), v)
        work += term
        lam = fabs(impulse[3 * i]) + fabs(impulse[3 * i + 1]) + fabs(impulse[3 * i + 2])
        size += 1e-6 * fabs(term) + UNFELT * lam
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.rows):
            lam = impulse[3 * G.n + k.first + r]
            term = line_velocity(G, k.first + r) + G.line[k.first + r].v_free + 2.0 * p.target[k.row + r]
            work += lam * term
            size += 1e-6 * fabs(lam * term) + UNFELT * fabs(lam)
    return work <= size


cdef bint is_dear(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil:
    """Whether the targets' work, W = sum lam T, is more than moving bodies can take.

    Bodies that push one another apart in a row reach the sum of the speeds T at most, V.  Their mass is less than m,
    the sum of 1 / G_ii over the blocks that push; those that come with up to U, the sum of the approach speeds, are
    stopped as well.  Work far beyond m V (U + V), DEAR times as much, moves no bodies: it turns joints that are nearly
    singular, or is done by blocks against one another.  A bounce turns round what comes, whatever is geared to it.
    """
    cdef double V = 0.0, U = 0.0, W = 0.0, m = 0.0, lam, T
    cdef const LineBlock* k
    cdef int i, r
    if p.target == NULL or not may_be_dear(G, p, impulse):
        return False
    for i in range(G.n):
        lam = impulse[3 * i + 2]
        if lam > 0.0:
            T = max(0.0, p.target[3 * G.contact[i].index + 2]) * G.contact[i].block.reach
            V += T
            U += fabs(G.contact[i].v_free.z)
            W += lam * T
            m += 1.0 / mobility(&G.contact[i].block)
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.rows):
            lam = impulse[3 * G.n + k.first + r]
            if lam != 0.0:
                T = p.target[k.row + r]
                V += fabs(T)
                U += fabs(G.line[k.first + r].v_free)
                W += max(0.0, lam * T)
                m += 1.0 / G.line[k.first + r].G
    return W > DEAR * m * V * (U + V) and not takes_energy(G, p, impulse)


cdef void soften(Operator* G, const ContactProblem* p) noexcept nogil:
    """Give all blocks a compliance, SOFT of their own mobility, and SLOW targets.

    What contradicts has one answer then, and a small one.
    """
    cdef LineBlock* k
    cdef double most, target
    cdef int i, r
    for i in range(G.n):
        make_compliant(&G.contact[i].block, G.contact[i].block.compliance + SOFT * mobility(&G.contact[i].block))
        G.contact[i].block.reach *= SLOW
        set_free_velocity(G.contact + i, p)
    for i in range(G.n_blocks):
        k = &G.block[i]
        most = 0.0
        for r in range(k.first, k.first + k.rows):
            most = max(most, SOFT * G.line[r].G)
        k.compliance += most
        for r in range(k.rows):
            G.line[k.first + r].G += most
            G.line[k.first + r].compliance += most
            if p.target != NULL:
                target = p.target[k.row + r]
                if target > 0.0 or k.law != UNILATERAL:           # below zero: a gap, which may close
                    G.line[k.first + r].v_free += (1.0 - SLOW) * target
    prepare_blocks(G)
