"""Surgery: what grows, cuts out and takes apart whole pieces of a Mechanism.

Each function checks first, builds every copy, and only then changes the mechanism: an error leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from rbdyn.errors import Error, MechanismError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Maps, Mechanism
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array, _shown
from rbdyn.spatial.transform import Transform


def attach_mechanism(
    mechanism: Mechanism,
    parent_body: RigidBody,
    child: Mechanism,
    child_root_pose: Transform | None = None,
    prefix: str = "",
) -> Maps:
    """See `Mechanism.attach_mechanism`."""
    if not isinstance(child, Mechanism):
        raise MechanismError(f"child must be a Mechanism, got {_shown(child)}")
    if child_root_pose is not None and not isinstance(child_root_pose, Transform):
        raise MechanismError(f"child_root_pose must be a Transform, got {_shown(child_root_pose)}")
    if not isinstance(prefix, str):
        raise MechanismError(f"prefix must be a string, got {_shown(prefix)}")
    _check_body(mechanism, parent_body, "parent_body")
    _check_names(mechanism, parent_body, child, prefix)
    pose = child_root_pose or Transform()
    maps = _copies(child.bodies[1:], child.joints, prefix)
    edges = [(joint, child.edge(joint)) for joint in child.joints]

    # The root's own parts, placed on the parent body but not yet given to it.
    root = child.root_body
    twin = _copy_body(root, prefix)
    root_name = _free_name(mechanism, parent_body, child, prefix)
    frames = {root_name: (twin.frame, pose)}
    frames |= {name: (frame, pose @ local) for name, (frame, local) in twin.frames.items()}
    collision = [*parent_body.collision, *(item.moved(pose) for item in twin.collision)]
    visual = [*parent_body.visual, *(item.moved(pose) for item in twin.visual)]
    inertia = parent_body.inertia + root.inertia.transformed(pose)
    maps.frames.update(_frame_map(root, twin, prefix))
    maps.bodies[root] = parent_body
    merged = {prefix + name: maps.bodies[host] for name, host in child._merged_names.items()}

    parent_body.frames.update(frames)
    parent_body.collision, parent_body.visual, parent_body.inertia = collision, visual, inertia
    for joint, edge in edges:
        mechanism.attach(
            maps.bodies[edge.predecessor],
            maps.bodies[edge.successor],
            maps.joints[joint],
            pose @ edge.joint_pose if edge.predecessor is root else edge.joint_pose,
            edge.successor_pose @ pose.inverse() if edge.successor is root else edge.successor_pose,
        )
    mechanism._merged_names |= {**merged, root_name: parent_body}
    return maps


def submechanism(mechanism: Mechanism, body: RigidBody, gravity: str | ArrayLike = "copy") -> tuple[Mechanism, Maps]:
    """See `Mechanism.submechanism`."""
    _check_body(mechanism, body, "body")
    vector = _turned(mechanism.gravity, gravity)
    below = bodies_below(mechanism, body)
    inside = set(below)
    joints = [
        joint
        for joint in mechanism.joints
        if mechanism.edge(joint).predecessor in inside and mechanism.edge(joint).successor in inside
    ]
    maps = _copies(below, joints, "")
    part = Mechanism(maps.bodies[body], vector)
    for joint in joints:
        edge = mechanism.edge(joint)
        part.attach(
            maps.bodies[edge.predecessor],
            maps.bodies[edge.successor],
            maps.joints[joint],
            edge.joint_pose,
            edge.successor_pose,
        )
    part._merged_names = {n: maps.bodies[host] for n, host in mechanism._merged_names.items() if host in inside}
    return part, maps


def bodies_below(mechanism: Mechanism, body: RigidBody) -> tuple[RigidBody, ...]:
    """`body` and all that the spanning tree carries on it, a parent before its children."""
    below = {body: None}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        if edge.predecessor in below:
            below[edge.successor] = None
    return tuple(below)


def _check_body(mechanism: Mechanism, body: object, what: str) -> None:
    if not isinstance(body, RigidBody):
        raise MechanismError(f"{what} must be a RigidBody of mechanism {mechanism.name!r}, got {_shown(body)}")
    mechanism._check_inside(body)


# ---- names and copies ------------------------------------------------------------------------


def _check_names(mechanism: Mechanism, parent_body: RigidBody, child: Mechanism, prefix: str) -> None:
    """MechanismError if a name that the copies of `child` would bring is taken."""
    for kind, names, taken in (
        ("body", (b.name for b in child.bodies[1:]), (mechanism._body_names, mechanism._merged_names)),
        ("frame", child._merged_names, (mechanism._body_names, mechanism._merged_names)),
        ("joint", (j.name for j in child.joints), (mechanism._joint_names,)),
        ("frame", child.root_body.frames, (parent_body.frames, {parent_body.name: parent_body})),
    ):
        for name in names:
            if any(prefix + name in known for known in taken):
                raise MechanismError(
                    f"mechanism {mechanism.name!r} already has the name {prefix + name!r}, which {kind} {name!r} of "
                    f"child {child.name!r} would take with prefix={prefix!r}; give another prefix"
                )


def _free_name(mechanism: Mechanism, parent_body: RigidBody, child: Mechanism, prefix: str) -> str:
    """The name under which the child's root frame lives on: the prefixed one, numbered if it is taken."""
    brought = (*(b.name for b in child.bodies[1:]), *child._merged_names, *child.root_body.frames)
    taken = {*mechanism._body_names, *mechanism._merged_names, *parent_body.frames, *(prefix + n for n in brought)}
    stem = name = prefix + child.root_body.name
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    return name


def _copies(bodies: Sequence[RigidBody], joints: Sequence[Joint], prefix: str) -> Maps:
    """Loose copies of `bodies` and `joints`, with all their frames."""
    maps = Maps()
    for body in bodies:
        twin = maps.bodies[body] = _copy_body(body, prefix)
        maps.frames.update(_frame_map(body, twin, prefix))
    names = {joint.name for joint in joints}
    for joint in joints:
        copied = maps.joints[joint] = joint.copy(prefix + joint.name)
        if joint.mimic is not None:
            leader = joint.mimic.joint
            copied.mimic = replace(joint.mimic, joint=prefix + leader) if leader in names else None
        maps.frames[joint.frame_before] = copied.frame_before
        maps.frames[joint.frame_after] = copied.frame_after
    return maps


def _copy_body(body: RigidBody, prefix: str) -> RigidBody:
    """A copy whose own name, and those of its frames and shapes, begin with `prefix`."""
    twin = RigidBody(
        prefix + body.name,
        body.inertia,
        [replace(item, name=prefix + item.name if item.name else "") for item in body.collision],
        [replace(item, name=prefix + item.name if item.name else "") for item in body.visual],
    )
    for name, (_, pose) in body.frames.items():
        twin.add_frame(prefix + name, pose)
    return twin


def _frame_map(body: RigidBody, twin: RigidBody, prefix: str) -> Mapping[CartesianFrame, CartesianFrame]:
    """Each frame of `body` -> that of its copy."""
    pairs = {body.frame: twin.frame}
    return pairs | {frame: twin.frames[prefix + name][0] for name, (frame, _) in body.frames.items()}


def _turned(vector: Array, gravity: str | ArrayLike) -> Array:
    """`vector` itself for "copy", turned by `gravity` for a rotation."""
    if isinstance(gravity, str) and gravity == "copy":
        return vector
    if gravity is None or isinstance(gravity, str):
        raise MechanismError(f'gravity must be "copy" or a (3, 3) rotation, got {_shown(gravity)}')
    try:
        return Transform(rotation=gravity).rotation @ vector
    except (Error, TypeError) as error:
        raise MechanismError(f'gravity must be "copy" or a (3, 3) rotation: {error}') from None
