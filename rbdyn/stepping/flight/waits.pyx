"""Bodies that wait for each other at the end of a step: waits.pxd."""

from libc.math cimport fmax, fmin, sqrt

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.collision.motion.path cimport moved
from rbdyn.collision.motion.rest_of_step cimport Mover, free_share
from rbdyn.collision.shape_table cimport Table
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, add_m, cross3, dot3, motion, scale3, sub3, zero3
from rbdyn.stepping.flight.meetings cimport blow_time, flier
from rbdyn.stepping.scene cimport SYSTEM_BODY, BodyHandle, Scene, SingleScratch, System
from rbdyn.stepping.single cimport Single, angular_momentum, mean_spin, single_of

cdef double PART = 0.2             # [rad] in parts of which what tumbles is followed, each about one axis
cdef double FASTER = 0.1           # share of its velocity, at most, that what waits gains where it would fall up
cdef enum:
    MAX_PARTS = 64                 # of a step
    ROUNDS = 8                     # over all pairs, in which what waits is led past what it would go into


cdef Motion velocity_of(const Scene* s, int body) noexcept nogil:
    """How a body turns and its origin moves after the blow, world axes [rad/s], [m/s]."""
    cdef const BodyHandle* b = s.body + body
    cdef const SingleScratch* w = flier(s, body)
    cdef const System* r
    cdef Motion v
    if w != NULL:
        return motion(add3(w.w_free, w.dw), add3(w.v_free, w.dv))
    if b.kind != SYSTEM_BODY or not s.system[b.index].work.active:
        return motion(scale3(1.0 / s.dt, s.motion[body].w), scale3(1.0 / s.dt, s.motion[body].v))
    r = s.system + b.index
    v = add_m(r.work.twist[b.body], r.work.change[b.body])
    return motion(v.w, add3(v.v, cross3(v.w, sub3(r.d.p[b.body], r.work.origin))))


cdef Mover mover_of(const Scene* s, int shape, int body, double at) noexcept nogil:
    """A shape from the blow on, after the share `at` of the step."""
    cdef const SingleScratch* w = flier(s, body)
    cdef Motion v = velocity_of(s, body)
    cdef double left = (1.0 - at) * s.dt
    cdef Mover m
    m.shape, m.pose = shape, moved(s.pose + body, s.motion + body, at)
    if w != NULL:
        m.pose.R = w.R_met
    m.motion = motion(scale3(left, v.w), scale3(left, v.v))
    return m


cdef bint begins_pair(const Scene* s, int i) noexcept nogil:
    """Whether contact i is the first one of its shapes."""
    cdef const ContactPoint* c = s.contacts.point + i
    return i == 0 or c.shape_a != (c - 1).shape_a or c.shape_b != (c - 1).shape_b


cdef int first_of(const Scene* s, int k) noexcept nogil:
    """Of those that wait with single body k, the one that stands for all."""
    while s.single_scratch[k].company != k:
        k = s.single_scratch[k].company
    return k


cdef void wait_together(Scene* s, int a, int b, double share) noexcept nogil:
    """Two single bodies wait for each other after a share of the rest of the step."""
    cdef SingleScratch* low
    cdef SingleScratch* high
    a, b = first_of(s, a), first_of(s, b)
    low, high = s.single_scratch + min(a, b), s.single_scratch + max(a, b)
    high.company = min(a, b)
    low.moving = fmin(share, fmin(low.moving, high.moving))
    if high.anchored and not low.anchored:
        low.anchored, low.held = True, high.held


cdef void wait_for(Scene* s, int k, double share, Vec3 speed) noexcept nogil:
    """A single body waits for what moves at this speed [m/s], whatever it does."""
    cdef SingleScratch* first = s.single_scratch + first_of(s, k)
    first.moving = fmin(share, first.moving)
    first.anchored, first.held = True, speed


cdef Vec3 speed_at(const Scene* s, int body, const Mover* m, Vec3 at) noexcept nogil:
    """World velocity of a body's point after the blow [m/s]."""
    cdef Motion v = velocity_of(s, body)
    return add3(v.v, cross3(v.w, sub3(at, m.pose.p)))


cdef bint tumbles(const Scene* s, int body) noexcept nogil:
    """Whether its angular velocity changes as it turns."""
    return flier(s, body) != NULL and not s.single[s.body[body].index].isotropic


cdef Motion part_of(const Scene* s, int body, const Mover* m, const Motion* v, double time) noexcept nogil:
    """How a body moves next, for this time, with the momentum that it has after the blow [rad], [m]."""
    cdef Motion way = motion(scale3(time, v.w), scale3(time, v.v))
    cdef Single b
    cdef Vec3 L
    if tumbles(s, body):
        b = single_of(s, s.body[body].index)
        L = angular_momentum(&b, &b.work.R_met, v.w)
        way.w = scale3(time, mean_spin(&m.pose.R, &b.body.inverse_I_b, L, time))
    return way


cdef double free_share_of_turn(const Scene* s, const Table* shapes, const ContactPoint* c, double at, Mover a, Mover b,
                               ContactBuffer* room) noexcept nogil:
    """free_share of two bodies from a blow on, each turning as its momentum says."""
    cdef double turn = 0.0, left = (1.0 - at) * s.dt, share
    cdef Motion v_a = velocity_of(s, c.body_a), v_b = velocity_of(s, c.body_b)
    cdef int k, n
    if tumbles(s, c.body_a):
        turn = sqrt(dot3(a.motion.w, a.motion.w))
    if tumbles(s, c.body_b):
        turn = fmax(turn, sqrt(dot3(b.motion.w, b.motion.w)))
    n = <int> fmin(1.0 + turn / PART, MAX_PARTS)
    if n == 1:
        return free_share(shapes, &a, &b, room, NULL)
    for k in range(n):
        a.motion = part_of(s, c.body_a, &a, &v_a, left / n)
        b.motion = part_of(s, c.body_b, &b, &v_b, left / n)
        share = free_share(shapes, &a, &b, room, NULL)
        if share < 1.0:
            return (k + share) / n
        a.pose, b.pose = moved(&a.pose, &a.motion, 1.0), moved(&b.pose, &b.motion, 1.0)
    return 1.0


cdef void meet_again(Scene* s, const Table* shapes, const ContactPoint* c, ContactBuffer* room) noexcept nogil:
    """Let the two bodies of a contact wait for each other, if they would be in each other in this step."""
    cdef double at = blow_time(s, c), share
    cdef Mover a, b
    if flier(s, c.body_a) == NULL and flier(s, c.body_b) == NULL:
        return
    a, b = mover_of(s, c.shape_a, c.body_a, at), mover_of(s, c.shape_b, c.body_b, at)
    share = free_share_of_turn(s, shapes, c, at, a, b, room)
    if share >= 1.0:
        return
    if flier(s, c.body_a) == NULL:
        wait_for(s, s.body[c.body_b].index, share, speed_at(s, c.body_a, &a, c.position))
    elif flier(s, c.body_b) == NULL:
        wait_for(s, s.body[c.body_a].index, share, speed_at(s, c.body_b, &b, c.position))
    else:
        wait_together(s, s.body[c.body_a].index, s.body[c.body_b].index, share)


cdef void add_momenta(Scene* s) noexcept nogil:
    """Mass and momentum of those that wait together, at the first of them."""
    cdef SingleScratch* w
    cdef SingleScratch* first
    cdef int k, i
    for i in range(s.n_movers):
        k = s.mover[i]
        w = s.single_scratch + k
        if w.blow.falls and w.blow.fast:
            first = s.single_scratch + first_of(s, k)
            first.together += s.single[k].mass
            first.drift = add3(first.drift, scale3(s.single[k].mass, add3(w.v_free, w.dv)))


# ---- where those go that wait at what no impulse moves --------------------------------------------

cdef SingleScratch* waits_with(const Scene* s, int body) noexcept nogil:
    """The first of those that a body waits with; NULL if it does not wait."""
    cdef SingleScratch* first
    if flier(s, body) == NULL:
        return NULL
    first = s.single_scratch + first_of(s, s.body[body].index)
    return first if first.moving < 1.0 else NULL


cdef bint drifts_freely(const Scene* s, const SingleScratch* first, int body) noexcept nogil:
    """Whether a body is a single one and goes the way of its own centre of mass, or of those it waits with."""
    return flier(s, body) != NULL and (first == NULL or not first.anchored)


cdef double pause_of(const SingleScratch* first, double at) noexcept nogil:
    """After which share of the step those wait that go on from the share `at`."""
    return at if first == NULL else at + (1.0 - at) * first.moving


cdef Mover waiting(const Scene* s, const SingleScratch* first, int shape, int body, double at,
                   double since) noexcept nogil:
    """A shape from the share `since` of the step on; `first` is of those that its body waits with, if it does."""
    cdef Mover m = mover_of(s, shape, body, at)
    cdef double pause = pause_of(first, at) if first != NULL else since, done = (pause - at) / (1.0 - at)
    m.pose = moved(&m.pose, &m.motion, done)
    if first == NULL:
        m.motion = motion(scale3(1.0 - done, m.motion.w), scale3(1.0 - done, m.motion.v))
        return m
    m.pose.p = add3(m.pose.p, scale3((since - pause) * s.dt, first.drift))
    m.motion = motion(zero3(), scale3((1.0 - since) * s.dt, first.drift))
    return m


cdef Vec3 shift_of(const Mover* m, Vec3 at) noexcept nogil:
    """How far a point moves [m]."""
    return add3(m.motion.v, cross3(m.motion.w, sub3(at, m.pose.p)))


cdef void tie(const Scene* s, SingleScratch* first, int other, const Mover* m, Vec3 at) noexcept nogil:
    """Note that those that wait with `first` wait for another body, too."""
    if first != NULL and not first.anchored:
        first.anchored, first.held = True, speed_at(s, other, m, at)


cdef bint lead_past(Scene* s, const Table* shapes, const ContactPoint* c, bint again,
                    ContactBuffer* room) noexcept nogil:
    """Take from the drift of what waits what would lead it into the other body of a contact; whether there was some.

    Not `again`: they do not move against what they wait for.
    """
    cdef SingleScratch* first_a = waits_with(s, c.body_a)
    cdef SingleScratch* first_b = waits_with(s, c.body_b)
    cdef double at = blow_time(s, c), since = fmax(pause_of(first_a, at), pause_of(first_b, at)), speed
    cdef ContactPoint entry
    cdef Mover a, b
    if first_a == first_b or drifts_freely(s, first_a, c.body_a) and drifts_freely(s, first_b, c.body_b):
        return False
    a = waiting(s, first_a, c.shape_a, c.body_a, at, since)
    b = waiting(s, first_b, c.shape_b, c.body_b, at, since)
    if free_share(shapes, &a, &b, room, &entry) >= 1.0:
        return False
    speed = dot3(entry.normal, sub3(shift_of(&a, entry.position), shift_of(&b, entry.position)))
    speed /= (1.0 - since) * s.dt
    tie(s, first_a, c.body_b, &b, entry.position)
    tie(s, first_b, c.body_a, &a, entry.position)
    if not again or speed >= 0.0:
        if first_a != NULL:
            first_a.drift = first_a.held
        if first_b != NULL:
            first_b.drift = first_b.held
        return True
    if first_a != NULL and first_b != NULL:
        speed *= 0.5
    if first_a != NULL:
        first_a.drift = sub3(first_a.drift, scale3(speed, entry.normal))
    if first_b != NULL:
        first_b.drift = add3(first_b.drift, scale3(speed, entry.normal))
    return True


cdef void lead_all_past(Scene* s, const Table* shapes, ContactBuffer* room) noexcept nogil:
    """Drifts of what waits for what no impulse moves that lead into nothing that it touches."""
    cdef bint news = True
    cdef int i, k
    for i in range(ROUNDS):
        if not news:
            return
        news = False
        for k in range(s.contacts.n):
            if begins_pair(s, k):
                news |= lead_past(s, shapes, s.contacts.point + k, i < ROUNDS - 1, room)


cdef void take_back(Scene* s, int k, const SingleScratch* first) noexcept nogil:
    """Leave a single body that waits the energy that forces give it on the way that it goes.

    In a frame in which what it waits for stands still, and the body has the velocity (1 + c) u and the energy
    (1 + c)^2 E: that is to be less than E by what forces F do on the way from here to where it would fall freely,
    which has the part -c F . u x time in it.
    """
    cdef Single b = single_of(s, k)
    cdef SingleScratch* w = b.work
    cdef Vec3 v = add3(w.v_free, w.dv), turn = add3(w.w_free, w.dw), u = sub3(v, first.held)
    cdef double m = b.body.mass, t = w.blow.at * s.dt, rest = s.dt - t, lost = (1.0 - first.moving) * rest
    cdef Vec3 force = scale3(m / s.dt, sub3(w.v_free, b.state.v)), missed = scale3(lost, sub3(v, first.drift))
    cdef double energy = 0.5 * (m * dot3(u, u) + dot3(turn, angular_momentum(&b, &w.R_met, turn)))
    cdef double work, slope, root, change = -1.0
    if not w.in_contact:
        missed = add3(missed, scale3(0.5 * (t * t - rest * rest) / m, force))
    work = dot3(force, missed)
    if w.in_contact and work <= 0.0:
        return
    slope = 2.0 * energy - (rest - lost) * dot3(force, u)
    root = slope * slope - 4.0 * energy * work
    if slope > 0.0 and root >= 0.0:
        change = fmin(-2.0 * work / (slope + sqrt(root)), FASTER)
    w.dv = add3(w.dv, scale3(change, u))
    w.dw = add3(w.dw, scale3(change, turn))


cdef int find_waits(Scene* s, const Table* shapes, ContactBuffer* room) except -1 nogil:
    """Write `moving` and `drift` of all that meets something fast; `room` is for looks at shapes."""
    cdef SingleScratch* w
    cdef SingleScratch* first
    cdef int k, i
    for i in range(s.n_movers):
        k = s.mover[i]
        w = s.single_scratch + k
        w.company, w.anchored, w.together = k, False, 0.0
    for k in range(s.contacts.n):
        if s.contacts.point[k].fast and begins_pair(s, k):
            meet_again(s, shapes, s.contacts.point + k, room)
    add_momenta(s)
    for i in range(s.n_movers):
        k = s.mover[i]
        w = s.single_scratch + k
        if w.blow.falls and w.blow.fast and w.company == k:
            w.drift = scale3(1.0 / w.together, w.drift)
    lead_all_past(s, shapes, room)
    for i in range(s.n_movers):
        k = s.mover[i]
        w = s.single_scratch + k
        if w.blow.falls and w.blow.fast:
            first = s.single_scratch + first_of(s, k)
            if first.anchored:
                take_back(s, k, first)
            w.moving, w.drift, w.anchored = first.moving, first.drift, first.anchored
    return 0
