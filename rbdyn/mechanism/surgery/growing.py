"""Growing: a body, a loop joint or a copy of a whole mechanism attached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rbdyn.arguments import shown
from rbdyn.errors import MechanismError
from rbdyn.mechanism._owner import check_free, claims
from rbdyn.mechanism._parameter import Change, change
from rbdyn.mechanism._revision import put, put_all
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.frames import WORLD
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.copying import copies, copy_body, frame_map
from rbdyn.mechanism.surgery.filtering import unite
from rbdyn.mechanism.surgery.maps import Maps
from rbdyn.spatial.transform import Transform

IDENTITY = Transform()


def attach(
    mechanism: Graph,
    predecessor: RigidBody | str,
    successor: RigidBody | str,
    joint: Joint,
    joint_pose: Transform | None = None,
    successor_pose: Transform | None = None,
) -> None:
    """See `Mechanism.attach`."""
    predecessor = mechanism._body(predecessor, "predecessor")
    successor = mechanism.find_body(successor) if isinstance(successor, str) else successor
    _check_parts(mechanism, predecessor, successor, joint)
    _check_pose(joint_pose, "joint_pose")
    _check_pose(successor_pose, "successor_pose")
    inside = mechanism._has(successor)
    if not inside:
        _check_new_body(mechanism, successor)
    edge = Edge(predecessor, successor, joint_pose or IDENTITY, successor_pose or IDENTITY)
    put_all([*_joining(mechanism, joint, edge, inside), *mechanism._changes()])


def _joining(mechanism: Graph, joint: Joint, edge: Edge, inside: bool) -> list[Change]:
    """Changes that take in a joint, and the body at its end if that is not `inside` already."""
    body = edge.successor
    changes = claims([joint] if inside else [joint, body], mechanism)
    changes += [(mechanism._edges, joint, edge), (mechanism._joint_names, joint.name, joint)]
    if inside:
        return [*changes, (mechanism._loop_joints, None, joint)]
    return [
        *changes,
        (mechanism._parent_joint, body, joint),
        (mechanism._bodies, None, body),
        (mechanism._body_names, body.name, body),
        (mechanism._tree_joints, None, joint),
    ]


def attach_in_series(
    mechanism: Graph,
    predecessor: RigidBody | str,
    successor: RigidBody,
    joints: Sequence[Joint],
    joint_pose: Transform | None,
    successor_pose: Transform | None,
) -> None:
    """See `Mechanism.attach_in_series`: all is looked at before anything is attached."""
    first = mechanism._body(predecessor, "predecessor")
    if isinstance(joints, (str, Joint)) or not isinstance(joints, Sequence) or not joints:
        raise MechanismError(f"joints must be a sequence of Joints, one at least, got {shown(joints)}")
    for joint in joints:
        _check_parts(mechanism, first, successor, joint)
    if len({joint.name for joint in joints}) < len(joints):
        raise MechanismError(f"joints must have names of their own, got {[joint.name for joint in joints]}")
    if mechanism._has(successor):
        raise MechanismError(f"successor must be a new body, {successor.name!r} is in mechanism {mechanism.name!r}")
    _check_pose(joint_pose, "joint_pose")
    _check_pose(successor_pose, "successor_pose")
    bodies = [RigidBody(f"{successor.name}/{joint.name}") for joint in joints[:-1]] + [successor]
    for body in bodies:
        _check_new_body(mechanism, body)
    changes = mechanism._changes()
    for k, (joint, body) in enumerate(zip(joints, bodies, strict=True)):
        before = (joint_pose if k == 0 else None) or IDENTITY
        after = (successor_pose if k == len(joints) - 1 else None) or IDENTITY
        changes += _joining(mechanism, joint, Edge(first, body, before, after), False)
        first = body
    put_all(changes)


def place_joint(
    mechanism: Graph, joint: Joint | str, joint_pose: Transform | None, successor_pose: Transform | None
) -> None:
    """See `Mechanism.place_joint`."""
    edge = mechanism.edge(joint)
    found = mechanism.find_joint(joint) if isinstance(joint, str) else joint
    _check_pose(joint_pose, "joint_pose")
    _check_pose(successor_pose, "successor_pose")
    poses: dict[str, Any] = {"joint_pose": joint_pose, "successor_pose": successor_pose}
    placed = replace(edge, **{name: pose for name, pose in poses.items() if pose is not None})
    edges = {**mechanism._edges, found: placed}  # a new dict: maps of earlier edits keep the old one
    put(mechanism.__dict__, "_edges", edges, mechanism._revision)


def _check_parts(mechanism: Graph, predecessor: RigidBody, successor: RigidBody, joint: Joint) -> None:
    if not isinstance(successor, RigidBody):
        raise MechanismError(f"successor must be a RigidBody, or the name of one inside, got {shown(successor)}")
    check_joint(joint, "joint")
    if joint in mechanism._edges:
        raise MechanismError(f"joint {joint.name!r} is already attached to mechanism {mechanism.name!r}")
    if joint.name in mechanism._joint_names:
        raise MechanismError(f"mechanism {mechanism.name!r} already has a joint named {joint.name!r}")
    if successor is predecessor:
        raise MechanismError(f"joint {joint.name!r} would join body {successor.name!r} to itself")
    check_free(joint, mechanism)


def check_joint(joint: object, what: str) -> None:
    """MechanismError unless it is a Joint, and no subclass, which could change the sizes that arrays have."""
    if type(joint) is not Joint:
        itself = " itself, not of a class made from it" if isinstance(joint, Joint) else ""
        raise MechanismError(f"{what} must be a Joint{itself}, got {shown(joint)}")


def _check_new_body(mechanism: Graph, body: RigidBody) -> None:
    if body.name in mechanism._body_names:
        raise MechanismError(f"mechanism {mechanism.name!r} already has a body named {body.name!r}")
    if body.name in mechanism._merged_names:
        host = mechanism._merged_names[body.name]
        raise MechanismError(
            f"mechanism {mechanism.name!r} already has a frame named {body.name!r}: a body of that name was merged "
            f"into {host.name!r}"
        )
    check_free(body, mechanism)


def _check_pose(pose: object, what: str) -> None:
    if pose is not None and not isinstance(pose, Transform):
        raise MechanismError(f"{what} must be a Transform, got {shown(pose)}")


def attach_mechanism(
    mechanism: Graph, parent_body: RigidBody | str, child: Graph, child_root_pose: Transform | None, prefix: str
) -> Maps:
    """See `Mechanism.attach_mechanism`."""
    if not isinstance(child, Graph):
        raise MechanismError(f"child must be a Mechanism, got {shown(child)}")
    _check_pose(child_root_pose, "child_root_pose")
    if not isinstance(prefix, str):
        raise MechanismError(f"prefix must be a string, got {shown(prefix)}")
    parent_body = mechanism._body(parent_body, "parent_body")
    _check_names(mechanism, parent_body, child, prefix)
    before, child_before = Before.of(mechanism), Before.of(child)
    pose = child_root_pose or IDENTITY
    maps = copies(child.bodies[1:], child.joints, prefix)
    edges = [(joint, _moved_edge(edge, child.root_body, pose)) for joint, edge in child._ordered_edges()]
    merged = {prefix + name: host for name, host in child._merged_names.items()}
    filters = unite(mechanism, child, {**maps.bodies, child.root_body: parent_body})
    taken = _taken(mechanism, parent_body, child, prefix)
    root_name, changes = _absorb_root(parent_body, child, maps, pose, prefix, taken)
    for joint, edge in edges:
        ends = maps.bodies[edge.predecessor], maps.bodies[edge.successor]
        own = Edge(*ends, edge.joint_pose, edge.successor_pose)
        changes += _joining(mechanism, maps.joints[joint], own, joint not in child_before.tree)
    names = mechanism._merged_names | {name: maps.bodies[host] for name, host in merged.items()}
    own_graph = mechanism._changes(
        _merged_names=names | {root_name: parent_body}, _self_collision=filters[0], _ignored=filters[1]
    )
    put_all([*changes, *own_graph])
    origin = {maps.joints[joint]: joint for joint in child_before.tree}
    return maps._of(mechanism, before, child_before.taken_over_by(origin))


def _moved_edge(edge: Edge, root: RigidBody, pose: Transform) -> Edge:
    """An edge of the child, where its root stands at `pose` in the body that takes the root's place."""
    if edge.predecessor is root:
        return Edge(root, edge.successor, pose @ edge.joint_pose, edge.successor_pose)
    if edge.successor is root:
        return Edge(edge.predecessor, root, edge.joint_pose, edge.successor_pose @ pose.inverse())
    return edge


def _absorb_root(
    parent_body: RigidBody, child: Graph, maps: Maps, pose: Transform, prefix: str, taken: set[str]
) -> tuple[str, list[Change]]:
    """What gives `parent_body` inertia, geometry and frames of the child's root, at `pose`; the root frame's new name.
    """
    root = child.root_body
    twin = copy_body(root, prefix)
    root_name = free_name(twin.name, taken)
    collision = [*parent_body.collision, *(item.moved(pose) for item in twin.collision)]
    visual = [*parent_body.visual, *(item.moved(pose) for item in twin.visual)]
    sensor_sets = (*parent_body.sensor_sets, *(item.moved(pose) for item in twin.sensor_sets))
    inertia = parent_body.inertia + root.inertia.transformed(pose)
    frames = {root_name: (twin.frame, pose)}
    frames |= {name: (frame, pose @ local) for name, (frame, local) in twin.frames.items()}
    maps.frames.update(frame_map(root, twin, prefix))
    maps.bodies[root] = parent_body
    return root_name, [
        *((parent_body.frames, name, fixture) for name, fixture in frames.items()),
        change(parent_body, "collision", collision),
        change(parent_body, "visual", visual),
        change(parent_body, "sensor_sets", sensor_sets),
        (parent_body.__dict__, "inertia", inertia),
    ]


def _check_names(mechanism: Graph, parent_body: RigidBody, child: Graph, prefix: str) -> None:
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


def _taken(mechanism: Graph, parent_body: RigidBody, child: Graph, prefix: str) -> set[str]:
    """The names that the frame of the child's root may not have on `parent_body`."""
    brought = (*(b.name for b in child.bodies[1:]), *child._merged_names, *child.root_body.frames)
    here = (WORLD, *mechanism._body_names, *mechanism._merged_names, *parent_body.frames)
    return {*here, *(prefix + n for n in brought)}


def free_name(stem: str, taken: set[str]) -> str:
    """`stem`, numbered from 2 on if it is taken."""
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    return name
