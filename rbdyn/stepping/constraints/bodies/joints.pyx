"""Joints between bodies that no tree connects: what a joint blocks is zero, in the rows of a loop joint.

Seen from its before-frame the after-frame moves with (w, d'); what is blocked of these are the rows.  Bodies move on by
the velocity that results, in a straight line and by a rotation; that the blocked motion bends away from this by dt / 2
of its rate is counted with, as with wires.  What is left of drift is led back in positions.
"""

from rbdyn.contact.problem cimport BILATERAL, ContactProblem, Key
from rbdyn.kernels.loops cimport component
from rbdyn.model.joints.dispatch cimport allowed_directions, coupled_force, coupled_motion, loop_rotation_error
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Sym3, Vec3, add3, add_f, cross3, dot3, force, matmul3, motion, mul3, scale3, scale_f, sub3,
    tmul3, transpose3, vec3, zero3, zero_f,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, load_vec3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_push, add_row, begin_block, gather_row
from rbdyn.stepping.links cimport JOINT_LINK, Acted
from rbdyn.stepping.points cimport PointMotion, free_motion_of, note_wrench, push_body, start_motion_of
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene
from rbdyn.stepping.touch cimport in_one_tree

cdef double TURN = 3.0        # rad/s for each m/s that frames are led back with
cdef double STRING = 1.0      # (w dt)^2 of a swing under load from which it is damped


cdef inline BodyJoint* joint_of(const Scene* s, int k) noexcept nogil:
    return <BodyJoint*> s.link[JOINT_LINK].item[k]


cdef int rows_of(const BodyJoint* j, int* direction) noexcept nogil:
    """Which of the six velocities it blocks; returns how many."""
    cdef int k, n = 0, allowed = allowed_directions(j.kind)
    for k in range(6):
        if not allowed >> k & 1:
            direction[n] = k
            n += 1
    return n


cdef Motion joint_error(const BodyJoint* j, Mat3 R, Vec3 p, Mat3 R_after, Vec3 p_after) noexcept nogil:
    """(u, d): how far the after-frame is from where the joint could have taken it; before-frame at R, p [rad, m]."""
    cdef Mat3 C = matmul3(transpose3(R), R_after)
    cdef Vec3 way = tmul3(R, sub3(p_after, p))
    cdef Mat3d axes
    cdef Vec3d u
    axes.xx, axes.xy, axes.xz = C.xx, C.xy, C.xz
    axes.yx, axes.yy, axes.yz = C.yx, C.yy, C.yz
    axes.zx, axes.zy, axes.zz = C.zx, C.zy, C.zz
    u = loop_rotation_error(j.kind, j.parameter, axes, way.z)
    return coupled_motion(j.kind, j.parameter, motion(load_vec3(u), way))


cdef double loaded_turn(const Scene* s, const BodyFrame* f, Vec3 force_on) noexcept nogil:
    """r . f [N m] of a light single body that pulls on its joint, if it would swing faster than steps tell; else 0.

    The force f at r from its centre holds it along r as a string is held: with r . f for each radian.  Its arm is that
    of the start of the step, so that this swing is explicit, and would grow from (w dt)^2 = 4 on.
    """
    cdef const BodyHandle* body = s.body + f.handle
    cdef double k
    cdef Vec3 r
    if body.kind != SINGLE_BODY or s.single[body.index].type != DYNAMIC:
        return 0.0
    r = sub3(origin_of(s, f), s.single_state[body.index].p)
    k = dot3(r, force_on)
    if k * s.dt * s.dt * greatest(s.single[body.index].inverse_I_b) > STRING:
        return k
    return 0.0


cdef inline Vec3 force_of(const Acted* acted) noexcept nogil:
    """What a joint exerted on its second end [N]."""
    cdef double share = 1.0 / acted.dt if acted.dt > 0.0 else 0.0
    return vec3(share * acted.wrench[3], share * acted.wrench[4], share * acted.wrench[5])


cdef inline double greatest(Sym3 A) noexcept nogil:
    """The largest diagonal entry."""
    return max(A.xx, A.yy, A.zz)


cdef void look_at_joints(const Scene* s) noexcept nogil:
    """They always act; and by the load of two steps they stiffen how light bodies turn: a blow is none."""
    cdef BodyJoint* j
    cdef Vec3 load, last
    cdef int k
    for k in range(s.link[JOINT_LINK].n):
        j = joint_of(s, k)
        j.link.near = j.link.holds = True
        load, last = force_of(&j.link.done), force_of(&j.link.last)
        j.turning[0] = min(loaded_turn(s, &j.after, load), loaded_turn(s, &j.after, last))
        load, last = scale3(-1.0, load), scale3(-1.0, last)
        j.turning[1] = min(loaded_turn(s, &j.before, load), loaded_turn(s, &j.before, last))


cdef Count count_joints(const Scene* s) noexcept nogil:
    """A block for each one, a row for each blocked direction; three for each body whose rotation a load stiffens."""
    cdef Count count = Count(0, s.link[JOINT_LINK].n, 0)
    cdef int k, side
    for k in range(s.link[JOINT_LINK].n):
        count.rows += joint_of(s, k).link.rows
        for side in range(2):
            if joint_of(s, k).turning[side] > 0.0:
                count.blocks += 1
                count.rows += 3
    return count


cdef inline Mat3 axes_of(const Scene* s, const BodyFrame* f) noexcept nogil:
    return matmul3(s.pose[f.handle].R, f.R)


cdef inline Vec3 origin_of(const Scene* s, const BodyFrame* f) noexcept nogil:
    return add3(s.pose[f.handle].p, mul3(s.pose[f.handle].R, f.p))


cdef inline double blocked(const Force* push, Motion a) noexcept nogil:
    """What a row sees of a motion, world axes, of the after-frame as seen from the before-frame."""
    return dot3(push.n, a.w) + dot3(push.f, a.v)


cdef Motion bend_of(const PointMotion* A, const PointMotion* B) noexcept nogil:
    """Rate of (w, d') while momenta stay: accelerations seen from axes that turn with B."""
    cdef Vec3 coriolis = cross3(B.w, sub3(A.v, B.v))
    return motion(sub3(sub3(A.alpha, B.alpha), cross3(B.w, A.w)),
                  sub3(sub3(A.a, B.a), add3(coriolis, coriolis)))


cdef inline Force push_of(const BodyJoint* j, const Mat3* R, int direction) noexcept nogil:
    """What a unit multiplier along a direction exerts, world axes."""
    cdef double[6] unit
    cdef Force f
    cdef int k
    for k in range(6):
        unit[k] = 1.0 if k == direction else 0.0
    f = coupled_force(j.kind, j.parameter, force(vec3(unit[0], unit[1], unit[2]), vec3(unit[3], unit[4], unit[5])))
    return force(mul3(R[0], f.n), mul3(R[0], f.f))


cdef inline double way_back(const Scene* s, double error, double turn) noexcept nogil:
    """How fast an error is led back [m/s or rad/s]."""
    cdef double most = s.erp_speed * turn
    return min(max(-s.erp * error / s.dt, -most), most)


cdef int write_joint(const Scene* s, Builder* b, BodyJoint* j) except -1 nogil:
    """Its rows: how the blocked velocities are in the middle of the step's motion."""
    cdef const BodyHandle* A = s.body + j.after.handle
    cdef const BodyHandle* B = s.body + j.before.handle
    cdef Mat3 R = axes_of(s, &j.before)
    cdef PointMotion now_a, now_b, free_a, free_b
    cdef Motion error, now, free_, bend
    cdef int[6] direction
    cdef int k, n = rows_of(j, direction)
    cdef double half
    j.at = origin_of(s, &j.after)
    error = joint_error(j, R, origin_of(s, &j.before), axes_of(s, &j.after), j.at)
    now_a, now_b = start_motion_of(s, A, j.at), start_motion_of(s, B, j.at)
    free_a, free_b = free_motion_of(s, A, j.at), free_motion_of(s, B, j.at)
    now = motion(sub3(now_a.w, now_b.w), sub3(now_a.v, now_b.v))
    free_ = motion(sub3(free_a.w, free_b.w), sub3(free_a.v, free_b.v))
    bend = bend_of(&free_a, &free_b)
    begin_block(b, BILATERAL, n, Key(source=JOINT_SOURCE, id_a=j.link.id, id_b=0, feature=0))
    for k in range(n):
        j.push[k] = push_of(j, &R, direction[k])
        half = 0.5 * s.dt * blocked(&j.push[k], bend)
        add_row(b, blocked(&j.push[k], now) - half, blocked(&j.push[k], free_) + half)
        b.position_target[3 * b.problem.n_cones + b.n_rows - 1] = way_back(
            s, component(error, direction[k]), TURN if direction[k] < 3 else 1.0)
        add_push(b, s, A, j.at, j.push[k].f, j.push[k].n)
        add_push(b, s, B, j.at, scale3(-1.0, j.push[k].f), scale3(-1.0, j.push[k].n))
    return 0


cdef int write_turn(const Scene* s, Builder* b, const BodyJoint* j, int side) except -1 nogil:
    """What the load on a joint does against the rotation of a light body, implicitly."""
    cdef const BodyHandle* body = s.body + (j.before.handle if side else j.after.handle)
    cdef double dt = s.dt
    cdef Vec3 axis
    cdef int k
    begin_block(b, BILATERAL, 3, Key(source=JOINT_SOURCE, id_a=j.link.id, id_b=0, feature=1 + side))
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / (dt * dt * j.turning[side])
    for k in range(3):
        axis = vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        add_row(b, dot3(axis, s.single_state[body.index].w), dot3(axis, s.single_scratch[body.index].w_free))
        add_push(b, s, body, s.single_state[body.index].p, zero3(), axis)
    return 0


cdef int write_joints(const Scene* s, Builder* b) except -1 nogil:
    cdef int k, side
    for k in range(s.link[JOINT_LINK].n):
        write_joint(s, b, joint_of(s, k))
        for side in range(2):
            if joint_of(s, k).turning[side] > 0.0:
                write_turn(s, b, joint_of(s, k), side)
    return 0


cdef void apply_reaction(const Scene* s, BodyJoint* j, const ContactProblem* p, int row) noexcept nogil:
    """Give the impulses of its rows to the two bodies, and keep them."""
    cdef const BodyHandle* A = s.body + j.after.handle
    cdef const BodyHandle* B = s.body + j.before.handle
    cdef bint outside = not in_one_tree(s, A, B)
    cdef Force total = zero_f()
    cdef int k
    for k in range(j.link.rows):
        j.link.next.impulse[k] = p.impulse[row + k]
        total = add_f(total, scale_f(p.impulse[row + k], j.push[k]))
        if A.kind == SYSTEM_BODY:
            gather_row(p, row + k, s.system + A.index)
        if B.kind == SYSTEM_BODY and not (A.kind == SYSTEM_BODY and A.index == B.index):
            gather_row(p, row + k, s.system + B.index)
    note_wrench(&j.link.next, total.n, total.f)
    push_body(s, A, j.at, total.f, total.n, outside)
    push_body(s, B, j.at, scale3(-1.0, total.f), scale3(-1.0, total.n), outside)
    if A.kind == SINGLE_BODY:
        s.single_scratch[A.index].in_contact = True
    if B.kind == SINGLE_BODY:
        s.single_scratch[B.index].in_contact = True


cdef void read_joints(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """The blocks are those of all joints, in order."""
    cdef BodyJoint* j = NULL
    cdef const double* moment
    cdef int i, side, k = -1
    for i in range(share.block, share.block_end):
        if p.block[i].key.feature == 0:
            k += 1
            j = joint_of(s, k)
            apply_reaction(s, j, p, p.block[i].first_row)
        else:
            side = p.block[i].key.feature - 1
            moment = p.impulse + p.block[i].first_row
            push_body(s, s.body + (j.before.handle if side else j.after.handle), j.at, zero3(),
                      vec3(moment[0], moment[1], moment[2]), True)
