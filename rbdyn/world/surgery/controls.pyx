"""What drives a system that was exchanged, and what acted on it: by joint, and by body."""

from libc.string cimport memcpy

from rbdyn.model.model cimport Model, Placement
from rbdyn.spatial._algebra cimport Mat3, Vec3, add33, add_f, matmul3, mul3, outer3, sub3, transpose3
from rbdyn.stepping.freedom cimport Softness
from rbdyn.stepping.scene cimport JOINT_FORCES, System, SystemControl, SystemScratch
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.surgery.draft cimport Draft, link_of

cdef enum:
    PER_V = 24                # arrays of control and scratch with a number for each degree of freedom
    PER_Q = 2


cdef void per_v(System* s, double** array) noexcept:
    """Those of control, then what acted in the latest step."""
    cdef SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    array[0], array[1], array[2], array[3], array[4] = c.kp, c.kd, c.v_ref, c.tau_ff, c.effort_lower
    array[5], array[6], array[7], array[8], array[9] = c.effort_upper, c.damping, c.stiffness, c.no_load_speed, c.lower
    array[10], array[11], array[12], array[13] = c.upper, c.restitution, c.top_speed, c.friction
    array[14], array[15], array[16], array[17] = c.static_friction, c.static_threshold, w.applied, w.acceleration
    array[18], array[19], array[20], array[21] = w.passive, w.motor_impulse, c.limit_softness, c.limit_damping
    array[22], array[23] = c.mimic_softness, c.mimic_damping


cdef int carry_joints(ArticulatedSystem source, Model was, bint targeted, System* a, Draft draft,
                      System* b) except -1:
    """The numbers of the joints whose coordinates go on."""
    cdef double* before[PER_V]
    cdef double* after[PER_V]
    cdef Model model = draft.model
    cdef int old_v, new_v, old_q, new_q, i, k
    cdef size_t size
    per_v(a, before)
    per_v(b, after)
    for joint, (robot, old) in draft.origin.items():
        if robot is not source:
            continue
        k, i = link_of(was, old), link_of(model, joint)
        old_v, new_v, old_q, new_q = was.c.vi[k], model.c.vi[i], was.c.qi[k], model.c.qi[i]
        size = joint.num_velocities * sizeof(double)
        for k in range(PER_V):
            memcpy(after[k] + new_v, before[k] + old_v, size)
        for k in range(<int> JOINT_FORCES):
            memcpy(b.work.by_rows + k * b.m.nv + new_v, a.work.by_rows + k * a.m.nv + old_v, size)
        size = joint.num_positions * sizeof(double)
        memcpy(b.control.q_spring + new_q, a.control.q_spring + old_q, size)
        if targeted:
            memcpy(b.control.q_ref + new_q, a.control.q_ref + old_q, size)
    return 0


cdef int carry_loops(tuple loops, System* a, Draft draft, System* b) except -1:
    """The numbers of loop joints that are still loop joints."""
    cdef int i, j
    here = {joint: k for k, joint in enumerate(draft.mechanism.non_tree_joints)}
    for k, joint in enumerate(loops):
        if joint in here:
            i, j = k, here[joint]
            b.control.loop[j] = a.control.loop[i]
            memcpy(b.control.soft + 2 * j, a.control.soft + 2 * i, 2 * sizeof(Softness))
            memcpy(b.work.loops.force + 6 * j, a.work.loops.force + 6 * i, 6 * sizeof(double))
    return 0


cdef int carry_wrenches(Model was, System* a, Draft draft, System* b) except -1:
    """The external forces given for the coming step, to the bodies that are there still."""
    cdef Placement old, new
    cdef Mat3 R
    cdef Vec3 r, f
    cdef int i, j
    if not a.control.has_wrenches:
        return 0
    for body in was.bodies:
        new, old = draft.model.placements.get(body.frame), was.placements[body.frame]
        if new is None or old.body >= a.m.nb:
            continue
        i, j = old.body, new.body
        f = a.control.wrench[i].f
        R = matmul3(new.R, transpose3(old.R))            # internal axes before to those now
        r = sub3(new.p, mul3(R, old.p))                  # from the internal origin now to that before
        b.control.wrench[j] = add_f(b.control.wrench[j], a.control.wrench[i])
        b.control.lever[j] = add33(b.control.lever[j], add33(matmul3(R, a.control.lever[i]), outer3(r, f)))
        b.control.has_wrenches = True
    return 0


cdef int carry_balls(ArticulatedSystem source, Model was, list before, Draft draft) except -1:
    """The limits of ball joints, which may have been set since."""
    known = {limit[1]: limit for limit in before}
    spherical = {}
    for joint, (robot, old) in draft.origin.items():
        if robot is source and joint.num_velocities == 3:
            spherical[draft.model.joint_v_index(joint.name)] = (draft.model.joint_q_index(joint.name),
                                                                was.joint_v_index(old.name))
    limits = [limit for limit in draft.robot._ball_limits() if limit[1] not in spherical]
    limits += [(q, dof, *known[old][2:]) for dof, (q, old) in spherical.items() if old in known]
    draft.robot.put_balls(sorted(limits))
    return 0


cdef int carry_control(list robots, Draft draft, dict old) except -1:
    """Numbers of `draft`, which is in its place and has begun, from those of the systems before.

    `old` has of each robot the address of its system, its Model, loop joints, ball limits, and whether it had a target.
    The mode is that of the first of those that it consists of; gains of joints that were under forces alone become 0
    where another one brings PD control.
    """
    cdef ArticulatedSystem source
    cdef System* a
    cdef System* b = draft.robot.system()
    sources = {robot for robot, _ in draft.origin.values()}
    ordered = [robot for robot in robots if robot in sources or robot is draft.robot] or robots[:1]
    begun = False
    for source in ordered:
        address, was, loops, balls, targeted = old[source]
        a = <System*> <size_t> address
        if not begun:
            b.control.motor_limits, b.control.inloop = a.control.motor_limits, a.control.inloop
            b.work.lasted = a.work.lasted
            draft.robot.targeted = False
        begun = True
        carry_joints(source, was, targeted, a, draft, b)
        carry_loops(loops, a, draft, b)
        carry_balls(source, was, balls, draft)
        b.control.pd = b.control.pd or a.control.pd
        draft.robot.targeted = draft.robot.targeted or targeted
    for address, was, *_ in old.values():            # also of robots that had no joint which goes on
        carry_wrenches(was, <System*> <size_t> address, draft, b)
    if b.control.pd:
        for source in ordered:
            a = <System*> <size_t> old[source][0]
            if not a.control.pd:
                silence(source, draft, b)
    draft.robot.put_numbers({})
    return 0


cdef int silence(ArticulatedSystem source, Draft draft, System* b) except -1:
    """No gains on the joints that came from a robot."""
    cdef int k, j
    for joint, (robot, _) in draft.origin.items():
        if robot is source:
            k = draft.model.c.vi[link_of(draft.model, joint)]
            for j in range(k, k + <int> joint.num_velocities):
                b.control.kp[j] = b.control.kd[j] = 0.0
    return 0
