# Points of bodies in a step: where they are, how they move, and what impulses at them do.

from rbdyn.kernels.acceleration cimport velocity_product
from rbdyn.spatial._algebra cimport (
    Motion, Vec3, add3, cross3, mul3, scale3, smul3, sub3, tmul3, zero3,
)
from rbdyn.stepping.builder cimport use_system
from rbdyn.stepping.columns cimport free_point_velocity, start_point_velocity
from rbdyn.stepping.flight.momentum cimport note_blow
from rbdyn.stepping.links cimport Acted, Anchor
from rbdyn.stepping.scene cimport (
    DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, SingleScratch, SingleState, System,
)
from rbdyn.stepping.single cimport Single, angular_momentum, single_of, spin
from rbdyn.stepping.wrenches cimport note_load

cdef struct PointMotion:      # of a point of a body, world axes
    Vec3 v                    # [m/s]
    Vec3 w                    # angular velocity of its body [rad/s]

cdef struct PointBend:        # how that changes while the momenta of its body, or the velocities of its joints, stay
    Vec3 a                    # [m/s^2]
    Vec3 alpha                # [rad/s^2]

cdef inline Vec3 place_of(const Scene* s, const Anchor* anchor) noexcept nogil:
    """Where a point is in the world [m]; the scene's poses are current."""
    return add3(s.pose[anchor.handle].p, mul3(s.pose[anchor.handle].R, anchor.at))

cdef inline PointMotion start_motion_of(const Scene* s, const BodyHandle* body, Vec3 at) noexcept nogil:
    """How the point `at` of a body moves at the start of the step."""
    cdef PointMotion point
    cdef const SingleState* b
    cdef const System* r
    point.v = point.w = zero3()
    if body.kind == SINGLE_BODY:
        b = s.single_state + body.index
        point.v, point.w = add3(b.v, cross3(b.w, sub3(at, b.p))), b.w
    elif body.kind == SYSTEM_BODY:
        r = s.system + body.index
        point.v = start_point_velocity(r, body.body, at)
        point.w = mul3(r.d.R[body.body], r.d.vel[body.body].w)
    return point

cdef inline Vec3 gyration(const Single* b, Vec3 w) noexcept nogil:
    """Angular acceleration of a single body that keeps its angular momentum [rad/s^2]."""
    if b.body.type != DYNAMIC or b.body.isotropic:
        return zero3()
    return spin(&b.state.R, &b.body.inverse_I_b, cross3(angular_momentum(b, &b.state.R, w), w))

cdef inline PointMotion free_motion_of(const Scene* s, const BodyHandle* body, Vec3 at) noexcept nogil:
    """How the point `at` of a body moves at the end of the step without constraint impulses, if it were there."""
    cdef PointMotion point
    cdef const SingleScratch* b
    cdef System* r
    point.v = point.w = zero3()
    if body.kind == SINGLE_BODY:
        b = s.single_scratch + body.index
        point.v = add3(b.v_free, cross3(b.w_free, sub3(at, s.single_state[body.index].p)))
        point.w = b.w_free
    elif body.kind == SYSTEM_BODY:
        r = s.system + body.index
        use_system(r)
        point.v = free_point_velocity(r, body.body, at)
        point.w = r.work.twist[body.body].w
    return point

cdef inline PointMotion fall_of(const Scene* s, const BodyHandle* body, Vec3 at) noexcept nogil:
    """How a point of a body moves that at most falls in the step: what its motion bends by.

    Not how it would move without constraint impulses: what forces do that constraints bear a body never moves by.
    """
    cdef PointMotion point = start_motion_of(s, body, at)
    cdef Single b
    cdef Vec3 turn
    if body.kind == SINGLE_BODY and s.single[body.index].type == DYNAMIC:
        b = single_of(s, body.index)
        turn = scale3(s.dt, gyration(&b, b.state.w))
        point.w = add3(point.w, turn)
        point.v = add3(point.v, add3(scale3(s.dt, s.gravity), cross3(turn, sub3(at, b.state.p))))
    return point

cdef inline PointBend bend_of_fall(const Scene* s, const BodyHandle* body, Vec3 at) noexcept nogil:
    """How this motion changes."""
    cdef PointBend point
    cdef Single b
    cdef System* r
    cdef Motion a, u
    cdef Vec3 arm, w
    point.a = point.alpha = zero3()
    if body.kind == SINGLE_BODY:
        b = single_of(s, body.index)
        arm, w = sub3(at, b.state.p), fall_of(s, body, at).w
        point.alpha = gyration(&b, w)
        point.a = add3(cross3(point.alpha, arm), cross3(w, cross3(w, arm)))
    elif body.kind == SYSTEM_BODY:
        r = s.system + body.index
        use_system(r)
        arm = tmul3(r.d.R[body.body], sub3(at, r.d.p[body.body]))
        a, u = velocity_product(r.m, r.d, body.body), r.d.vel[body.body]
        point.alpha = mul3(r.d.R[body.body], a.w)
        a.v = add3(a.v, cross3(a.w, arm))
        u.v = add3(u.v, cross3(u.w, arm))
        point.a = mul3(r.d.R[body.body], add3(a.v, cross3(u.w, u.v)))
    return point

cdef inline Vec3 look_ahead_of(const Scene* s, const BodyHandle* body, Vec3* at) noexcept nogil:
    """Where a point of a single body in flight will be in the middle of the step, world [m].

    `at` is the point at the start; it becomes that which is as far from the centre of mass as the point will be.
    """
    cdef const SingleState* b
    cdef double half = 0.5 * s.dt
    cdef Vec3 arm
    if body.kind != SINGLE_BODY:
        return at[0]
    b = s.single_state + body.index
    arm = scale3(half, cross3(b.w, sub3(at[0], b.p)))
    at[0] = add3(at[0], add3(arm, scale3(0.5 * half, cross3(b.w, arm))))
    return add3(at[0], scale3(half, b.v))

cdef inline bint is_first_of_system(const Scene* s, const Anchor* anchor, int i) noexcept nogil:
    """Whether anchor i is on an articulated system, and no one before it on the same."""
    cdef int k
    if s.body[anchor[i].handle].kind != SYSTEM_BODY:
        return False
    for k in range(i):
        if s.body[anchor[k].handle].kind == SYSTEM_BODY and (
                s.body[anchor[k].handle].index == s.body[anchor[i].handle].index):
            return False
    return True

cdef inline void bend_freely(const Scene* s, const BodyHandle* body, Vec3 at, Vec3 impulse,
                             bint outside) noexcept nogil:
    """As push_body, but what it does to a single body is a part of its free motion: that of a force, no blow."""
    cdef SingleScratch* w
    if body.kind == SINGLE_BODY:
        w = s.single_scratch + body.index
        w.v_free = add3(w.v_free, scale3(w.inverse_mass, impulse))
        w.w_free = add3(w.w_free, smul3(w.inverse_I, cross3(sub3(at, s.single_state[body.index].p), impulse)))
    else:
        push_body(s, body, at, impulse, zero3(), outside)

cdef inline void note_wrench(Acted* acted, Vec3 moment, Vec3 impulse) noexcept nogil:
    """Add to what a constraint did to its last end."""
    acted.wrench[0] += moment.x
    acted.wrench[1] += moment.y
    acted.wrench[2] += moment.z
    acted.wrench[3] += impulse.x
    acted.wrench[4] += impulse.y
    acted.wrench[5] += impulse.z

cdef inline void push_body(const Scene* s, const BodyHandle* body, Vec3 at, Vec3 impulse, Vec3 moment,
                           bint outside) noexcept nogil:
    """Give an impulse [N s] at a point, and a moment [N m s], to a single body, or one of a tree and its momentum."""
    cdef SingleScratch* w
    cdef const SingleState* b
    if body.kind == SINGLE_BODY:
        w, b = s.single_scratch + body.index, s.single_state + body.index
        w.dv = add3(w.dv, scale3(w.inverse_mass, impulse))
        w.dw = add3(w.dw, smul3(w.inverse_I, add3(moment, cross3(sub3(at, b.p), impulse))))
    elif body.kind == SYSTEM_BODY:
        note_load(s.system + body.index, body.body, at, impulse, moment)
        if body.body == 0 or not outside:
            return
        note_blow(s.system + body.index, body.body, at, impulse, moment)
