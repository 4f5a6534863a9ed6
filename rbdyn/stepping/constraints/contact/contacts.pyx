"""Contacts in the problem: frames, free velocities less targets, friction; their impulses to the bodies.

Source of the mathematics: Hwangbo, Lee, Hutter, "Per-contact iteration method for solving contact dynamics", RA-L 2018.
"""

from libc.math cimport INFINITY, fabs, fmax, sqrt

from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.collision.bounds cimport pose_in
from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.contact.targets cimport effective_friction, position_target, target_velocity
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, cross3, dot3, mul3, scale3, sub3, vec3, zero3
from rbdyn.stepping.builder cimport (
    Builder, Count, Share, add_point, begin_cone, drive_cone, end_cone, gather_cone, use_system,
)
from rbdyn.stepping.columns cimport free_point_velocity, start_point_velocity
from rbdyn.stepping.constraints.contact.overlaps cimport (
    HOLD, IGNORE, PART, Handling, handling_of, keep_passed,
)
from rbdyn.stepping.constraints.contact.trails cimport half_bend
from rbdyn.stepping.flight.meetings cimport blow_time, see
from rbdyn.stepping.pair_history cimport begin_history
from rbdyn.stepping.scene cimport (
    SINGLE_BODY, SYSTEM_BODY, BodyHandle, PairProperties, Scene, SingleScratch, SingleState, System, pair_properties,
)
from rbdyn.stepping.single cimport Single, single_add_impulse, single_of
from rbdyn.stepping.touch cimport in_one_tree, note_blows


cdef double LEAST_LEFT = 1e-3  # share of a step left after a blow, at least: bounds for less of it are no numbers


cdef Count count_contacts(const Scene* s) noexcept nogil:
    """One cone a contact."""
    return Count(cones=s.contacts.n, blocks=0, rows=0)


cdef inline Mat3 contact_frame(Vec3 n) noexcept nogil:
    """Rows t1, t2, n.  t1 lies in the plane of n and the coordinate axis that is farthest from n."""
    cdef Vec3 t1, t2
    cdef Mat3 E
    if fabs(n.x) <= fabs(n.y) and fabs(n.x) <= fabs(n.z):
        t1 = sub3(vec3(1.0, 0.0, 0.0), scale3(n.x, n))
    elif fabs(n.y) <= fabs(n.z):
        t1 = sub3(vec3(0.0, 1.0, 0.0), scale3(n.y, n))
    else:
        t1 = sub3(vec3(0.0, 0.0, 1.0), scale3(n.z, n))
    t1 = scale3(1.0 / sqrt(dot3(t1, t1)), t1)
    t2 = cross3(n, t1)
    E.xx, E.xy, E.xz = t1.x, t1.y, t1.z
    E.yx, E.yy, E.yz = t2.x, t2.y, t2.z
    E.zx, E.zy, E.zz = n.x, n.y, n.z
    return E


cdef inline void start_velocity(const Scene* s, const BodyHandle* handle, Vec3 at,
                                Vec3* now, Vec3* free_) noexcept nogil:
    """World velocity of a body's point at the start of the step, and at its end without contact impulses."""
    cdef const SingleState* b
    cdef const SingleScratch* w
    cdef const System* r
    cdef Vec3 arm
    now[0] = zero3()
    free_[0] = zero3()
    if handle.kind == SINGLE_BODY:
        b = s.single_state + handle.index
        w = s.single_scratch + handle.index
        arm = sub3(at, b.p)
        now[0] = add3(b.v, cross3(w.w_now, arm))
        free_[0] = add3(w.v_free, cross3(w.w_free, arm))
    elif handle.kind == SYSTEM_BODY:
        use_system(s.system + handle.index)
        r = s.system + handle.index
        now[0] = start_point_velocity(r, handle.body, at)
        free_[0] = free_point_velocity(r, handle.body, at)


cdef inline bint moves_anyhow(const Scene* s, const BodyHandle* body) noexcept nogil:
    """Whether it is a single body that nothing pushes: static or kinematic."""
    return body.kind == SINGLE_BODY and s.single_scratch[body.index].inverse_mass == 0.0


cdef inline double system_mass(const Scene* s, const BodyHandle* body) noexcept nogil:
    return s.system[body.index].m.mass if body.kind == SYSTEM_BODY else 0.0


cdef inline double single_mobility(const Scene* s, const BodyHandle* body) noexcept nogil:
    return s.single_scratch[body.index].inverse_mass if body.kind == SINGLE_BODY else 0.0


cdef inline double asked(const Scene* s, double depth) noexcept nogil:
    """How fast a depth is to be corrected [m/s]."""
    return position_target(depth, s.dt, s.erp, s.slop, s.erp_speed)


cdef double target_of_blow(const Scene* s, const ContactPoint* c, const PairProperties* pair, double at, double v_in,
                           double fall) noexcept nogil:
    """target_velocity [m/s] of a contact that acts after the share `at` of the step, for the velocity at its end.

    `v_in` is how they come at its start, `fall` what forces change of the normal velocity in all of it.  What bounces
    falls freely before and after.
    """
    cdef double left = 1.0 - at, e = pair.restitution + s.erp2, depth, bounce
    depth = c.depth_then - (c.time - at) * s.dt * v_in if c.time >= 0.0 else c.depth + at * s.dt * v_in
    if e == 0.0:
        return target_velocity(v_in, depth, fmax(left, LEAST_LEFT) * s.dt, e, pair.threshold, s.slop)
    bounce = target_velocity(v_in - at * fall, depth, left * s.dt, e, pair.threshold)
    if bounce > 0.0:
        return fmax(0.0, bounce + left * fall)
    return bounce if bounce == 0.0 else bounce + left * fall


cdef inline bint is_hit(const PairProperties* pair, double now, double free_) noexcept nogil:
    """Tell whether bodies that may bounce are hit from elsewhere: they part now, and without impulses [m/s]."""
    return pair.restitution > 0.0 and now >= 0.0 and free_ >= 0.0


cdef int write_contact(const Scene* s, Builder* b, const ContactPoint* c, bint left) except -1 nogil:
    """One contact: its frame, free velocity less target, friction and key, and the bodies on both sides.

    Velocities are those in the middle of the motion before the impulse, and of the one after it (trails.pxd).
    """
    cdef const BodyHandle* A = s.body + c.body_a
    cdef const BodyHandle* B = s.body + c.body_b
    cdef const PairProperties* pair = pair_properties(&s.pairs, s.material[c.shape_a], s.material[c.shape_b])
    cdef Mat3 E = contact_frame(c.normal)
    cdef Vec3 now_a, now_b, free_a, free_b, now, v, fall, bend = zero3()
    cdef double target, part, mu, at = blow_time(s, c)
    cdef Vec3 at_a, at_b
    see(s, c, &at_a, &at_b)
    start_velocity(s, A, at_a, &now_a, &free_a)
    start_velocity(s, B, at_b, &now_b, &free_b)
    now = mul3(E, sub3(now_a, now_b))
    v = mul3(E, sub3(free_a, free_b))
    fall = sub3(v, now)
    if at <= 0.0:                                # else arms are those of a later time
        bend = half_bend(&b.history.trails, s, c, &E, now)
    now, v = sub3(now, bend), add3(v, bend)
    if at < 0.0:
        target = target_velocity(-now.z, c.depth, s.dt, pair.restitution + s.erp2, pair.threshold, s.slop)
    else:
        target = target_of_blow(s, c, pair, at, -now.z, fall.z)
    part = asked(s, c.depth)
    if left:
        part = min(part, 0.0)
    mu = effective_friction(pair.friction, pair.static_friction, pair.static_threshold,
                            sqrt(now.x * now.x + now.y * now.y))
    if at >= 0.0 and (target > 0.0 or is_hit(pair, now.z, v.z)):
        # with what the step ends with, the sum of those around the blow
        now = add3(now, scale3(2.0 * at - 1.0, fall))
    begin_cone(b, &E, now, v, c.depth, target, part, mu,
               Key(source=CONTACT_SOURCE, id_a=c.shape_a, id_b=c.shape_b, feature=c.feature))
    if moves_anyhow(s, A):
        drive_cone(b, mul3(E, free_a))
    elif moves_anyhow(s, B):
        drive_cone(b, mul3(E, scale3(-1.0, free_b)))
    add_point(b, s, A, at_a, &E, 1.0)
    add_point(b, s, B, at_b, &E, -1.0)
    if A.kind == SYSTEM_BODY or B.kind == SYSTEM_BODY:
        end_cone(b, system_mass(s, A) + system_mass(s, B), single_mobility(s, A) + single_mobility(s, B), bend)
    return 0


cdef void write_nothing(Builder* b, const ContactPoint* c) noexcept nogil:
    """A contact that acts on nothing."""
    cdef Mat3 E = contact_frame(c.normal)
    begin_cone(b, &E, zero3(), zero3(), c.depth, 0.0, -INFINITY, 0.0,
               Key(source=CONTACT_SOURCE, id_a=c.shape_a, id_b=c.shape_b, feature=c.feature))


cdef int next_pair(const Scene* s, int i) noexcept nogil:
    """The first contact after i that is of other shapes."""
    cdef const ContactPoint* c = s.contacts.point + i
    while i < s.contacts.n and s.contacts.point[i].shape_a == c.shape_a and s.contacts.point[i].shape_b == c.shape_b:
        i += 1
    return i


cdef Handling handling(const Scene* s, Builder* b, int first, int end) noexcept nogil:
    """What becomes of the contacts of two shapes: an overlap of a robot with itself may be one that no push lessens."""
    cdef const ContactPoint* c = s.contacts.point + first
    cdef double depth = c.depth
    cdef Pose there
    cdef int i
    if not in_one_tree(s, s.body + c.body_a, s.body + c.body_b):
        return PART
    for i in range(first + 1, end):
        depth = max(depth, s.contacts.point[i].depth)
    there = pose_in(&s.pose[c.body_a], &s.pose[c.body_b])
    return handling_of(&b.history.overlaps, c, &there, depth, s.slop, s.dt * asked(s, depth))


cdef int write_contacts(const Scene* s, Builder* b) except -1 nogil:
    cdef Handling how
    cdef int i = 0, end
    begin_history(&b.history, s.contacts.n)
    while i < s.contacts.n:
        end = next_pair(s, i)
        how = handling(s, b, i, end)
        while i < end:
            if how == IGNORE:
                write_nothing(b, s.contacts.point + i)
            else:
                write_contact(s, b, s.contacts.point + i, how == HOLD)
            i += 1
    keep_passed(&b.history.overlaps)
    return 0


cdef inline void push_single(const Scene* s, int k, Vec3 impulse, Vec3 at, bint bounces) noexcept nogil:
    cdef Single body = single_of(s, k)
    single_add_impulse(&body, impulse, sub3(at, body.state.p))
    body.work.in_contact |= not bounces


cdef inline double share_before(const Scene* s, const ContactPoint* c, double bounce) noexcept nogil:
    """Share of the step with the old velocity for which one that leaves with `bounce` [m/s] ends where it touches."""
    cdef Vec3 now_a, now_b, unused
    cdef double v_in
    start_velocity(s, s.body + c.body_a, c.position, &now_a, &unused)
    start_velocity(s, s.body + c.body_b, c.position, &now_b, &unused)
    v_in = dot3(c.normal, sub3(now_b, now_a))
    return (max(-c.depth, 0.0) / s.dt + bounce) / (v_in + bounce) if v_in > 0.0 else 0.5


cdef inline bint is_blow(const Scene* s, const ContactPoint* c, const ContactProblem* p, int i) noexcept nogil:
    """Whether a contact is one of bodies that bounce: it asks for it, or is hit from elsewhere and would open else.

    Such bodies keep their energy when they move by their mean velocity, and it leads none of them into the other.
    """
    cdef const PairProperties* pair = pair_properties(&s.pairs, s.material[c.shape_a], s.material[c.shape_b])
    cdef int n = 3 * i + 2
    cdef Vec3 at_a, at_b, now_a, now_b, free_a, free_b
    if p.target[n] > 0.0:
        return True
    if blow_time(s, c) < 0.0 or not pair.restitution > 0.0:
        return is_hit(pair, p.v_start[n], p.v_free[n] + p.target[n])
    see(s, c, &at_a, &at_b)
    start_velocity(s, s.body + c.body_a, at_a, &now_a, &free_a)
    start_velocity(s, s.body + c.body_b, at_b, &now_b, &free_b)
    return is_hit(pair, dot3(c.normal, sub3(now_a, now_b)), dot3(c.normal, sub3(free_a, free_b)))


cdef inline void bounce_early(const Scene* s, int k, double before) noexcept nogil:
    if k >= 0:
        s.single_scratch[k].before = min(s.single_scratch[k].before, before)


cdef void read_contacts(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the bodies: velocity changes of single bodies, z of systems."""
    cdef const ContactPoint* c = s.contacts.point
    cdef const BodyHandle* A
    cdef const BodyHandle* B
    cdef const double* l
    cdef Vec3 impulse, at_a, at_b
    cdef double before
    cdef bint bounces
    cdef int i
    for i in range(share.cone, share.cone_end):
        A = s.body + c.body_a
        B = s.body + c.body_b
        l = p.impulse + 3 * i
        if not (l[0] == 0.0 and l[1] == 0.0 and l[2] == 0.0):
            impulse = cone_impulse(p, i)
            bounces = is_blow(s, c, p, i)
            see(s, c, &at_a, &at_b)
            if p.target[3 * i + 2] > 0.0 and blow_time(s, c) < 0.0:
                before = share_before(s, c, p.target[3 * i + 2])
                bounce_early(s, p.single_a[i], before)
                bounce_early(s, p.single_b[i], before)
            if p.single_a[i] >= 0:
                push_single(s, p.single_a[i], impulse, at_a, bounces)
            if p.single_b[i] >= 0:
                push_single(s, p.single_b[i], vec3(-impulse.x, -impulse.y, -impulse.z), at_b, bounces)
            if A.kind == SYSTEM_BODY:
                gather_cone(p, i, s.system + A.index)
                s.system[A.index].work.in_contact |= not bounces
            if B.kind == SYSTEM_BODY:
                if not (A.kind == SYSTEM_BODY and A.index == B.index):
                    gather_cone(p, i, s.system + B.index)
                s.system[B.index].work.in_contact |= not bounces
            note_blows(s, A, B, at_a, at_b, impulse, zero3())
        c += 1
