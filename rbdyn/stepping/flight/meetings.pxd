# When bodies meet within a step.
#
# What meets moves by its old velocity until then, is hit there, with the moment arms of that time, and moves by its new
# velocity for the rest of the step.  So impulses act where bodies are, and make no angular momentum; what falls freely
# before and after keeps the energy of an elastic bounce.  All that it touches, or is joined to, does so at the same
# time, the earliest, so that rows between them hold.  What is near at the start and does not bounce is no meeting: its
# row holds for the whole step.  Single bodies have the orientation of that time, too; those that meet fast, measured by
# their size, may meet again before the step is over: waits.pxd.  Robots keep the pose of the step's start, and meet
# nothing but single bodies where they do not bounce.

from libc.math cimport INFINITY, sqrt

from rbdyn.collision._types cimport ContactPoint
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, sub3, zero3
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.scene cimport (
    DYNAMIC, SINGLE_BODY, SYSTEM_BODY, Blow, BodyHandle, PairProperties, Scene, SingleScratch, pair_properties,
)

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

cdef inline bint fall(Blow* b, double at, bint fast) noexcept nogil:
    """Note a blow after this share of the step; returns whether it is earlier, or faster, than was known."""
    if b == NULL or (b.falls and b.at <= at and b.fast >= fast):
        return False
    b.at = min(b.at, at) if b.falls else at
    b.fast = b.fast or fast if b.falls else fast
    b.falls = True
    return True

cdef inline Vec3 way_of(const Scene* s, int body, Vec3 at) noexcept nogil:
    """Find how far a point of a body goes in the step, as it moves now [m]."""
    return add3(s.motion[body].v, cross3(s.motion[body].w, sub3(at, s.pose[body].p)))

cdef inline double least_way(const Scene* s, const PairProperties* pair) noexcept nogil:
    """Find how far bodies that are near now come in a step, at least, if they bounce, and do not roll or rest [m]."""
    return max(s.margin, s.dt * max(pair.threshold, s.dt * sqrt(dot3(s.gravity, s.gravity))))

cdef inline double approach(const Scene* s, const ContactPoint* c) noexcept nogil:
    """Find how far two bodies come nearer in the step, along the normal of a contact, as they move now [m]."""
    return dot3(c.normal, sub3(way_of(s, c.body_b, c.position), way_of(s, c.body_a, c.position)))

cdef inline double met_after(const Scene* s, const ContactPoint* c) noexcept nogil:
    """Find after which share of the step the bodies of a contact meet; -1: they are near, and do not bounce.

    Detection may tell a time at which they are in each other by a part of the margin: they meet earlier.
    """
    cdef const PairProperties* pair
    cdef double way, gap
    if c.fast or not s.scheme.keeps_momentum:
        return c.time if c.fast else -1.0
    pair = pair_properties(&s.pairs, s.material[c.shape_a], s.material[c.shape_b])
    if not pair.restitution + s.erp2 > 0.0 and (
            c.time < 0.0 or flier(s, c.body_a) == NULL and flier(s, c.body_b) == NULL):
        return -1.0
    way = approach(s, c)
    if c.time >= 0.0:
        return max(0.0, c.time - c.depth_then / way) if c.depth_then > 0.0 and way > 0.0 else c.time
    gap = max(0.0, -c.depth)
    return gap / way if c.depth <= s.margin and way > least_way(s, pair) and way > gap else -1.0

cdef inline void see(const Scene* s, const ContactPoint* c, Vec3* at_a, Vec3* at_b) noexcept nogil:
    """Find where a contact is on A and on B at the start of the step, world [m]: it has the arms of when they meet."""
    cdef Vec3 apart = zero3()
    cdef double at
    at_a[0], at_b[0] = add3(c.position, c.to_a), add3(c.position, c.to_b)
    if c.time < 0.0 and s.meets:
        at = met_after(s, c)
        if at > 0.0:
            apart = scale3(0.5 * at, sub3(s.motion[c.body_b].v, s.motion[c.body_a].v))
            at_a[0], at_b[0] = add3(at_a[0], apart), sub3(at_b[0], apart)

cdef inline bint begin_meetings(Scene* s) noexcept nogil:
    """Forget the meetings of the step before; returns whether there are any in this one."""
    cdef const ContactPoint* c
    cdef SingleScratch* w
    cdef bint before = s.meets
    cdef int k
    s.meets = s.meets_fast = False
    for k in range(s.contacts.n):
        c = s.contacts.point + k
        s.meets |= met_after(s, c) >= 0.0
        s.meets_fast |= c.fast and (flier(s, c.body_a) != NULL or flier(s, c.body_b) != NULL)
    if before or s.meets:
        for k in range(s.n_movers):
            w = s.single_scratch + s.mover[k]
            w.blow.falls, w.moving, w.drift = False, 1.0, zero3()
        for k in range(s.n_system):
            s.system[k].work.blow.falls = False
    return s.meets

cdef inline double near_until(const Scene* s, const ContactPoint* c) noexcept nogil:
    """Find after which share of the step bodies that are near now are in each other by the slop, as they move now."""
    cdef double way
    if c.time >= 0.0:
        return INFINITY
    way = approach(s, c)
    return (max(0.0, -c.depth) + s.slop) / way if way > 0.0 else INFINITY

cdef inline bint pass_on_blow(const Scene* s, const ContactPoint* c) noexcept nogil:
    """Let bodies that touch meet things at one time, the earliest; returns whether that was news."""
    cdef Blow* a = blow_on(s, c.body_a)
    cdef Blow* b = blow_on(s, c.body_b)
    cdef bint falls_a = a != NULL and a.falls, falls_b = b != NULL and b.falls, news
    cdef double at
    if not (falls_a or falls_b):
        return False
    at = min(a.at if falls_a else 1.0, b.at if falls_b else 1.0)
    at = min(at, near_until(s, c))
    news = fall(a, at, falls_b and b.fast)
    return fall(b, at, falls_a and a.fast) or news

cdef inline bint pass_blow(const Scene* s, const Link* link) noexcept nogil:
    """Let bodies that a constraint holds meet things at one time; returns whether that was news."""
    cdef Blow* a
    cdef Blow* b
    cdef bint news = False
    cdef int i, j
    for i in range(link.n_bodies if link.holds else 0):
        a = blow_on(s, link.body[i])
        if a == NULL or not a.falls:
            continue
        for j in range(link.n_bodies):
            b = blow_on(s, link.body[j])
            news |= b != NULL and fall(b, a.at, a.fast)
    return news

cdef inline void mark_meetings(Scene* s) noexcept nogil:
    """Find when bodies first meet something in this step, and with them what they touch, or are joined to."""
    cdef const ContactPoint* c
    cdef double at
    cdef bint news = True
    cdef int k, kind
    if not begin_meetings(s):
        return
    for k in range(s.contacts.n):
        c = s.contacts.point + k
        at = met_after(s, c)
        if at >= 0.0:
            fall(blow_on(s, c.body_a), at, c.fast)
            fall(blow_on(s, c.body_b), at, c.fast)
    while news:
        news = False
        for k in range(s.contacts.n):
            news |= pass_on_blow(s, s.contacts.point + k)
        for kind in range(N_LINK_KINDS):
            for k in range(s.link[kind].n):
                news |= pass_blow(s, s.link[kind].item[k])

cdef inline double blow_time(const Scene* s, const ContactPoint* c) noexcept nogil:
    """After which share of the step a contact acts; -1: in all of it.  Bodies that meet have one time."""
    cdef const Blow* a = blow_on(s, c.body_a)
    cdef const Blow* b = blow_on(s, c.body_b)
    if a != NULL and a.falls:
        return a.at
    return b.at if b != NULL and b.falls else -1.0
