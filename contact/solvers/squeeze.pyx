"""How it is told that kinematic bodies throw what they squeeze, and how they come to give way: squeeze.pxd."""

from libc.math cimport sqrt

from rbdyn.contact.cone.block cimport SKIPPED, make_compliant, mobility
from rbdyn.contact.operator cimport Contact, Operator, Side, contact_velocity, impulse_at, line_velocity
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.tolerances cimport DEAR_SQUEEZE, DRIVEN_TOO_FAST, SLIPPERY_TOO_FAST, SQUEEZING_WORK, YIELD_OF_DRIVEN
from rbdyn.spatial._algebra cimport Vec3, dot3, mul3, sub3


cdef inline double squared(const double* a) noexcept nogil:
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


cdef double driving_speed(const Operator* G, const ContactProblem* p) noexcept nogil:
    """The largest speed of what moves whatever pushes it, at the contacts of the island [m/s]."""
    cdef double most = 0.0
    cdef int i
    for i in range(G.n):
        most = max(most, squared(p.drive + 3 * G.contact[i].index))
    return sqrt(most)


cdef inline double side_speed(const Operator* G, const Side* side) noexcept nogil:
    """Squared, what the impulses change of a single body's velocity: of its centre, or by its rotation at a contact."""
    cdef Vec3 turn
    if side.body < 0:
        return 0.0
    turn = mul3(side.L, G.body[side.body].w)
    return max(dot3(G.body[side.body].v, G.body[side.body].v), dot3(turn, turn))


cdef bint has_friction(const Operator* G) noexcept nogil:
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.mu > 0.0:
            return True
    return False


cdef bint is_fast(const Operator* G, double most) noexcept nogil:
    """Whether impulses change the velocity of a body, or of a robot at a contact, by more than this [m/s]."""
    cdef const Contact* k
    cdef Vec3 change
    cdef double v
    cdef int i
    for i in range(G.n):
        k = G.contact + i
        v = max(side_speed(G, &k.a), side_speed(G, &k.b))
        if k.row < k.row_end:
            change = sub3(contact_velocity(G, i), k.v_free)
            v = max(v, dot3(change, change))
        if not v <= most * most:
            return True
    return False


cdef bint is_driven(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil:
    """Whether the work of what drives is much of lam . G lam / 2, the energy in the change of velocities.

    Where bodies bring their speed with them it is not: a drum that turns slowly is hit by a fast ball.
    """
    cdef const double* u
    cdef Vec3 lam
    cdef double work = 0.0, energy = 0.0
    cdef int i, r
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        u = p.drive + 3 * G.contact[i].index
        work -= lam.x * u[0] + lam.y * u[1] + lam.z * u[2]
        energy += 0.5 * dot3(lam, sub3(contact_velocity(G, i), G.contact[i].v_free))
    for r in range(G.n_lines):
        energy += 0.5 * impulse[3 * G.n + r] * (line_velocity(G, r) - G.line[r].v_free)
    return not work <= SQUEEZING_WORK() * energy


cdef bint is_dear(const Operator* G, const ContactProblem* p, const double* impulse, double speed) noexcept nogil:
    """Whether the work of what drives is out of all proportion, or no number.

    To push mass m from the speed U to V takes m V (U + V) or less; m is about the sum of 1 / G_ii.
    """
    cdef const double* u
    cdef Vec3 lam
    cdef double work = 0.0, fastest = 0.0, m = 0.0
    cdef int i
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        u = p.drive + 3 * G.contact[i].index
        work -= lam.x * u[0] + lam.y * u[1] + lam.z * u[2]
        fastest = max(fastest, dot3(G.contact[i].v_free, G.contact[i].v_free))
        if G.contact[i].block.kind != SKIPPED:
            m += 1.0 / mobility(&G.contact[i].block)
    return not work <= DEAR_SQUEEZE() * m * speed * (speed + sqrt(fastest))


cdef bint throws(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil:
    """Whether kinematic bodies throw what they push, many times as fast as they move themselves, or crush it."""
    cdef double speed
    if p.drive == NULL:
        return False
    speed = driving_speed(G, p)
    if speed == 0.0:
        return False
    if is_fast(G, (DRIVEN_TOO_FAST() if has_friction(G) else SLIPPERY_TOO_FAST()) * speed) and is_driven(G, p, impulse):
        return True
    return is_dear(G, p, impulse, speed)


cdef void give_way(Operator* G, const ContactProblem* p, int turn) noexcept nogil:
    """Let contacts with what drives be compliant: c of their mobility.

    A push at the speed u is u / c at most then, and its work u^2 / c: it throws no body that it meets faster than
    about u (2 / c)^(1/2), whatever is in its way.
    """
    cdef double share = YIELD_OF_DRIVEN() * 10.0 ** turn
    cdef int i
    for i in range(G.n):
        if squared(p.drive + 3 * G.contact[i].index) > 0.0:
            make_compliant(&G.contact[i].block, max(G.contact[i].block.compliance,
                                                    share * mobility(&G.contact[i].block)))
