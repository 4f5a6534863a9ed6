"""Wires: the way along their anchors is at most, or at least, so long.

The velocity of a row is that at which a wire slackens, -d(distance)/dt.  A wire that is slack may come to its length in
a step, and no further, as a gap between bodies may close.  Impulses act along the wire as it runs at the start of the
step, and bodies move on by the velocity that results: their way along the old direction bends away from it by dt / 2
of the distance's second derivative, which the row counts with.  So a taut rope that turns neither stretches nor loses
energy (Ryckaert, Ciccotti, Berendsen 1977, to the order of the step).  With a winch all of this is seen from the drum,
which lets the wire out at its speed.
"""

from libc.math cimport fabs, sqrt

from rbdyn.contact.problem cimport BILATERAL, UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport arriving_velocity, position_target
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, sub3, zero3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_push, begin_row, bend_row, gather_row
from rbdyn.stepping.constraints.bodies.elastic cimport find_free_rate, read_elastic, write_across, write_elastic
from rbdyn.stepping.constraints.bodies.wire cimport (
    BOTH, COMPLIANT, CUSTOM, SPRING, STIFF, TURNING, WIRE_SOURCE, Wire, excess, last_tension, measure, share_of_part,
    sign_of, start_rate, tension_of, wire_of,
)
from rbdyn.stepping.constraints.bodies.turning cimport (
    clear_turning, count_turning, find_turning, note_turning, read_turning, turned_mobility,
)
from rbdyn.stepping.links cimport WIRE_LINK
from rbdyn.stepping.points cimport is_first_of_system, note_wrench, place_of, push_body, start_motion_of
from rbdyn.stepping.rest cimport link_sleeps
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, SingleScratch
from rbdyn.stepping.touch cimport in_one_tree

cdef double REACH = 50.0      # change of velocity in a step that others are expected to stay below [m/s]
cdef double STRING = 1.0      # (w dt)^2 of a swing across a wire beyond which it is damped; unstable from 4 on
cdef double SLOW_STRING = 0.1  # likewise of a compliant wire, which swings on: several may hold one body
cdef double MARGIN = 1e-4     # slack below which a wire counts as taut [m]


cdef bint hangs_on_robots(const Scene* s, const Wire* w) noexcept nogil:
    cdef int i
    for i in range(w.n):
        if s.body[w.anchor[i].handle].kind == SYSTEM_BODY:
            return True
    return False


cdef bint is_taut_string(const Scene* s, const Wire* w) noexcept nogil:
    """Whether light single bodies on it would swing across it faster than steps tell.

    The frequency is sqrt(T / (d m)).  Its direction is that of the start of the step, or of its middle, so that this
    swing is explicit: it would grow.  A wire between such bodies holds them sideways, implicitly, by T / d a metre.
    """
    cdef const BodyHandle* body
    cdef double mobility = 0.0, tension = tension_of(w)
    cdef int i
    if w.kind == SPRING or w.n != 2 or not tension > 0.0 or not w.distance > 0.0:
        return False
    for i in range(2):
        body = s.body + w.anchor[i].handle
        if body.kind == SINGLE_BODY and s.single[body.index].type == DYNAMIC:
            mobility += 1.0 / s.single[body.index].mass
            if w.kind == COMPLIANT:
                mobility += turned_mobility(s, w, i)
    return tension * s.dt * s.dt * mobility > (STRING if w.kind == STIFF else SLOW_STRING) * w.distance


cdef void fade_short_parts(const Scene* s, Wire* w) noexcept nogil:
    """What a unit tension does, less that of parts between anchors which may pass each other in this step.

    Such a part has no direction that lasts for the step: pulled along it, its ends meet and part again on the other
    side, again and again, while the rest of the wire grows.  The shorter it is, the less it counts.
    """
    cdef Vec3 v, last = start_motion_of(s, s.body + w.anchor[0].handle, w.at[0]).v, way
    cdef double d
    cdef int i
    for i in range(1, w.n):
        v = start_motion_of(s, s.body + w.anchor[i].handle, w.at[i]).v
        way = sub3(w.at[i], w.at[i - 1])
        last = sub3(v, last)
        d = sqrt(dot3(way, way))
        w.share[i - 1] = share_of_part(d, s.dt * sqrt(dot3(last, last)) + max(0.0, excess(w) - w.falls[i - 1] * d))
        last = v
        if w.share[i - 1] < 1.0:
            way = scale3((1.0 - w.share[i - 1]) * w.falls[i - 1] / d if d > 0.0 else 0.0, way)
            w.pull[i - 1] = sub3(w.pull[i - 1], way)
            w.pull[i] = add3(w.pull[i], way)


cdef void look_at_wire(const Scene* s, Wire* w) noexcept nogil:
    """How it runs at the start of the step, how its length changes, and whether it may act.

    What is elastic leaves single bodies in flight; robots move with it as in contact.
    """
    cdef double gap, fall
    cdef int i
    if link_sleeps(s, &w.link):
        w.link.near = w.link.holds = w.turns = False
        return
    if w.kind == CUSTOM:
        w.link.next.impulse[0] = s.dt * w.tension
        note_wrench(&w.link.next, zero3(), scale3(s.dt * w.tension, w.pull[w.n - 1]))
        return
    for i in range(w.n):
        w.at[i] = place_of(s, w.anchor + i)
    w.distance = measure(w, w.at)
    for i in range(w.n - 1):
        w.share[i] = 1.0
    if w.kind == STIFF and w.n > 2:
        fade_short_parts(s, w)
    w.rate = start_rate(s, w)
    w.before = 0.0
    gap = -excess(w)
    fall = sqrt(dot3(s.gravity, s.gravity)) * s.dt * s.dt
    w.link.near = w.resists == BOTH or gap <= s.dt * (fabs(w.rate - w.speed) + REACH)
    w.link.holds = w.link.near and (w.resists == BOTH or gap <= s.dt * fabs(w.rate - w.speed) + fall + MARGIN) and (
        w.kind == STIFF or hangs_on_robots(s, w))
    w.turns = w.kind == SPRING and w.distance >= w.length or is_taut_string(s, w)


cdef void look_at_wires(const Scene* s) noexcept nogil:
    """The wires of a step that begins: which may act, and which turn bodies fast, together with others."""
    cdef int k
    for k in range(s.link[WIRE_LINK].n):
        look_at_wire(s, wire_of(s, k))
        clear_turning(s, wire_of(s, k))
    for k in range(s.link[WIRE_LINK].n):
        note_turning(s, wire_of(s, k))
    for k in range(s.link[WIRE_LINK].n):
        find_turning(s, wire_of(s, k))


cdef Count count_wires(const Scene* s) noexcept nogil:
    """A row for each one that may act, two more across a spring, and about each body that it turns fast."""
    cdef Count count = Count(0, 0, 0)
    cdef const Wire* w
    cdef int k, blocks
    for k in range(s.link[WIRE_LINK].n):
        w = wire_of(s, k)
        if w.link.near:
            blocks = w.turns + count_turning(w)
            count.blocks += 1 + blocks
            count.rows += 1 + 2 * blocks
    return count


cdef inline double stretch_target(const Scene* s, double depth) noexcept nogil:
    """How fast a length that is kept from both sides is to be corrected [m/s]."""
    cdef double speed = s.erp * depth / s.dt
    return min(max(speed, -s.erp_speed), s.erp_speed)


cdef int write_stiff(const Scene* s, Builder* b, Wire* w) except -1 nogil:
    """The velocity at which it slackens in the middle of the step's motion, less its target."""
    cdef double sign = sign_of(w), depth = excess(w), rate, bend, half, now, free_, target = 0.0, part
    cdef Key key = Key(source=WIRE_SOURCE, id_a=w.link.id, id_b=0, feature=0)
    cdef int i
    find_free_rate(s, w, &rate, &bend)
    half = -0.5 * s.dt * sign * bend
    now, free_ = -sign * (w.rate - w.speed), -sign * (rate - w.speed)
    if w.resists == BOTH:
        part = stretch_target(s, depth)
        begin_row(b, BILATERAL, 0.0, 0.0, now, free_, 0.0, 0.0, part, key)
    else:
        target = arriving_velocity(half - now, half - free_, -depth, s.dt, w.restitution, True)
        part = position_target(depth, s.dt, s.erp, s.slop, s.erp_speed)
        begin_row(b, UNILATERAL, 0.0, 0.0, now, free_, depth, target, part, key)
    bend_row(b, half, &w.link)
    if target > 0.0:
        w.before = min(0.5, (max(-depth, 0.0) / s.dt + target) / (target + half - now))
    for i in range(w.n):
        add_push(b, s, s.body + w.anchor[i].handle, w.at[i], scale3(sign, w.pull[i]), zero3())
    w.stops = w.turns
    if w.turns:
        write_across(s, b, w, 1.0, 1.0, last_tension(w) / w.distance)
    return 0


cdef int write_wires(const Scene* s, Builder* b) except -1 nogil:
    """First wires, then springs: keys ascend."""
    cdef Wire* w
    cdef int k
    for k in range(s.link[WIRE_LINK].n):
        w = wire_of(s, k)
        if w.link.near and w.kind == STIFF:
            write_stiff(s, b, w)
        elif w.link.near and w.kind != SPRING:
            write_elastic(s, b, w)
    for k in range(s.link[WIRE_LINK].n):
        w = wire_of(s, k)
        if w.link.near and w.kind == SPRING:
            write_elastic(s, b, w)
    return 0


cdef bint is_outside(const Scene* s, const Wire* w) noexcept nogil:
    """Whether it connects more than bodies of one tree."""
    cdef int i
    for i in range(1, w.n):
        if not in_one_tree(s, s.body + w.anchor[0].handle, s.body + w.anchor[i].handle):
            return True
    return False


cdef inline void hold_single(SingleScratch* b, const Wire* w) noexcept nogil:
    """It moves with its new velocity; thrown back, by the old one until the wire is taut, and then by the new one."""
    if w.before > 0.0:
        b.before = min(b.before, w.before)
    else:
        b.in_contact = True


cdef void read_stiff(const Scene* s, Wire* w, const ContactProblem* p, int row) noexcept nogil:
    """Give the impulse of its row to the bodies, and keep it."""
    cdef const BodyHandle* body
    cdef double impulse = sign_of(w) * p.impulse[row]
    cdef bint outside = is_outside(s, w)
    cdef int i
    w.link.next.impulse[0] = p.impulse[row]
    note_wrench(&w.link.next, zero3(), scale3(impulse, w.pull[w.n - 1]))
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        if is_first_of_system(s, w.anchor, i):
            gather_row(p, row, s.system + body.index)
        push_body(s, body, w.at[i], scale3(impulse, w.pull[i]), zero3(), outside)
        if body.kind == SINGLE_BODY:
            hold_single(s.single_scratch + body.index, w)


cdef void read_wires(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Block by block, in the order in which they were written."""
    cdef Wire* w
    cdef int i, k = 0
    for i in range(share.block, share.block_end):
        if i > share.block and p.block[i].key.source != p.block[i - 1].key.source:
            k = 0
        w = wire_of(s, k)
        while w.link.id != p.block[i].key.id_a:
            k += 1
            w = wire_of(s, k)
        if p.block[i].key.feature >= TURNING:
            read_turning(s, w, p, i, is_outside(s, w))
        elif w.kind == STIFF and p.block[i].key.feature == 0:
            if p.impulse[p.block[i].first_row] != 0.0:
                read_stiff(s, w, p, p.block[i].first_row)
        else:
            read_elastic(s, w, p, i, is_outside(s, w))
