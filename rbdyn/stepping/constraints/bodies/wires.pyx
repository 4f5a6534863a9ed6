"""Wires: the way along their anchors is at most, or at least, so long.

The velocity of a row is that at which a wire slackens, -d(distance)/dt.  A wire that is slack may come to its length in
a step, and no further, as a gap between bodies may close.  Impulses act along the wire as it runs at the start of the
step, and bodies move on by the velocity that results: their way along the old direction bends away from it by dt / 2
of the distance's second derivative, which the row counts with.  So a taut rope that turns neither stretches nor loses
energy (Ryckaert, Ciccotti, Berendsen 1977, to the order of the step).
"""

from libc.math cimport fabs, sqrt

from rbdyn.contact.problem cimport BILATERAL, UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport position_target, target_velocity
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, sub3, zero3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_push, begin_row, gather_row
from rbdyn.stepping.links cimport WIRE_LINK
from rbdyn.stepping.points cimport PointMotion, free_motion_of, place_of, push_body, start_motion_of
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, SingleScratch
from rbdyn.stepping.touch cimport in_one_tree

cdef double REACH = 50.0      # change of velocity in a step that others are expected to stay below [m/s]
cdef double MARGIN = 1e-4     # slack below which a wire counts as taut [m]


cdef inline Wire* wire_of(const Scene* s, int k) noexcept nogil:
    return <Wire*> s.link[WIRE_LINK].item[k]


cdef double measure(Wire* w, const Vec3* at) noexcept nogil:
    """The way along these points [m]; writes what a unit tension does to them."""
    cdef double distance = 0.0, d
    cdef Vec3 way
    cdef int i
    for i in range(w.n):
        w.pull[i] = zero3()
    for i in range(w.n - 1):
        way = sub3(at[i + 1], at[i])
        d = sqrt(dot3(way, way))
        distance += w.falls[i] * d
        if d > 0.0:
            way = scale3(w.falls[i] / d, way)
            w.pull[i] = add3(w.pull[i], way)
            w.pull[i + 1] = sub3(w.pull[i + 1], way)
    return distance


cdef inline double sweep(Vec3 way, Vec3 v, double dt) noexcept nogil:
    """Second derivative of the distance between points at constant velocity [m/s^2]; less if they pass each other."""
    cdef double d = sqrt(dot3(way, way)), along, across
    if d == 0.0:
        return 0.0
    along = dot3(way, v) / d
    across = dot3(v, v) - along * along
    return across / max(d, dt * sqrt(max(across, 0.0))) if across > 0.0 else 0.0


cdef void look_at_wire(const Scene* s, Wire* w) noexcept nogil:
    """How it runs at the start of the step, how its length changes, and whether it may act."""
    cdef double gap, fall
    cdef int i
    for i in range(w.n):
        w.at[i] = place_of(s, w.anchor + i)
    w.distance = measure(w, w.at)
    w.rate = 0.0
    for i in range(w.n):
        w.rate -= dot3(w.pull[i], start_motion_of(s, s.body + w.anchor[i].handle, w.at[i]).v)
    gap = -excess(w)
    fall = sqrt(dot3(s.gravity, s.gravity)) * s.dt * s.dt
    w.link.near = w.resists == BOTH or gap <= s.dt * (fabs(w.rate) + REACH)
    w.link.holds = w.resists == BOTH or gap <= s.dt * fabs(w.rate) + fall + MARGIN
    w.before = 0.0


cdef void look_at_wires(const Scene* s) noexcept nogil:
    """The wires of a step that begins: which may act."""
    cdef int k
    for k in range(s.link[WIRE_LINK].n):
        look_at_wire(s, wire_of(s, k))


cdef Count count_wires(const Scene* s) noexcept nogil:
    """A row for each one that may act."""
    cdef int k, n = 0
    for k in range(s.link[WIRE_LINK].n):
        n += wire_of(s, k).link.near
    return Count(cones=0, blocks=n, rows=n)


cdef inline double stretch_target(const Scene* s, double depth) noexcept nogil:
    """How fast a length that is kept from both sides is to be corrected [m/s]."""
    cdef double speed = s.erp * depth / s.dt
    return min(max(speed, -s.erp_speed), s.erp_speed)


cdef void find_free_rate(const Scene* s, const Wire* w, double* rate, double* bend) noexcept nogil:
    """The rate of its length at the end of the step without constraint impulses, and how that changes [m/s^2]."""
    cdef PointMotion now, last
    cdef int i
    rate[0] = bend[0] = 0.0
    for i in range(w.n):
        now = free_motion_of(s, s.body + w.anchor[i].handle, w.at[i])
        rate[0] -= dot3(w.pull[i], now.v)
        bend[0] -= dot3(w.pull[i], now.a)
        if i > 0:
            bend[0] += w.falls[i - 1] * sweep(sub3(w.at[i], w.at[i - 1]), sub3(now.v, last.v), s.dt)
        last = now


cdef int write_wire(const Scene* s, Builder* b, Wire* w) except -1 nogil:
    """The velocity at which it slackens in the middle of the step's motion, less its target."""
    cdef double sign = sign_of(w), depth = excess(w), rate, bend, half, now, free_, target = 0.0, part
    cdef Key key = Key(source=WIRE_SOURCE, id_a=w.link.id, id_b=0, feature=0)
    cdef int i
    find_free_rate(s, w, &rate, &bend)
    half = -0.5 * s.dt * sign * bend
    now, free_ = -sign * w.rate - half, -sign * rate + half
    if w.resists == BOTH:
        part = stretch_target(s, depth)
        begin_row(b, BILATERAL, 0.0, 0.0, now, free_, 0.0, 0.0, part, key)
    else:
        target = target_velocity(-now, depth, s.dt, w.restitution, 0.0)
        part = position_target(depth, s.dt, s.erp, s.slop, s.erp_speed)
        begin_row(b, UNILATERAL, 0.0, 0.0, now, free_, depth, target, part, key)
    if target > 0.0:
        w.before = min(0.5, (max(-depth, 0.0) / s.dt + target) / (target - now))
    for i in range(w.n):
        add_push(b, s, s.body + w.anchor[i].handle, w.at[i], scale3(sign, w.pull[i]), zero3())
    return 0


cdef int write_wires(const Scene* s, Builder* b) except -1 nogil:
    cdef int k
    for k in range(s.link[WIRE_LINK].n):
        if wire_of(s, k).link.near:
            write_wire(s, b, wire_of(s, k))
    return 0


cdef bint is_outside(const Scene* s, const Wire* w) noexcept nogil:
    """Whether it connects more than bodies of one tree."""
    cdef int i
    for i in range(1, w.n):
        if not in_one_tree(s, s.body + w.anchor[0].handle, s.body + w.anchor[i].handle):
            return True
    return False


cdef inline bint is_first(const Scene* s, const Wire* w, int i) noexcept nogil:
    """Whether no anchor before is on the same system."""
    cdef int k
    for k in range(i):
        if s.body[w.anchor[k].handle].kind == SYSTEM_BODY and (
                s.body[w.anchor[k].handle].index == s.body[w.anchor[i].handle].index):
            return False
    return True


cdef inline void hold_single(SingleScratch* b, const Wire* w) noexcept nogil:
    """It moves with its new velocity; thrown back, by the old one until the wire is taut, and then by the new one."""
    if w.before > 0.0:
        b.before = min(b.before, w.before)
    else:
        b.in_contact = True


cdef void apply_tension(const Scene* s, Wire* w, const ContactProblem* p, int row) noexcept nogil:
    """Give the impulse of its row to the bodies."""
    cdef const BodyHandle* body
    cdef double impulse = sign_of(w) * p.impulse[row]
    cdef bint outside = is_outside(s, w)
    cdef int i
    for i in range(w.n):
        body = s.body + w.anchor[i].handle
        if body.kind == SYSTEM_BODY and is_first(s, w, i):
            gather_row(p, row, s.system + body.index)
        push_body(s, body, w.at[i], scale3(impulse, w.pull[i]), zero3(), outside)
        if body.kind == SINGLE_BODY:
            hold_single(s.single_scratch + body.index, w)


cdef void read_wires(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the bodies, and keep them."""
    cdef Wire* w
    cdef int i, k = 0
    for i in range(share.block, share.block_end):
        w = wire_of(s, k)
        while w.link.id != p.block[i].key.id_a:
            k += 1
            w = wire_of(s, k)
        if p.impulse[p.block[i].first_row] != 0.0:
            w.link.next.impulse[0] = p.impulse[p.block[i].first_row]
            apply_tension(s, w, p, p.block[i].first_row)
