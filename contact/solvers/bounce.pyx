"""Bounces that would make energy are lowered: bounce.pxd."""

from libc.math cimport fabs

from rbdyn.contact.accept cimport scale
from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at, line_velocity
from rbdyn.contact.problem cimport REPLACED, ContactProblem
from rbdyn.contact.tolerances cimport BOUNCE_RESERVE, BOUNCE_TOLERANCE, BOUNCE_TURNS, NEAR_ROUNDING
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, sub3, vec3


cdef inline double comes(const Contact* k, const ContactProblem* p) noexcept nogil:
    """How fast its bodies come, before forces change that in the step [m/s]; rounded up."""
    cdef int n = 3 * k.index + 2
    return (-p.v_start[n] if p.v_start != NULL else -p.v_free[n] - p.target[n]) * (1.0 + 1e-9)


cdef inline double bounce_of(const Contact* k, const ContactProblem* p) noexcept nogil:
    """What contact k asks of its normal velocity still [m/s]: its target, less what was taken of it.

    A target that is more than what comes in is no bounce, and may make energy.
    """
    cdef int n = 3 * k.index + 2
    if k.block.blocked or not 0.0 < p.target[n] <= comes(k, p):
        return 0.0
    return p.v_free[n] + p.target[n] - k.v_free.z


cdef inline double work_of(const Operator* G, const ContactProblem* p, int i, Vec3 lam, double* size) noexcept nogil:
    """lam . (v + v+) of contact i: twice the work, by the bodies' own velocities before and after the impulses.

    `size` grows by what rounding, and what a solve may leave of its velocities, can make of it.
    """
    cdef const Contact* k = G.contact + i
    cdef Vec3 v = contact_velocity(G, i), before = k.v_free
    cdef int n = 3 * k.index
    cdef double own = p.v_free[n + 2] + p.target[n + 2]
    v.z += own - k.v_free.z
    before.z = own
    if p.v_start != NULL and k.row_end > k.row:  # of a robot: forces change its velocity by turning it, too
        before.z = p.v_start[n + 2]
    elif p.v_start != NULL:
        before = vec3(p.v_start[n], p.v_start[n + 1], p.v_start[n + 2])
    v = add3(v, before)
    size[0] += 1e-6 * (fabs(lam.x * v.x) + fabs(lam.y * v.y) + fabs(lam.z * v.z)) + BOUNCE_TOLERANCE() * (
        fabs(lam.x) + fabs(lam.y) + fabs(lam.z))
    return dot3(lam, v)


cdef double work_together(const Island* island, const ContactProblem* p, double* size) noexcept nogil:
    """Twice the work of all impulses of the island; none if some are asked to do it, by more than bounces."""
    cdef const Operator* G = &island.G
    cdef double work = 0.0, lam, v
    cdef int i, r, n
    for i in range(G.n):
        n = 3 * G.contact[i].index + 2
        if p.target[n] > max(0.0, comes(G.contact + i, p)):
            return 0.0
        work += work_of(G, p, i, impulse_at(island.impulse, i), size)
    for i in range(G.n_blocks):
        for r in range(G.block[i].rows):
            if p.target[G.block[i].row + r] > 0.0:
                return 0.0
            lam = island.impulse[3 * G.n + G.block[i].first + r]
            v = line_velocity(G, G.block[i].first + r) + G.line[G.block[i].first + r].v_free
            v += 2.0 * p.target[G.block[i].row + r]
            work += lam * v
            size[0] += 1e-6 * fabs(lam * v) + BOUNCE_TOLERANCE() * fabs(lam)
    return work


cdef double next_share(double share, double work, double size, int turn) noexcept nogil:
    """What a bounce is lowered to, of 1, after `turn` steps of its bisection; `share` again: nothing is to be done.

    A whole bounce may do what rounding makes of none; one that was lowered may not.
    """
    cdef double step = 0.5 ** (min(turn, BOUNCE_TURNS - 1) + 1)
    if work > (size if share == 1.0 else 0.0):
        return max(0.0, share - step) if turn <= BOUNCE_TURNS else 0.0
    if share < 1.0 and turn < BOUNCE_TURNS and work < -NEAR_ROUNDING() * size:
        return min(1.0, share + step)
    return share


cdef bint lower_alone(Island* island, const ContactProblem* p, int turn) noexcept nogil:
    """Lower the bounces that do work by themselves; whether any was changed."""
    cdef Operator* G = &island.G
    cdef bint found = False
    cdef double bounce, whole, share, after, size, work
    cdef int i
    for i in range(G.n):
        bounce = bounce_of(G.contact + i, p)
        if bounce > 0.0:
            whole = p.target[3 * G.contact[i].index + 2] * G.contact[i].block.reach
            size = 0.0
            work = work_of(G, p, i, impulse_at(island.impulse, i), &size)
            share = bounce / whole if bounce < (1.0 - 1e-9) * whole else 1.0
            after = next_share(share, work, size, turn)
            if after != share:
                G.contact[i].v_free.z += bounce - after * whole
                found = True
    return found


cdef bint bounces(const Island* island, const ContactProblem* p) noexcept nogil:
    """Whether any contact of the island does."""
    cdef int i
    for i in range(island.G.n):
        if bounce_of(island.G.contact + i, p) > 0.0:
            return True
    return False


cdef bint lower_together(Island* island, const ContactProblem* p, Search* search) noexcept nogil:
    """Lower all bounces by one share, if the island makes energy; whether they were changed."""
    cdef Operator* G = &island.G
    cdef double size = 0.0, work = work_together(island, p, &size), share, bounce
    cdef int i
    share = next_share(search.share, work, size, search.turn)
    if share == search.share:
        return False
    for i in range(G.n):
        bounce = bounce_of(G.contact + i, p)
        if bounce > 0.0:
            G.contact[i].v_free.z += bounce * (1.0 - share / search.share)
    search.share = share
    return True


cdef void keep_from_gaining(Island* island, const ContactProblem* p, const Search* search) noexcept nogil:
    """Take the impulses of an island that bounces, and could not be solved, times what leaves it the energy it had.

    Not where there are rows: limits and joints that are held would be passed.
    """
    cdef const Operator* G = &island.G
    cdef double size = 0.0, own = 0.0, work
    cdef Vec3 lam
    cdef int i
    if island.converged or not search.together or G.n_blocks > 0:
        return
    work = work_together(island, p, &size)
    if work <= size:
        return
    for i in range(G.n):
        lam = impulse_at(island.impulse, i)
        own += dot3(lam, sub3(contact_velocity(G, i), G.contact[i].v_free))
    scale(island, 1.0 - work / own if work < own else 0.0)
    island.ended = REPLACED


cdef Search begin_search() noexcept nogil:
    return Search(together=False, turn=0, share=1.0)


cdef bint lower_bounces(Island* island, const ContactProblem* p, Search* search, int left) noexcept nogil:
    """Lower bounces of an island that is solved, if they make energy; whether any were: it is another problem then.

    `left` is the number of sweeps that it may be solved with.
    """
    if p.target == NULL or not bounces(island, p):
        return False
    if not search.together:
        search.turn = search.turn if left >= BOUNCE_RESERVE else max(search.turn, <int> BOUNCE_TURNS + 1)
        if search.turn <= BOUNCE_TURNS + 1 and lower_alone(island, p, search.turn):
            search.turn += 1
            return True
        search.together, search.turn = True, 0
    search.turn = search.turn if left >= BOUNCE_RESERVE else max(search.turn, <int> BOUNCE_TURNS + 1)
    if search.turn <= BOUNCE_TURNS + 1 and lower_together(island, p, search):
        search.turn += 1
        return True
    return False
