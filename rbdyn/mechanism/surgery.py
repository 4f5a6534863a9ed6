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
from rbdyn.mechanism.joint_types import Fixed, JointType, Prismatic, Revolute, SinCosRevolute
from rbdyn.mechanism.mechanism import Edge, Maps, Mechanism, _claim, _owner
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


def remove_subtree(mechanism: Mechanism, joint: Joint) -> Maps:
    """See `Mechanism.remove_subtree`."""
    edge = _edge(mechanism, joint)
    if joint in mechanism._loop_joints:
        raise MechanismError(f"joint {joint.name!r} closes a loop and carries no subtree; use remove_joint")
    gone = set(bodies_below(mechanism, edge.successor))
    edges = {j: e for j, e in mechanism._edges.items() if e.predecessor not in gone and e.successor not in gone}
    tree = [j for j in mechanism.tree_joints if j in edges]
    _commit(mechanism, tree, [j for j in mechanism.non_tree_joints if j in edges], edges)
    return Maps()


def remove_joint(mechanism: Mechanism, joint: Joint, split: bool = False) -> Maps | tuple[Mechanism, Mechanism]:
    """See `Mechanism.remove_joint`."""
    edge = _edge(mechanism, joint)
    if not isinstance(split, bool):
        raise MechanismError(f"split must be True or False, got {_shown(split)}")
    edges = {j: e for j, e in mechanism._edges.items() if j is not joint}
    if joint in mechanism._loop_joints:
        inside: set[RigidBody] = set()
        bridge = False
    else:
        inside = set(bodies_below(mechanism, edge.successor))
        bridge = all((e.predecessor in inside) == (e.successor in inside) for e in edges.values())
    if split and not bridge:
        raise MechanismError(f"joint {joint.name!r} lies on a loop: removing it leaves one mechanism; use split=False")
    if split:
        return mechanism, _split_off(mechanism, edge.successor, inside, edges)
    if bridge:
        raise MechanismError(
            f"removing joint {joint.name!r} would cut {edge.successor.name!r} and what it carries off mechanism "
            f"{mechanism.name!r}; pass split=True to get both parts, or use remove_subtree"
        )
    tree, maps = _respan(mechanism, inside, edges)
    loops = [j for j in (*mechanism.non_tree_joints, *mechanism.tree_joints) if j in edges and j not in tree]
    _commit(mechanism, tree, loops, edges)
    return maps


def bodies_below(mechanism: Mechanism, body: RigidBody) -> tuple[RigidBody, ...]:
    """`body` and all that the spanning tree carries on it, a parent before its children."""
    below = {body: None}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        if edge.predecessor in below:
            below[edge.successor] = None
    return tuple(below)


# ---- taking apart ----------------------------------------------------------------------------


def _respan(mechanism: Mechanism, inside: set[RigidBody], edges: dict[Joint, Edge]) -> tuple[list[Joint], Maps]:
    """Hang the bodies `inside`, which lost their tree joint, on the others again; flipped joints change in `edges`.

    Grows the tree one joint at a time, old tree joints before loop joints, forwards before flipped.  Whatever can be
    reached at all is reached, since a reached body is never given up.
    """
    tree = [j for j in mechanism.tree_joints if j in edges and edges[j].successor not in inside]
    left = [j for j in mechanism.joints if j in edges and j not in tree]
    missing, maps = set(inside), Maps()
    while missing:
        forward = (j for j in left if edges[j].predecessor not in missing and edges[j].successor in missing)
        backward = [j for j in left if edges[j].predecessor in missing and edges[j].successor not in missing]
        joint = next(forward, None)
        if joint is None:
            old = next((j for j in backward if _flipped_type(j) is not None), None)
            if old is None:
                raise MechanismError(
                    f"bodies {', '.join(sorted(repr(b.name) for b in missing))} can only be reached by turning round "
                    f"{', '.join(f'{j.name!r} ({j.joint_type.kind})' for j in backward)}; only revolute, prismatic and "
                    "fixed joints can be turned round"
                )
            joint = maps.joints[old] = _flipped(old)
            e = edges.pop(old)
            edges[joint] = Edge(e.successor, e.predecessor, e.successor_pose.inverse(), e.joint_pose.inverse())
            left.remove(old)
        else:
            left.remove(joint)
        tree.append(joint)
        missing.remove(edges[joint].successor)
    return tree, maps


def _flipped_type(joint: Joint) -> JointType | None:
    """The type that gives the inverse motion at the same q; None if there is none."""
    kind = joint.joint_type
    if isinstance(kind, (Revolute, SinCosRevolute, Prismatic)):
        x, y, z = kind.axis
        return type(kind)((-x, -y, -z))
    return kind if isinstance(kind, Fixed) else None


def _flipped(joint: Joint) -> Joint:
    """`joint` walked from its successor to its predecessor.

    With the axis negated, q, v and hence limits, spring and passive elements mean the same motion as before.
    """
    kind = _flipped_type(joint)
    assert kind is not None
    twin = joint.copy()
    twin._joint_type = kind
    twin.frame_before, twin.frame_after = joint.frame_after, joint.frame_before
    return twin


def _split_off(mechanism: Mechanism, root: RigidBody, inside: set[RigidBody], edges: dict[Joint, Edge]) -> Mechanism:
    """Move the bodies `inside` and the joints between them to a mechanism of their own."""
    far = {j: e for j, e in edges.items() if e.predecessor in inside}
    near = {j: e for j, e in edges.items() if j not in far}
    order = [j for j in mechanism.joints if j in far]
    merged = {name: host for name, host in mechanism._merged_names.items() if host in inside}
    _commit(
        mechanism,
        [j for j in mechanism.tree_joints if j in near],
        [j for j in mechanism.non_tree_joints if j in near],
        near,
    )
    part = Mechanism(root, mechanism.gravity)
    for joint in order:
        e = far[joint]
        part.attach(e.predecessor, e.successor, joint, e.joint_pose, e.successor_pose)
    part._merged_names = merged
    return part


def _commit(mechanism: Mechanism, tree: list[Joint], loops: list[Joint], edges: dict[Joint, Edge]) -> None:
    """Make `mechanism` consist of these joints and the bodies they reach; let go of all others."""
    joints = [*tree, *loops]
    bodies = [mechanism.root_body, *(edges[j].successor for j in tree)]
    kept = {*bodies, *joints}
    before: list[RigidBody | Joint] = [*mechanism.bodies, *mechanism.joints]
    for part in before:
        if part not in kept:
            _owner.pop(part, None)
            part._revision = None
    names = {j.name for j in joints}
    for joint in joints:
        _claim(joint, mechanism)
        joint._revision = mechanism._revision
        if joint.mimic is not None and joint.mimic.joint not in names:
            joint.mimic = None
    mechanism._bodies, mechanism._tree_joints, mechanism._loop_joints = bodies, tree, loops
    mechanism._edges = edges
    mechanism._parent_joint = {edges[j].successor: j for j in tree}
    mechanism._body_names = {b.name: b for b in bodies}
    mechanism._joint_names = {j.name: j for j in joints}
    mechanism._merged_names = {n: host for n, host in mechanism._merged_names.items() if host in kept}
    mechanism._revision.value += 1


def _edge(mechanism: Mechanism, joint: object) -> Edge:
    if not isinstance(joint, Joint):
        raise MechanismError(f"joint must be a Joint of mechanism {mechanism.name!r}, got {_shown(joint)}")
    return mechanism.edge(joint)


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
