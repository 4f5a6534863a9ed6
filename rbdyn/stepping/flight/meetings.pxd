# Single bodies that meet something fast within a step: when.
#
# A contact row holds for the whole step.  Where bodies come by a good part of their size in it, to close the gap at the
# new velocity would be to turn with the new spin before they have met: they miss each other.  So what meets fast moves
# by its old velocity until then, is hit there, with the pose and the moment arms of that time, and moves by its new
# velocity for the rest of the step.  All that it touches does so too, robots among them, so that rows between them
# hold.

from rbdyn.collision._types cimport ContactPoint
from rbdyn.spatial._algebra cimport zero3
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, Blow, BodyHandle, Scene, SingleScratch

cdef inline SingleScratch* flier(const Scene* s, int body) noexcept nogil:
    """The scratch of a body that contacts move, if it is a single one; else NULL."""
    cdef const BodyHandle* b = s.body + body
    if b.kind != SINGLE_BODY or s.single[b.index].type != DYNAMIC:
        return NULL
    return s.single_scratch + b.index

cdef inline Blow* blow_on(const Scene* s, int body) noexcept nogil:
    """Where it is noted of a body that contacts move; else NULL."""
    cdef const BodyHandle* b = s.body + body
    if b.kind == SYSTEM_BODY and b.body > 0:
        return &s.system[b.index].work.blow
    if b.kind == SINGLE_BODY and s.single[b.index].type == DYNAMIC:
        return &s.single_scratch[b.index].blow
    return NULL

cdef inline bint fall(Blow* b, double at) noexcept nogil:
    """Note a blow after this share of the step; whether that is earlier than was known."""
    if b == NULL or (b.falls and b.at <= at):
        return False
    b.falls, b.at = True, at
    return True

cdef inline bint begin_meetings(Scene* s) noexcept nogil:
    """Forget those of the step before; whether there are any of single bodies in this one."""
    cdef const ContactPoint* c
    cdef SingleScratch* w
    cdef bint before = s.meets
    cdef int k
    s.meets = False
    for k in range(s.contacts.n):
        c = s.contacts.point + k
        if c.time >= 0.0 and (flier(s, c.body_a) != NULL or flier(s, c.body_b) != NULL):
            s.meets = True
            break
    if before or s.meets:
        for k in range(s.n_movers):
            w = s.single_scratch + s.mover[k]
            w.blow.falls, w.moving, w.drift = False, 1.0, zero3()
        for k in range(s.n_system):
            s.system[k].work.blow.falls = False
    return s.meets

cdef inline void mark_meetings(Scene* s) noexcept nogil:
    """When single bodies first meet something fast, and with them what they touch."""
    cdef const ContactPoint* c
    cdef Blow* a
    cdef Blow* b
    cdef bint news = True
    cdef int k
    if not begin_meetings(s):
        return
    for k in range(s.contacts.n):
        c = s.contacts.point + k
        if c.time >= 0.0 and (flier(s, c.body_a) != NULL or flier(s, c.body_b) != NULL):
            fall(blow_on(s, c.body_a), c.time)
            fall(blow_on(s, c.body_b), c.time)
    while news:
        news = False
        for k in range(s.contacts.n):
            a, b = blow_on(s, s.contacts.point[k].body_a), blow_on(s, s.contacts.point[k].body_b)
            if a != NULL and b != NULL:
                news |= a.falls and fall(b, a.at)
                news |= b.falls and fall(a, b.at)

cdef inline double blow_time(const Scene* s, const ContactPoint* c) noexcept nogil:
    """After which share of the step a contact acts; -1: in all of it.  Bodies that meet have one time."""
    cdef const Blow* a = blow_on(s, c.body_a)
    cdef const Blow* b = blow_on(s, c.body_b)
    if a != NULL and a.falls:
        return a.at
    return b.at if b != NULL and b.falls else -1.0
