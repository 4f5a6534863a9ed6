"""From the graph to numbers: which body moves with which, and where every frame sits.

Bodies on fixed joints are merged into the body that carries them.  Each moving body gets an internal frame: the
after-frame of its joint, turned so that a one-dof joint's axis is z; the kernels then read columns off instead of
multiplying by an axis.
"""

from collections import Counter
from dataclasses import fields

import numpy as np

from rbdyn.errors import MechanismError
from rbdyn.mechanism.editing import editing
from rbdyn.mechanism.frames import WORLD
from rbdyn.mechanism.joints.joint_type import JointType
from rbdyn.mechanism.joints.one_axis import OneAxis

from libc.math cimport INFINITY

from rbdyn.arguments.arrays cimport data, read_only
from rbdyn.model.part cimport Part, check_sum, new_part
from rbdyn.model.pose cimport compose, inverse, no_pose, numbers, pose_of, rotation_of

PER_V = ("rotor_inertia", "damping", "friction", "stiffness", "effort_limit", "velocity_limit")
PER_Q = ("lower", "upper", "spring_reference")

cdef dict kinds = {}             # joint class -> Kind
cdef dict turns = {}             # axis -> what turns it to z, as Turned
cdef int MOST_TURNS = 4096


cdef class Turned:
    """The canonical rotation of a joint type."""

    cdef Pose pose


cdef class Kind:
    """What kernels know of a joint type."""


cdef class Link:
    """A moving body, or the root."""


cdef class Loop:
    """A joint outside the tree."""


cdef class Seat:
    """Where a frame sits on the body that carries it."""


cdef class Tree:
    """What a Model is filled from."""


cdef Kind kind_of(object joint_type):
    """That of a joint's type; the numbers of a class are read once."""
    cdef Kind kind
    cls = type(joint_type)
    found = kinds.get(cls)
    if found is None:
        kind = Kind.__new__(Kind)
        kind.kernel, kind.representation = joint_type.kernel_kind, joint_type.representation
        kind.nq, kind.nv = joint_type.num_positions, joint_type.num_velocities
        if joint_type.normalised is not None:
            kind.block = joint_type.normalised.start
            kind.block_size = joint_type.normalised.stop - kind.block
        kind.has_parameter = cls.kernel_parameter is not JointType.kernel_parameter
        kind.names = {f.name for f in fields(joint_type)}
        kinds[cls] = found = kind
    return found


cdef Pose canonical(object joint_type):
    """What turns the joint frame to the axes the kernels work in."""
    cdef Turned turned
    axis = joint_type.axis if isinstance(joint_type, OneAxis) else None
    found = turns.get(axis) if axis is not None else None
    if found is None:
        turned = Turned.__new__(Turned)
        turned.pose = rotation_of(joint_type.canonical_rotation())
        if axis is None:
            return turned.pose
        if len(turns) >= MOST_TURNS:
            turns.clear()
        turns[axis] = found = turned
    return (<Turned> found).pose


cdef Kind checked_kind(object joint):
    """The kind of a joint, whose type has its own numbers and nothing else: what kernels rely on is of its class."""
    joint_type = joint.joint_type
    cdef Kind kind = kind_of(joint_type)
    if joint_type.__dict__.keys() != kind.names:
        more = sorted(set(joint_type.__dict__) - kind.names)
        raise MechanismError(
            f"joint {joint.name!r}: its {type(joint_type).__name__} was given {', '.join(more)} from outside; sizes "
            "and the like belong to the class: make the joint type anew"
        )
    return kind


cdef Seat seat(tuple keys, int body, Pose pose):
    cdef Seat made = Seat.__new__(Seat)
    made.keys, made.body, made.pose = keys, body, pose
    return made


cdef Tree compile_tree(object mechanism):
    """Number the moving bodies of a mechanism and place everything else on them; no edit may be under way."""
    with editing(mechanism):
        return compiled(mechanism)


cdef Tree compiled(object mechanism):
    cdef Tree tree = Tree.__new__(Tree)
    cdef Link link = Link.__new__(Link)
    cdef Part part
    cdef Kind kind
    cdef Seat host
    cdef Pose before, turn, here
    cdef dict where = {}                             # RigidBody -> Seat
    root = mechanism.root_body
    edges = [(joint, mechanism.edge(joint)) for joint in mechanism.joints]
    known = {joint: checked_kind(joint) for joint, _ in edges}
    n_tree = len(mechanism.tree_joints)
    part = new_part(root, no_pose(), False)
    link.body, link.parts = root, [part]
    tree.links, tree.loops, tree.seats = [link], [], []
    where[root] = seat((), 0, part.pose)
    on_joints = []                                   # seats of joints' frames
    for joint, edge in edges[:n_tree]:
        kind, host = known[joint], where[edge.predecessor]
        before = compose(host.pose, pose_of(edge.joint_pose))
        on_joints.append(seat((joint.frame_before.name, joint.frame_before), host.body, before))
        here = pose_of(edge.successor_pose)
        if kind.nv == 0:
            here = compose(before, here)
            where[edge.successor] = seat((), host.body, here)
            (<Link> tree.links[host.body]).parts.append(new_part(edge.successor, here, True))
        else:
            turn = canonical(joint.joint_type)
            here = compose(turn, here)
            where[edge.successor] = seat((), len(tree.links), here)
            link = Link.__new__(Link)
            link.body, link.joint, link.kind, link.parent = edge.successor, joint, kind, host.body
            link.parts, link.tree_pose = [new_part(edge.successor, here, True)], compose(before, inverse(turn))
            tree.links.append(link)
            tree.nq += kind.nq
            tree.nv += kind.nv
        on_joints.append(after_frame(joint, edge, where))
    for link in tree.links:
        if len(link.parts) > 1:
            check_sum(link.parts)
    for joint, edge in edges[n_tree:]:
        add_loop(tree, joint, edge, known[joint], where, on_joints)
    tree.base_joint = base_joint(mechanism, tree.links)
    place_frames(tree, where, on_joints)
    tree.arrays = arrays_of(tree)
    return tree


cdef Seat after_frame(object joint, object edge, dict where):
    """The frame behind a joint."""
    cdef Seat host = where[edge.successor]
    return seat((joint.name, joint.frame_after.name, joint.frame_after), host.body,
                compose(host.pose, inverse(pose_of(edge.successor_pose))))


cdef int add_loop(Tree tree, object joint, object edge, Kind kind, dict where, list on_joints) except -1:
    """A joint that the tree left over, between the bodies that carry its ends."""
    cdef Loop loop = Loop.__new__(Loop)
    cdef Seat start = where[edge.predecessor], end = where[edge.successor]
    cdef Seat after = after_frame(joint, edge, where)
    cdef Pose before = compose(start.pose, pose_of(edge.joint_pose))
    cdef Pose to_joint = inverse(canonical(joint.joint_type))
    loop.joint, loop.kind, loop.predecessor, loop.successor = joint, kind, start.body, end.body
    loop.before, loop.after = compose(before, to_joint), compose(after.pose, to_joint)
    tree.loops.append(loop)
    on_joints.append(seat((joint.frame_before.name, joint.frame_before), start.body, before))
    on_joints.append(after)
    return 0


cdef object base_joint(object mechanism, list links):
    """`Mechanism.base_joint`: found among the links if it floats."""
    cdef Link link, base = None
    for link in links[1:]:
        if link.parent == 0:
            if base is not None:
                return mechanism.base_joint
            base = link
    return base.joint if base is not None and base.kind.nv == 6 else mechanism.base_joint


cdef int place_frames(Tree tree, dict where, list on_joints) except -1:
    """Every frame that can be asked for: bodies before named frames before joints.

    Left out are names that say nothing, since frames of several bodies have them.  "world" is the inertial frame, which
    the root stands in, whatever else has that name.
    """
    cdef Seat host, one
    cdef list others = []
    hosts = Counter()
    for body, host in where.items():
        name = body.name
        tree.seats.append(seat((body, body.frame) if name == WORLD else (body, name, body.frame), host.body, host.pose))
        if body.frames:
            hosts.update(body.frames.keys())
            for name, (frame, local) in body.frames.items():
                others.append(seat((name, frame), host.body, compose(host.pose, pose_of(local))))
    doubtful = {WORLD, *[name for name in hosts if hosts[name] > 1]}
    tree.seats.append(seat((WORLD,), 0, no_pose()))
    others += on_joints
    others.append(seat((tree.base_joint.name,), 0, no_pose()))  # if it stands in no list
    for one in others:
        for key in one.keys:
            if key in doubtful:
                one.keys = tuple([key for key in one.keys if key not in doubtful])
                break
        tree.seats.append(one)
    return 0


cdef dict arrays_of(Tree tree):
    """Per-joint parameters in the order of q or v, read-only."""
    cdef Link link
    cdef double[6] values
    cdef double lower, upper
    cdef double* per_v[6]
    cdef double* per_q[3]
    cdef int k, j, qi = 0, vi = 0
    arrays = {name: np.empty(tree.nv) for name in PER_V}
    arrays |= {name: np.empty(tree.nq) for name in PER_Q}
    for k, name in enumerate(PER_V):
        per_v[k] = data(arrays[name])
    for k, name in enumerate(PER_Q):
        per_q[k] = data(arrays[name])
    for link in tree.links[1:]:
        joint = link.joint
        values[0], values[1], values[2] = joint.rotor_inertia, joint.damping, joint.friction
        values[3], values[4] = joint.stiffness, unlimited(joint.effort_limit)
        values[5] = unlimited(joint.velocity_limit)
        for j in range(vi, vi + link.kind.nv):
            for k in range(6):
                per_v[k][j] = values[k]
        limits = None if joint.position_limits is None or link.kind.nq != link.kind.nv else joint.limits_of_each
        rest = numbers(joint.spring_reference)
        for j in range(link.kind.nq):
            lower, upper = (-INFINITY, INFINITY) if limits is None else limits[j]
            per_q[0][qi + j], per_q[1][qi + j], per_q[2][qi + j] = lower, upper, data(rest)[j]
        qi += link.kind.nq
        vi += link.kind.nv
    for array in arrays.values():
        read_only(array)
    return arrays


cdef double unlimited(object value) except? -1.0:
    """A number; infinity for None."""
    return INFINITY if value is None else value
