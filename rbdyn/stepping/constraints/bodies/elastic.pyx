"""Springs and dampers between points, implicit: rows with compliance.

The force is that of the mean of the excess e = distance - length at the ends of the step, and of its rate e':

    F = k (e + e+) / 2 + c (e' + e'+) / 2,    e+ = e + dt ((1 - gamma) e' + gamma e'+)

so that dt F = A + B e'+ with known A and B, which is a row with compliance 1 / B whose velocity, -e'+, counts from
A / B.  gamma is 1/2 for single bodies in flight, which move by their mean velocity (trapezoid), else 1.  That is of the
order of the step.  What is too stiff to be seen swinging would ring from step to step: there the force is that of the
step's end, which leads to rest.

A spring of two points that is stretched pulls sideways, too, as its ends move across it: by F / distance for each
metre.  That is implicit likewise, in two rows across it.  Anything else runs, in flight, where it will be in the middle
of the step, so that forces pass through the same points as the mean motion: angular momentum stays.
"""

from libc.math cimport INFINITY, sqrt

from rbdyn.contact.problem cimport BILATERAL, UNILATERAL, ContactProblem, Key
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, smul3, sub3, zero3
from rbdyn.stepping.builder cimport Builder, add_push, add_row, begin_block, begin_row, gather_row
from rbdyn.stepping.constraints.bodies.wire cimport (
    BOTH, SPRING, SPRING_SOURCE, WIRE_SOURCE, Wire, excess, measure, normal_to, sign_of, start_rate,
)
from rbdyn.stepping.constraints.bodies.turning cimport write_turning
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.points cimport (
    PointMotion, bend_freely, bend_of_fall, fall_of, free_motion_of, is_first_of_system, look_ahead_of, note_wrench,
    push_body, start_motion_of,
)
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene
from rbdyn.stepping.scheme cimport RUNGE_KUTTA, TRAPEZOID

cdef double UNRESOLVED = 2.0   # gamma (w dt)^2 from which on steps do not tell how a spring of frequency w swings
cdef double TAKING_TURNS = 0.2   # the same of wires that get slack while others on their bodies get taut


cdef inline double sweep(Vec3 way, Vec3 v, double dt) noexcept nogil:
    """Second derivative of the distance between points at constant velocity [m/s^2]; less if they pass each other."""
    cdef double d = sqrt(dot3(way, way)), along, across
    if d == 0.0:
        return 0.0
    along = dot3(way, v) / d
    across = dot3(v, v) - along * along
    return across / max(d, dt * sqrt(max(across, 0.0))) if across > 0.0 else 0.0


cdef void find_free_rate(const Scene* s, const Wire* w, double* rate, double* bend) noexcept nogil:
    """The rate of its length at the end of the step without constraint impulses, and how it bends [m/s^2]."""
    cdef const BodyHandle* body
    cdef PointMotion now, last
    cdef int i
    rate[0] = bend[0] = 0.0
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        rate[0] -= dot3(w.pull[i], free_motion_of(s, body, w.at[i]).v)
        bend[0] -= dot3(w.pull[i], bend_of_fall(s, body, w.at[i]).a)
        now = fall_of(s, body, w.at[i])
        if i > 0:
            bend[0] += w.share[i - 1] * w.falls[i - 1] * sweep(sub3(w.at[i], w.at[i - 1]), sub3(now.v, last.v), s.dt)
        last = now


cdef bint flies(const Scene* s, const Wire* w) noexcept nogil:
    """Whether all its bodies move by their mean velocity in this step."""
    cdef const BodyHandle* body
    cdef int i
    if s.scheme.rule != TRAPEZOID and s.scheme.rule != RUNGE_KUTTA:
        return False
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        if body.kind == SYSTEM_BODY or (body.kind == SINGLE_BODY and s.single_scratch[body.index].touched):
            return False
    return True


cdef double mobility_of_singles(const Scene* s, const Wire* w) noexcept nogil:
    """About how much a unit impulse of the wire changes its rate, by its single bodies [1/kg]."""
    cdef const BodyHandle* body
    cdef double total = 0.0
    cdef Vec3 turn
    cdef int i
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        if body.kind == SINGLE_BODY:
            turn = cross3(sub3(w.at[i], s.single_state[body.index].p), w.pull[i])
            total += s.single_scratch[body.index].inverse_mass * dot3(w.pull[i], w.pull[i])
            total += dot3(turn, smul3(s.single_scratch[body.index].inverse_I, turn))
    return total


cdef double mobility_by_robots(const Builder* b) noexcept nogil:
    """The same by the articulated systems on which the row begun last acts."""
    cdef double total = 0.0
    cdef int k
    for k in range(b.entry_start[b.n_rows - 1], b.n_entries):
        total += b.entry[k].y * b.entry[k].y
    return total


cdef bint moves(const Scene* s, int handle) noexcept nogil:
    """Whether it is a single body that forces move."""
    cdef const BodyHandle* body = s.body + handle
    return body.kind == SINGLE_BODY and s.single_scratch[body.index].inverse_mass > 0.0


cdef bint pulls_alone(const Scene* s, const Wire* w) noexcept nogil:
    """Whether no other link acts on the bodies that it moves."""
    cdef const Link* other
    cdef int kind, k, i, j
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            other = s.link[kind].item[k]
            if not other.near or other == &w.link:
                continue
            for i in range(w.n):
                for j in range(other.n_bodies if moves(s, w.anchor[i].handle) else 0):
                    if other.body[j] == w.anchor[i].handle:
                        return False
    return True


cdef bint is_stiff(const Scene* s, const Wire* w, double mobility, double gamma) noexcept nogil:
    """Whether it swings, or is damped, faster than steps can tell: then it is led to rest.

    From there on half of its force alone, in a step, takes all that it is stretched.  Wires that only pull, and take
    turns with others on a single body, see less: each forgets what the others do in the step in which it gets slack.
    """
    cdef double fast = gamma * (w.stiffness * s.dt + w.damping) * s.dt * mobility
    return fast >= UNRESOLVED or (fast >= TAKING_TURNS and w.resists != BOTH and not pulls_alone(s, w))


cdef void settle_row(const Scene* s, Builder* b, const Wire* w, double theta, double gamma, double rate,
                     double rate_free, double half, double mobility, bint free_) noexcept nogil:
    """Velocities of the row begun last, along the wire; rates of its excess at the start, and without impulses.

    A wire that pulls in a part of the step alone does so by its mean force, (U+ - U) / (e+ - e) with its energy
    U = k max(0, e)^2 / 2, which makes none (a discrete gradient; Gonzalez, J. Nonlinear Sci. 1996).  As it gets taut,
    F = k e+^2 / (2 (e+ - e)) is convex, and no more than the line k e+ / 2, whatever else pulls; nor, of bodies that
    nothing else holds, than its chord up to where they would be without it, x.  As it gets slack,
    F = k e^2 / (2 (e - e+)) is convex: a tangent gives no more than was stored; this is the one where it would end.
    Not where others on its bodies may hold it taut: the tangent would give it less than it has at rest.
    """
    cdef double dt = s.dt, k = w.stiffness, c = w.damping, e = excess(w), taut = 1.0
    cdef double x = e + dt * ((1.0 - gamma) * rate + gamma * rate_free + half), y, slope
    cdef double A = dt * (k * (e + theta * dt * ((1.0 - gamma) * rate + half)) + (1.0 - theta) * c * rate)
    cdef double B = dt * theta * (k * gamma * dt + c)
    cdef int row = 3 * b.problem.n_cones + b.n_rows - 1
    if w.resists != BOTH and theta < 1.0:
        y = gamma * mobility * dt * dt                # what a unit force takes from e+
        if e < 0.0:
            if free_ and x > 0.0 and pulls_alone(s, w):
                taut = x / (x - e)
            A = dt * theta * taut * (k * (e + dt * ((1.0 - gamma) * rate + half)))
            B *= taut
        elif e > 0.0 > x - 0.5 * y * k * e and (e + dt * (rate + half) < 0.0 or pulls_alone(s, w)):
            x -= y * 0.5 * k * e * e / (e - min(x, 0.0))  # where it ends by the mean of both excesses
            x = min(x, 0.0)
            taut = e / (e - x)
            slope = 0.5 * k * taut * taut
            A = dt * (0.5 * k * e * taut + slope * (e + dt * ((1.0 - gamma) * rate + half) - x) + 0.5 * c * taut * rate)
            B = dt * (slope * gamma * dt + 0.5 * c * taut)
    b.v_start[row], b.v_free[row] = -rate - A / B, -rate_free - A / B
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / B


cdef inline double across_stiffness(const Wire* w) noexcept nogil:
    """What moving an end of a spring across it asks for [N/m]."""
    return w.stiffness * (1.0 - w.length / w.distance) if w.distance > 0.0 else w.stiffness


cdef int write_across(const Scene* s, Builder* b, Wire* w, double theta, double gamma, double k) except -1 nogil:
    """How a tense wire of two points holds its ends sideways: tension over distance is a stiffness k [N/m]."""
    cdef const BodyHandle* one = s.body + w.anchor[0].handle
    cdef const BodyHandle* other = s.body + w.anchor[1].handle
    cdef Vec3 now = sub3(start_motion_of(s, other, w.at[1]).v, start_motion_of(s, one, w.at[0]).v)
    cdef Vec3 end = sub3(free_motion_of(s, other, w.at[1]).v, free_motion_of(s, one, w.at[0]).v)
    cdef double B = theta * k * gamma * s.dt * s.dt, u, share = (1.0 - gamma) / gamma
    cdef int i
    w.across[0] = normal_to(w.pull[0])
    w.across[1] = cross3(w.pull[0], w.across[0])
    begin_block(b, BILATERAL, 2, Key(source=SPRING_SOURCE if w.kind == SPRING else WIRE_SOURCE, id_a=w.link.id,
                                     id_b=0, feature=1))
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / B if B > 0.0 else 1e300
    for i in range(2):
        u = dot3(w.across[i], now)
        add_row(b, -u - share * u, -dot3(w.across[i], end) - share * u)
        add_push(b, s, one, w.at[0], w.across[i], zero3())
        add_push(b, s, other, w.at[1], scale3(-1.0, w.across[i]), zero3())
    return 0


cdef int write_elastic(const Scene* s, Builder* b, Wire* w) except -1 nogil:
    """The row along it, and those across."""
    cdef bint free_ = flies(s, w) and not is_stiff(s, w, mobility_of_singles(s, w), 0.5)
    cdef double theta = 0.5, gamma = 0.5 if free_ else 1.0, sign = sign_of(w), rate, end, bend
    cdef double mobility
    cdef int i
    if free_:
        for i in range(w.n):
            w.way[i] = look_ahead_of(s, s.body + w.anchor[i].handle, w.at + i)
        if not w.turns:
            measure(w, w.way)
    rate = start_rate(s, w)
    find_free_rate(s, w, &end, &bend)
    bend *= 0.5 * s.dt * sign
    if w.turns:                                  # the force across has the rest
        bend *= w.length / w.distance if w.distance > 0.0 else 0.0
    elif free_:
        bend = 0.0
    begin_row(b, BILATERAL if w.resists == BOTH else UNILATERAL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -INFINITY,
              Key(source=SPRING_SOURCE if w.kind == SPRING else WIRE_SOURCE, id_a=w.link.id, id_b=0, feature=0))
    for i in range(w.n):
        add_push(b, s, s.body + w.anchor[i].handle, w.at[i], scale3(sign, w.pull[i]), zero3())
    mobility = mobility_of_singles(s, w) + mobility_by_robots(b)
    w.stops = not free_ and is_stiff(s, w, mobility, gamma)
    if w.stops:
        theta = 1.0
    settle_row(s, b, w, theta, gamma, sign * rate, sign * end, bend, mobility, free_)
    if w.turns:
        write_across(s, b, w, theta, gamma, across_stiffness(w))
    write_turning(s, b, w, free_)
    return 0


cdef void read_elastic(const Scene* s, Wire* w, const ContactProblem* p, int block, bint outside) noexcept nogil:
    """Give the impulses of one of its blocks to the bodies: to single ones as a part of their free motion."""
    cdef const BodyHandle* body
    cdef Vec3 impulse
    cdef int i, r, row = p.block[block].first_row
    if p.block[block].key.feature == 0:
        w.link.next.impulse[0] = p.impulse[row]
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        if p.block[block].key.feature == 0:
            impulse = scale3(sign_of(w) * p.impulse[row], w.pull[i])
        else:
            impulse = add3(scale3(p.impulse[row], w.across[0]), scale3(p.impulse[row + 1], w.across[1]))
            impulse = impulse if i == 0 else scale3(-1.0, impulse)
        if is_first_of_system(s, w.anchor, i):
            for r in range(p.block[block].rows):
                gather_row(p, row + r, s.system + body.index)
        if i == w.n - 1:
            note_wrench(&w.link.next, zero3(), impulse)
        if w.stops:
            push_body(s, body, w.at[i], impulse, zero3(), outside)
            if body.kind == SINGLE_BODY:
                s.single_scratch[body.index].in_contact = True
        else:
            bend_freely(s, body, w.at[i], impulse, outside)
