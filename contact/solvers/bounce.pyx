"""Bounces that would make energy are lowered: bounce.pxd."""

from libc.math cimport fabs

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at, line_velocity
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


cdef double TOLERANCE = 1e-5   # [m/s] what a solve may leave of its velocities: a bounce of 1 makes and takes nothing


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
    cdef Vec3 v = contact_velocity(G, i)
    cdef int n = 3 * k.index + 2
    cdef double own = p.v_free[n] + p.target[n]
    v = add3(v, k.v_free)
    v.z += own - k.v_free.z
    v.z += (own if p.v_start == NULL else p.v_start[n]) - k.v_free.z
    size[0] += 1e-6 * (fabs(lam.x * v.x) + fabs(lam.y * v.y) + fabs(lam.z * v.z)) + TOLERANCE * (
        fabs(lam.x) + fabs(lam.y) + fabs(lam.z))
    return dot3(lam, v)


cdef bint makes_energy(const Island* island, const ContactProblem* p) noexcept nogil:
    """Whether all impulses of the island together do work; those that are asked to, by more than bounces, may."""
    cdef const Operator* G = &island.G
    cdef double work = 0.0, size = 0.0, lam, v
    cdef int i, r, n
    for i in range(G.n):
        n = 3 * G.contact[i].index + 2
        if p.target[n] > max(0.0, comes(G.contact + i, p)):
            return False
        work += work_of(G, p, i, impulse_at(island.impulse, i), &size)
    for i in range(G.n_blocks):
        for r in range(G.block[i].rows):
            if p.target[G.block[i].row + r] > 0.0:
                return False
            lam = island.impulse[3 * G.n + G.block[i].first + r]
            v = line_velocity(G, G.block[i].first + r) + G.line[G.block[i].first + r].v_free
            v += 2.0 * p.target[G.block[i].row + r]
            work += lam * v
            size += 1e-6 * fabs(lam * v) + TOLERANCE * fabs(lam)
    return work > size


cdef bint lower_bounces(Island* island, const ContactProblem* p, int turn) noexcept nogil:
    """Lower bounces of an island that is solved, if they make energy; whether any were: it is another problem then.

    `turn` counts from zero, to LOWERINGS - 1.
    """
    cdef Operator* G = &island.G
    cdef bint found = False, bounces = False
    cdef double bounce, size
    cdef int i
    if p.target == NULL:
        return False
    for i in range(G.n):
        bounce = bounce_of(G.contact + i, p)
        if bounce > 0.0:
            bounces = True
            size = 0.0
            if turn < ALONE and work_of(G, p, i, impulse_at(island.impulse, i), &size) > size:
                G.contact[i].v_free.z += bounce if turn == ALONE - 1 else 0.5 * bounce
                found = True
    if found or not bounces or not makes_energy(island, p):
        return found
    for i in range(G.n):
        bounce = bounce_of(G.contact + i, p)
        if bounce > 0.0:
            G.contact[i].v_free.z += bounce if turn == LOWERINGS - 1 else 0.5 * bounce
    return True
