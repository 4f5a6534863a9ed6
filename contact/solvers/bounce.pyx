"""Bounces that would make energy are lowered: bounce.pxd."""

from libc.math cimport fabs

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


cdef double TOLERANCE = 1e-5   # [m/s] what a solve may leave of its velocities: a bounce of 1 makes and takes nothing


cdef inline double bounce_of(const Contact* k, const ContactProblem* p) noexcept nogil:
    """What contact k asks of its normal velocity still [m/s]: its target, less what was taken of it.

    A target that is more than what comes in is no bounce, and may make energy.
    """
    cdef int n = 3 * k.index + 2
    cdef double own = p.v_free[n] + p.target[n]
    cdef double comes = p.approach[k.index] if p.approach != NULL else -own     # not what forces change in the step
    if k.block.blocked or not 0.0 < p.target[n] <= comes * (1.0 + 1e-9):
        return 0.0
    return own - k.v_free.z


cdef inline bint makes_energy(const Operator* G, const ContactProblem* p, int i, Vec3 lam,
                              double bounce) noexcept nogil:
    """Whether lam . (v + v+) > 0, beyond rounding: the bodies' own velocities before and after the impulses."""
    cdef Vec3 v = add3(contact_velocity(G, i), G.contact[i].v_free)
    cdef double work
    v.z += 2.0 * bounce
    if p.approach != NULL:                             # what comes in without what forces add in the step
        v.z -= G.contact[i].v_free.z + bounce + p.approach[G.contact[i].index]
    work = dot3(lam, v)
    return work > 1e-6 * (fabs(lam.x * v.x) + fabs(lam.y * v.y) + fabs(lam.z * v.z)) + TOLERANCE * (
        fabs(lam.x) + fabs(lam.y) + fabs(lam.z))


cdef bint lower_bounces(Island* island, const ContactProblem* p, bint entirely) noexcept nogil:
    """Halve the bounces that make energy, or take all of them; whether there were any: it is another problem then."""
    cdef Operator* G = &island.G
    cdef bint found = False
    cdef double bounce
    cdef int i
    if p.target == NULL:
        return False
    for i in range(G.n):
        bounce = bounce_of(G.contact + i, p)
        if bounce > 0.0 and makes_energy(G, p, i, impulse_at(island.impulse, i), bounce):
            G.contact[i].v_free.z += bounce if entirely else 0.5 * bounce
            found = True
    return found
