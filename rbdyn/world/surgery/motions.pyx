"""Configuration and velocity of a system that was exchanged: what bodies did goes on.

A joint whose coordinates go on keeps q and v to the bit.  Another one between bodies that were there gets the q nearest
to where they are.  What it forbids of their relative velocity ends by its impulse: v+ is the velocity of the new
mechanism that is nearest to that of all bodies before, in kinetic energy,

    M v+ = sum J_i^T I_i V_i,

so that the momentum of whatever floats stays, and no energy is made.  A rotor that is new was at rest.
"""

import math

import numpy as np

from rbdyn.algorithms.dynamics.ltdl import solve_mass_matrix
from rbdyn.algorithms.loops.constrained import project_velocity
from rbdyn.arguments import shown
from rbdyn.errors import MechanismError
from rbdyn.spatial.transform import Transform
from rbdyn.world.objects.joints.closed_loops import closed

from libc.string cimport memcpy

from rbdyn.algorithms.inputs.regular cimport check_regular
from rbdyn.arguments.arrays cimport data
from rbdyn.kernels.aba cimport aba_inward
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport joint_force
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.pose cimport Pose, inverse, pose_of
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, add3, add_f, apply_t, cross3, eye3, force, matmul3, motion, mul3, mul_i, scale3, sub3,
    sub_m, tmul3, transpose3, vec3, zero3, zero_f,
)
from rbdyn.spatial.constants cimport load_inertia
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.surgery.draft cimport Draft, link_of


cdef object array3(Vec3 a):
    return np.array([a.x, a.y, a.z])


cdef object array33(Mat3 A):
    return np.array([[A.xx, A.xy, A.xz], [A.yx, A.yy, A.yz], [A.zx, A.zy, A.zz]])


cdef struct Going:               # a body's frame, world axes
    Mat3 R
    Vec3 p                       # [m]
    Vec3 w                       # [rad/s]
    Vec3 v                       # of its origin [m/s]


cdef Going going_of(const CModel* m, CData* d, Placement place):
    """How a frame moves."""
    cdef Going g
    cdef int i = place.body
    cdef Vec3 arm
    poses(m, d)
    velocities(m, d)
    arm = mul3(d.R[i], place.p)
    g.R, g.p = matmul3(d.R[i], place.R), add3(d.p[i], arm)
    g.w = mul3(d.R[i], d.vel[i].w)
    g.v = add3(mul3(d.R[i], d.vel[i].v), cross3(g.w, arm))
    return g


cdef Going fixed_to(Going g, Pose pose) noexcept:
    """A frame that is fixed to this one at `pose`."""
    cdef Vec3 arm = mul3(g.R, pose.p)
    g.R, g.p = matmul3(g.R, pose.R), add3(g.p, arm)
    g.v = add3(g.v, cross3(g.w, arm))
    return g


cdef tuple seen_from(Going g, Going other):
    """Pose in `other`, and twist (6,) relative to it in this frame's own axes."""
    cdef Vec3 arm = sub3(g.p, other.p)
    cdef Vec3 w = tmul3(g.R, sub3(g.w, other.w))
    cdef Vec3 v = tmul3(g.R, sub3(sub3(g.v, other.v), cross3(other.w, arm)))
    pose = Transform(rotation=array33(matmul3(transpose3(other.R), g.R)), translation=array3(tmul3(other.R, arm)))
    return pose, np.array([w.x, w.y, w.z, v.x, v.y, v.z])


cdef tuple holder(list robots, object body):
    """The robot among these that had a body, and where it was in that; None if it is new."""
    cdef ArticulatedSystem robot
    for robot in robots:
        place = robot.model.placements.get(body)
        if place is not None:
            return robot, place
    return None


cdef bint find_motion(list robots, object body, Going* g) except -1:
    """How a body moved; False if it is new."""
    cdef ArticulatedSystem robot
    found = holder(robots, body)
    if found is None:
        return False
    robot = found[0]
    g[0] = going_of(&robot.model.c, &robot.state.c, found[1])
    return True


cdef int find_origins(list robots, Draft draft, object plan) except -1:
    """Which joints of the new tree have whose coordinates."""
    cdef ArticulatedSystem robot
    here = {new: old for old, new in plan.joints.items()}
    had = {joint: robot for robot in robots for joint in robot.tree}
    turned = None
    for joint in draft.mechanism.tree_joints:
        if not joint.num_velocities:
            continue
        old = here.get(joint, joint)
        if old not in had and joint.num_velocities == 1:      # reversed by an edit of the user's: frames changed sides
            if turned is None:
                turned = {one.frame_after: one for one in had}
            old = turned.get(joint.frame_before, joint)
        if old in had:
            draft.origin[joint] = had[old], old


cdef int set_configuration(list robots, Draft draft, object plan) except -1:
    """q and v of every joint by itself."""
    cdef ArticulatedSystem robot
    cdef Model model = draft.model
    cdef const CModel* old
    cdef const CModel* new = &model.c
    cdef int i, j
    q, v = model.neutral(), np.zeros(model.c.nv)
    there = {joint for robot in robots for joint in robot.tree}
    for joint in draft.mechanism.tree_joints:
        if joint in draft.origin:
            robot, source = draft.origin[joint]
            old = &robot.model.c
            i, j = link_of(robot.model, source), link_of(model, joint)
            memcpy(data(q) + new.qi[j], robot.state.c.q + old.qi[i], joint.num_positions * sizeof(double))
            memcpy(data(v) + new.vi[j], robot.state.c.v + old.vi[i], new.nvi[j] * sizeof(double))
        elif joint.num_velocities or joint not in there:
            follow(robots, draft, plan, joint, q, v)
    draft.state.set(q, v)
    return 0


cdef int follow(list robots, Draft draft, object plan, object joint, object q, object v) except -1:
    """Give a joint that is new the numbers with which its bodies are where they were, and move as they did."""
    cdef Going start, end
    edge, kind = draft.mechanism.edge(joint), joint.joint_type
    if not find_motion(robots, edge.predecessor, &start):
        if edge.predecessor is not draft.mechanism.root_body:
            return 0
        start.R, start.p, start.w, start.v = eye3(), zero3(), zero3(), zero3()
    if not find_motion(robots, edge.successor, &end):
        return 0
    end = fixed_to(end, inverse(pose_of(edge.successor_pose)))
    pose, twist = seen_from(end, fixed_to(start, pose_of(edge.joint_pose)))
    own = plan.rest[joint] if joint in plan.rest else within(joint, kind.configuration(pose))
    check_gap(joint, pose, kind.pose(own), plan.tolerance)
    if joint.num_velocities:
        iq, iv = draft.model.joint_q_index(joint.name), draft.model.joint_v_index(joint.name)
        q[iq:iq + joint.num_positions] = own
        v[iv:iv + joint.num_velocities] = kind.velocity(own, twist)
    draft.followed.append(joint)
    return 0


def within(joint, q):
    """`q`, whole turns added to an angle that is beyond its limits if that brings it inside."""
    if not joint.joint_type.periodic or joint.position_limits is None:
        return q
    lower, upper = joint.position_limits
    turn = 2.0 * math.pi
    turns = math.ceil((lower - q[0]) / turn) if q[0] < lower else -math.ceil((q[0] - upper) / turn)
    turned = q + turn * turns if not lower <= q[0] <= upper else q
    return turned if lower <= turned[0] <= upper else q


def check_gap(joint, pose, reached, tolerance):
    """MechanismError if a joint cannot be where its bodies are."""
    off = reached.inverse() @ pose
    moved = float(np.linalg.norm(off.translation))
    sine = 0.5 * np.array([off.rotation[2, 1] - off.rotation[1, 2], off.rotation[0, 2] - off.rotation[2, 0],
                           off.rotation[1, 0] - off.rotation[0, 1]])
    turned = math.atan2(float(np.linalg.norm(sine)), 0.5 * (float(np.trace(off.rotation)) - 1.0))
    if moved > tolerance or turned > tolerance:
        raise MechanismError(
            f"joint {joint.name!r} ({joint.joint_type.kind}) is {moved:.3g} m and {turned:.3g} rad away from where its "
            f"bodies are, more than the tolerance of {shown(tolerance)}; bring them nearer, or give poses as they are"
        )


cdef Motion change_of(Draft draft, Placement place, Going before):
    """What a body's frame did before less what it does now, in the internal axes of the body that carries it."""
    cdef CData* d = &draft.state.c
    cdef int i = place.body
    cdef Vec3 w = tmul3(d.R[i], before.w)
    cdef Vec3 v = sub3(tmul3(d.R[i], before.v), cross3(w, place.p))
    return sub_m(motion(w, v), d.vel[i])


cdef Force momentum_of(object inertia, Placement place, Motion change):
    """Inertia of a body times its velocity, both of the internal frame that carries it."""
    cdef Vec3 c, w, p, L
    cdef double mass = inertia.mass
    com, J = inertia.com.tolist(), inertia.inertia
    c = add3(place.p, mul3(place.R, vec3(com[0], com[1], com[2])))
    w = tmul3(place.R, change.w)
    p = scale3(mass, add3(change.v, cross3(change.w, c)))
    spin = (J @ array3(w)).tolist()
    L = mul3(place.R, vec3(spin[0], spin[1], spin[2]))
    return force(add3(L, cross3(c, p)), p)


cdef int share_momentum(list robots, Draft draft) except -1:
    """What new joints forbid of the velocities of their bodies ends by their impulses."""
    cdef CModel* m = &draft.model.c
    cdef CData* d = &draft.state.c
    cdef ArticulatedSystem robot
    cdef Placement place
    cdef Motion change
    cdef double[6] t
    cdef int i, k
    cdef double[::1] impulse = np.zeros(m.nv)
    poses(m, d)
    velocities(m, d)
    on = {}
    for body in draft.mechanism.bodies:
        place = draft.model.placements[body]
        on.setdefault(place.body, []).append((body, place))
    for i in range(m.nb):
        d.f[i] = zero_f()
    for carrier, group in on.items():
        i = carrier
        for body, place in group:
            found = holder(robots, body) if i else None
            if found is None:
                continue
            robot = found[0]
            change = change_of(draft, place, going_of(&robot.model.c, &robot.state.c, found[1]))
            if len(group) == 1:
                d.f[i] = add_f(d.f[i], mul_i(load_inertia(m.I_b + i), change))
            else:
                d.f[i] = add_f(d.f[i], momentum_of(body.inertia, place, change))
    for i in range(m.nb - 1, 0, -1):
        joint_force(m, d, i, d.f[i], t)
        for k in range(m.nvi[i]):
            impulse[m.vi[i] + k] = t[k]
        if m.parent[i]:
            d.f[m.parent[i]] = add_f(d.f[m.parent[i]], apply_t(d.X[i], d.f[i]))
    v = np.array(draft.state.v)
    b = np.asarray(impulse)
    for joint in [one for one in draft.followed if one.num_velocities]:
        k = draft.model.joint_v_index(joint.name)
        b[k:k + joint.num_velocities] -= joint.rotor_inertia * v[k:k + joint.num_velocities]
    draft.state.set(None, v + solve_mass_matrix(draft.state, b))
    return 0


cdef int carry_motion(list robots, Draft draft, object plan) except -1:
    """Give a draft the q and v with which its bodies are where they were, and move as they did."""
    cdef ArticulatedSystem robot
    find_origins(robots, draft, plan)
    for robot in robots:
        if draft.mechanism.root_body in robot.model.placements:
            draft.state.copy_root_pose(robot.state)
            break
    set_configuration(robots, draft, plan)
    no_force = np.zeros(draft.model.c.nv)
    aba_inward(&draft.model.c, &draft.state.c, data(no_force), NULL, False)
    check_regular(draft.model, &draft.state.c)
    if draft.model.has_loops:
        draft.state.set(closed(draft.state, draft.state.q), None)
    if any([joint.num_velocities < 6 for joint in draft.followed]):
        share_momentum(robots, draft)
    if draft.model.has_loops:
        draft.state.set(None, project_velocity(draft.state))
    return 0
