"""Joints between bodies that no tree connects: what a joint blocks is zero, in the rows of a loop joint.

Seen from its before-frame the after-frame moves with (w, d'); what is blocked of these are the rows.  Bodies move on by
the velocity that results, in a straight line and by a rotation; that the blocked motion bends away from this by dt / 2
of its rate is counted with, as with wires.  What is left of drift is led back in positions, unless rows give way; what
acts along what it allows are rows as well (freedoms.pyx).
"""

from rbdyn.contact.problem cimport BILATERAL, Block, ContactProblem, Key
from rbdyn.kernels.loops cimport component, plain3
from rbdyn.model.joints.dispatch cimport (
    LoopRows, allowed_directions, loop_joint_coordinate, loop_rotation_error, loop_rows, loop_rows_turn, row_force,
    row_motion, row_rate,
)
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Sym3, Vec3, add3, add_f, cross3, dot3, force, matmul3, motion, mul3, scale3, scale_f, sub3,
    tmul3, transpose3, vec3, zero3, zero_f,
)
from rbdyn.spatial.constants cimport Vec3d, load_vec3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_push, add_row, begin_block, bend_row, gather_row
from rbdyn.stepping.constraints.bodies.freedoms cimport (
    Along, Reading, count_along, forces_of, near_ends, reading_of, soften, write_along,
)
from rbdyn.stepping.freedom cimport CLOSED, DRIVE, OTHER, SHIFTED, acts, only_direction
from rbdyn.stepping.links cimport JOINT_LINK, Acted, Link
from rbdyn.stepping.points cimport (
    PointBend, PointMotion, bend_of_fall, fall_of, free_motion_of, note_wrench, push_body, start_motion_of,
)
from rbdyn.stepping.rest cimport link_sleeps
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene
from rbdyn.stepping.scheme cimport in_contact
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


cdef inline LoopRows rows_between(const BodyJoint* j, Mat3 R, Mat3 R_after) noexcept nogil:
    """What its rows see where its frames have these axes."""
    return loop_rows(j.kind, j.parameter, plain3(matmul3(transpose3(R), R_after)))


cdef Motion joint_error(const BodyJoint* j, Mat3 R, Vec3 p, Mat3 R_after, Vec3 p_after) noexcept nogil:
    """(u, d): how far the after-frame is from where the joint could have taken it; before-frame at R, p [rad, m]."""
    cdef Vec3 way = tmul3(R, sub3(p_after, p))
    cdef LoopRows rows = rows_between(j, R, R_after)
    cdef Vec3d u = loop_rotation_error(j.kind, j.parameter, plain3(matmul3(transpose3(R), R_after)), way.z)
    return row_motion(&rows, motion(load_vec3(u), way))


cdef double joint_coordinate(const BodyJoint* j, Mat3 R, Vec3 p, Mat3 R_after, Vec3 p_after) noexcept nogil:
    """Where it stands if it has one degree of freedom and is closed [rad or m]; else 0."""
    if only_direction(j.kind) < 0:
        return 0.0
    return loop_joint_coordinate(j.kind, j.parameter, plain3(matmul3(transpose3(R), R_after)),
                                 tmul3(R, sub3(p_after, p)).z)


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
    """Unless they sleep they act; and by the load of two steps they stiffen how light bodies turn: a blow is none."""
    cdef BodyJoint* j
    cdef Vec3 load, last
    cdef int k
    for k in range(s.link[JOINT_LINK].n):
        j = joint_of(s, k)
        j.link.near = j.link.holds = not link_sleeps(s, &j.link)
        load, last = force_of(&j.link.done), force_of(&j.link.last)
        j.turning[0] = min(loaded_turn(s, &j.after, load), loaded_turn(s, &j.after, last))
        load, last = scale3(-1.0, load), scale3(-1.0, last)
        j.turning[1] = min(loaded_turn(s, &j.before, load), loaded_turn(s, &j.before, last))


cdef inline bint gives_way(const BodyJoint* j) noexcept nogil:
    return j.soft[0].softness > 0.0 or j.soft[1].softness > 0.0


cdef inline int rotations(const BodyJoint* j) noexcept nogil:
    """How many of its rows are rotations."""
    cdef int[6] direction
    cdef int k, n = 0
    for k in range(rows_of(j, direction)):
        n += direction[k] < 3
    return n


cdef Count count_freedom(const Scene* s, BodyJoint* j) noexcept nogil:
    """What acts along what it allows."""
    cdef int k = only_direction(j.kind)
    cdef Mat3 R
    cdef Vec3 at
    cdef Motion now, then
    cdef LoopRows rows
    cdef Force push
    j.near = forces_of(&j.freedom)
    if k >= 0:
        R, at = axes_of(s, &j.before), origin_of(s, &j.after)
        rows = rows_between(j, R, axes_of(s, &j.after))
        now, then, push = motion_at_start(s, j, at), free_motion_at(s, j, at), push_of(&rows, &R, k)
        j.near |= near_ends(s, &j.freedom, joint_coordinate(j, R, origin_of(s, &j.before), axes_of(s, &j.after), at),
                            blocked(&push, now), blocked(&push, then))
    return count_along(&j.freedom, j.kind, j.near)


cdef Count count_joints(const Scene* s) noexcept nogil:
    """A block or two for each one, a row for each blocked direction and each thing that acts along the others.

    Three more for each body whose rotation a load stiffens.
    """
    cdef Count count = Count(0, 0, 0), more
    cdef BodyJoint* j
    cdef int k, side
    for k in range(s.link[JOINT_LINK].n):
        j = joint_of(s, k)
        if not j.link.near:
            continue
        count.rows += j.link.rows
        count.blocks += 1 + (gives_way(j) and 0 < rotations(j) < j.link.rows)
        if acts(&j.freedom):
            more = count_freedom(s, j)
            count.blocks += more.blocks
            count.rows += more.rows
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


cdef Motion bend_of(const Scene* s, const BodyJoint* j, Vec3 at) noexcept nogil:
    """Rate of (w, d') while momenta stay: accelerations seen from axes that turn with `before`."""
    cdef const BodyHandle* A = s.body + j.after.handle
    cdef const BodyHandle* B = s.body + j.before.handle
    cdef PointMotion a = fall_of(s, A, at), b = fall_of(s, B, at)
    cdef PointBend da = bend_of_fall(s, A, at), db = bend_of_fall(s, B, at)
    cdef Vec3 coriolis = cross3(b.w, sub3(a.v, b.v))
    return motion(sub3(sub3(da.alpha, db.alpha), cross3(b.w, a.w)), sub3(sub3(da.a, db.a), add3(coriolis, coriolis)))


cdef inline Force push_of(const LoopRows* rows, const Mat3* R, int direction) noexcept nogil:
    """What a unit multiplier along a direction exerts, world axes."""
    cdef double[6] unit
    cdef Force f
    cdef int k
    for k in range(6):
        unit[k] = 1.0 if k == direction else 0.0
    f = row_force(rows, force(vec3(unit[0], unit[1], unit[2]), vec3(unit[3], unit[4], unit[5])))
    return force(mul3(R[0], f.n), mul3(R[0], f.f))


cdef inline double way_back(const Scene* s, double error, double turn) noexcept nogil:
    """How fast an error is led back [m/s or rad/s]."""
    cdef double most = s.erp_speed * turn
    return min(max(-s.erp * error / s.dt, -most), most)


cdef inline Motion motion_at_start(const Scene* s, const BodyJoint* j, Vec3 at) noexcept nogil:
    """(w, d') at the start of the step, world axes."""
    cdef PointMotion A = start_motion_of(s, s.body + j.after.handle, at)
    cdef PointMotion B = start_motion_of(s, s.body + j.before.handle, at)
    return motion(sub3(A.w, B.w), sub3(A.v, B.v))


cdef inline Motion free_motion_at(const Scene* s, const BodyJoint* j, Vec3 at) noexcept nogil:
    """How its ends move to one another at the end of the step without impulses of constraints."""
    cdef PointMotion a = free_motion_of(s, s.body + j.after.handle, at)
    cdef PointMotion b = free_motion_of(s, s.body + j.before.handle, at)
    return motion(sub3(a.w, b.w), sub3(a.v, b.v))


cdef inline int push_ends(Builder* b, const Scene* s, const BodyJoint* j, Force push, double sign) except -1 nogil:
    """The row begun last acts so on what carries `after`, and opposite on what carries `before`."""
    add_push(b, s, s.body + j.after.handle, j.at, scale3(sign, push.f), scale3(sign, push.n))
    return add_push(b, s, s.body + j.before.handle, j.at, scale3(-sign, push.f), scale3(-sign, push.n))


cdef struct JointHere:        # a joint, its axes and its rows, for what acts along what it allows
    const BodyJoint* joint
    Mat3 R
    LoopRows rows


cdef int add_direction(Builder* b, const Scene* s, void* joint, int k, double sign) except -1 nogil:
    """The row begun last acts along direction k of a joint."""
    cdef JointHere* here = <JointHere*> joint
    return push_ends(b, s, here.joint, push_of(&here.rows, &here.R, k), sign)


cdef int write_freedom(const Scene* s, Builder* b, const BodyJoint* j, Mat3 R, const LoopRows* rows, Motion now,
                       Motion free_, Motion bend) except -1 nogil:
    """What acts along what it allows."""
    cdef Along a
    cdef JointHere here
    cdef Force push
    cdef int k
    here.joint, here.R, here.rows = j, R, rows[0]
    a.freedom, a.kind, a.near = &j.freedom, j.kind, j.near
    a.gamma, a.mixed = in_contact(s.scheme).gamma, False
    a.q = joint_coordinate(j, R, origin_of(s, &j.before), axes_of(s, &j.after), j.at)
    a.joint, a.add = &here, add_direction
    a.key = Key(source=JOINT_SOURCE, id_a=j.link.id, id_b=0, feature=0)
    for k in range(6):
        push = push_of(rows, &R, k)
        a.now[k], a.then[k], a.bias[k] = blocked(&push, now), blocked(&push, free_), blocked(&push, bend)
    return write_along(s, b, &a)


cdef inline bint bends_at_once(const Scene* s, const Link* link) noexcept nogil:
    """Whether impulses make up for what turns out of its rows; in the first step of one on a robot positions do.

    Velocities that a user set have turned by none of it: all of it would be asked for, as work of impulses, and in
    directions in which a robot hardly moves that is any amount.
    """
    cdef int i
    for i in range(link.n_bodies if link.done.dt == 0.0 else 0):
        if s.body[link.body[i]].kind == SYSTEM_BODY:
            return False
    return True


cdef int write_rows(const Scene* s, Builder* b, BodyJoint* j, int first, int end, Motion error, Motion now,
                    Motion free_, Motion bend) except -1 nogil:
    """Some of its rows as a block: how the blocked velocities are in the middle of the step's motion."""
    cdef int[6] direction
    cdef double[6] e
    cdef double half, back
    cdef bint at_once = bends_at_once(s, &j.link)
    cdef int k
    if first == end:
        return 0
    rows_of(j, direction)
    begin_block(b, BILATERAL, end - first,
                Key(source=JOINT_SOURCE, id_a=j.link.id, id_b=0, feature=CLOSED if first == 0 else SHIFTED))
    for k in range(first, end):
        add_row(b, blocked(&j.push[k], now), blocked(&j.push[k], free_))
        half = 0.5 * s.dt * blocked(&j.push[k], bend)
        e[k - first] = component(error, direction[k])
        back = way_back(s, e[k - first], TURN if direction[k] < 3 else 1.0)
        if at_once:
            bend_row(b, half, &j.link)
        else:
            back -= half
        b.position_target[3 * b.problem.n_cones + b.n_rows - 1] = back
        push_ends(b, s, j, j.push[k], 1.0)
    if j.soft[direction[first] >= 3].softness > 0.0:
        soften(s, b, &j.soft[direction[first] >= 3], e)
    return 0


cdef inline Motion with_turning_rows(const LoopRows* rows, Mat3 R, Motion now, Motion bend) noexcept nogil:
    """The rate `bend` of (w, d'), world axes, and what rows see of w besides since their axes turn."""
    cdef Motion rate
    if not loop_rows_turn(rows.kind):
        return bend
    rate = row_rate(rows, motion(tmul3(R, now.w), tmul3(R, now.v)), motion(zero3(), zero3()))
    return motion(add3(bend.w, mul3(R, row_force(rows, force(rate.w, zero3())).n)), bend.v)


cdef int write_joint(const Scene* s, Builder* b, BodyJoint* j) except -1 nogil:
    """Its rows, rotations by themselves where they give way."""
    cdef Mat3 R = axes_of(s, &j.before)
    cdef Motion error, now, free_, bend
    cdef LoopRows rows = rows_between(j, R, axes_of(s, &j.after))
    cdef int[6] direction
    cdef int k, n = rows_of(j, direction), middle = rotations(j) if gives_way(j) else 0
    j.at = origin_of(s, &j.after)
    error = joint_error(j, R, origin_of(s, &j.before), axes_of(s, &j.after), j.at)
    now, free_ = motion_at_start(s, j, j.at), free_motion_at(s, j, j.at)
    bend = with_turning_rows(&rows, R, now, bend_of(s, j, j.at))
    for k in range(n):
        j.push[k] = push_of(&rows, &R, direction[k])
    write_rows(s, b, j, 0, middle, error, now, free_, bend)
    write_rows(s, b, j, middle, n, error, now, free_, bend)
    if acts(&j.freedom):
        write_freedom(s, b, j, R, &rows, now, free_, bend)
    return 0


cdef int write_turn(const Scene* s, Builder* b, const BodyJoint* j, int side) except -1 nogil:
    """What the load on a joint does against the rotation of a light body, implicitly."""
    cdef const BodyHandle* body = s.body + (j.before.handle if side else j.after.handle)
    cdef double dt = s.dt
    cdef Vec3 axis
    cdef int k
    begin_block(b, BILATERAL, 3, Key(source=JOINT_SOURCE, id_a=j.link.id, id_b=0, feature=OTHER + side))
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / (dt * dt * j.turning[side])
    for k in range(3):
        axis = vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        add_row(b, dot3(axis, s.single_state[body.index].w), dot3(axis, s.single_scratch[body.index].w_free))
        add_push(b, s, body, s.single_state[body.index].p, zero3(), axis)
    return 0


cdef int write_joints(const Scene* s, Builder* b) except -1 nogil:
    cdef int k, side
    for k in range(s.link[JOINT_LINK].n):
        if not joint_of(s, k).link.near:
            continue
        write_joint(s, b, joint_of(s, k))
        for side in range(2):
            if joint_of(s, k).turning[side] > 0.0:
                write_turn(s, b, joint_of(s, k), side)
    return 0


cdef void apply(const Scene* s, BodyJoint* j, const ContactProblem* p, const Block* block, Force total) noexcept nogil:
    """Give what a block did in all to the two bodies, and note it."""
    cdef const BodyHandle* A = s.body + j.after.handle
    cdef const BodyHandle* B = s.body + j.before.handle
    cdef bint outside = not in_one_tree(s, A, B)
    cdef int row
    for row in range(block.first_row, block.first_row + block.rows):
        if A.kind == SYSTEM_BODY:
            gather_row(p, row, s.system + A.index)
        if B.kind == SYSTEM_BODY and not (A.kind == SYSTEM_BODY and A.index == B.index):
            gather_row(p, row, s.system + B.index)
    note_wrench(&j.link.next, total.n, total.f)
    push_body(s, A, j.at, total.f, total.n, outside)
    push_body(s, B, j.at, scale3(-1.0, total.f), scale3(-1.0, total.n), outside)
    if A.kind == SINGLE_BODY:
        s.single_scratch[A.index].in_contact = True
    if B.kind == SINGLE_BODY:
        s.single_scratch[B.index].in_contact = True


cdef Force read_rows(BodyJoint* j, const ContactProblem* p, const Block* block) noexcept nogil:
    """Keep the impulses of a block of its rows; what they do in all."""
    cdef Force total = zero_f()
    cdef int k, first = rotations(j) if block.key.feature == SHIFTED else 0
    for k in range(block.rows):
        j.link.next.impulse[first + k] = p.impulse[block.first_row + k]
        total = add_f(total, scale_f(p.impulse[block.first_row + k], j.push[first + k]))
    return total


cdef Force read_freedom(const Scene* s, BodyJoint* j, const ContactProblem* p, const Block* block) noexcept nogil:
    """Keep the impulse of a block along what it allows, behind those of its rows; what it does."""
    cdef Reading what = reading_of(block.key.feature, j.kind)
    cdef int allowed = allowed_directions(j.kind), k, at = j.link.rows
    cdef double impulse = what.sign * p.impulse[block.first_row]
    cdef Mat3 R = axes_of(s, &j.before)
    cdef LoopRows rows = rows_between(j, R, axes_of(s, &j.after))
    for k in range(what.direction):
        at += allowed >> k & 1
    j.link.next.impulse[at] += impulse
    if block.key.feature == DRIVE:
        j.link.next.drive = impulse
    return scale_f(impulse, push_of(&rows, &R, what.direction))


cdef void read_turn(const Scene* s, BodyJoint* j, const ContactProblem* p, const Block* block) noexcept nogil:
    """What its load did against the rotation of a light body."""
    cdef const double* impulse = p.impulse + block.first_row
    cdef Vec3 moment = vec3(impulse[0], impulse[1], impulse[2])
    if block.key.feature > OTHER:
        push_body(s, s.body + j.before.handle, j.at, zero3(), moment, True)
    else:
        note_wrench(&j.link.next, moment, zero3())
        push_body(s, s.body + j.after.handle, j.at, zero3(), moment, True)


cdef void read_joints(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """The blocks are those of all joints, in order."""
    cdef BodyJoint* j = NULL
    cdef const Block* block
    cdef int i, feature, k = -1
    for i in range(share.block, share.block_end):
        block = p.block + i
        feature = block.key.feature
        while k < 0 or block.key.id_a != j.link.id:
            k += 1
            j = joint_of(s, k)
        if feature <= SHIFTED:
            apply(s, j, p, block, read_rows(j, p, block))
        elif feature < OTHER:
            apply(s, j, p, block, read_freedom(s, j, p, block))
        else:
            read_turn(s, j, p, block)
