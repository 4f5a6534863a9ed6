"""Bodies that wait for each other at the end of a step: waits.pxd."""

from libc.math cimport fmin

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.collision.motion.path cimport moved
from rbdyn.collision.motion.rest_of_step cimport Mover, free_share
from rbdyn.collision.shape_table cimport Table
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, add_m, cross3, motion, scale3, sub3
from rbdyn.stepping.flight.meetings cimport blow_time, flier
from rbdyn.stepping.scene cimport SYSTEM_BODY, BodyHandle, Scene, SingleScratch, System


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
        low.anchored, low.drift = True, high.drift


cdef void wait_for(Scene* s, int k, double share, Vec3 speed) noexcept nogil:
    """A single body waits for what moves at this speed [m/s], whatever it does."""
    cdef SingleScratch* first = s.single_scratch + first_of(s, k)
    first.moving = fmin(share, first.moving)
    first.anchored, first.drift = True, speed


cdef Vec3 speed_at(const Scene* s, int body, const Mover* m, Vec3 at) noexcept nogil:
    """World velocity of a body's point after the blow [m/s]."""
    cdef Motion v = velocity_of(s, body)
    return add3(v.v, cross3(v.w, sub3(at, m.pose.p)))


cdef void meet_again(Scene* s, const Table* shapes, const ContactPoint* c, ContactBuffer* room) noexcept nogil:
    """Let the two bodies of a contact wait for each other, if they would be in each other in this step."""
    cdef double at = blow_time(s, c), share
    cdef Mover a, b
    if flier(s, c.body_a) == NULL and flier(s, c.body_b) == NULL:
        return
    a, b = mover_of(s, c.shape_a, c.body_a, at), mover_of(s, c.shape_b, c.body_b, at)
    share = free_share(shapes, &a, &b, room)
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
    cdef int k
    for k in range(s.n_single):
        w = s.single_scratch + k
        if w.blow.falls:
            first = s.single_scratch + first_of(s, k)
            if not first.anchored:
                first.together += s.single[k].mass
                first.drift = add3(first.drift, scale3(s.single[k].mass, add3(w.v_free, w.dv)))


cdef int find_waits(Scene* s, const Table* shapes, ContactBuffer* room) except -1 nogil:
    """Write `moving` and `drift` of all that meets something fast; `room` is for looks at shapes."""
    cdef SingleScratch* w
    cdef SingleScratch* first
    cdef int k
    for k in range(s.n_single):
        w = s.single_scratch + k
        w.company, w.anchored, w.together = k, False, 0.0
    for k in range(s.contacts.n):
        if s.contacts.point[k].time >= 0.0 and begins_pair(s, k):
            meet_again(s, shapes, s.contacts.point + k, room)
    add_momenta(s)
    for k in range(s.n_single):
        w = s.single_scratch + k
        if w.blow.falls and w.company == k and not w.anchored:
            w.drift = scale3(1.0 / w.together, w.drift)
    for k in range(s.n_single):
        w = s.single_scratch + k
        if w.blow.falls:
            first = s.single_scratch + first_of(s, k)
            w.moving, w.drift = first.moving, first.drift
    return 0
