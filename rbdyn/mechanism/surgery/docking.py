"""Docking: one mechanism taken into another whole, by a joint; a subtree cut loose, so that it floats; joints locked.

Bodies, joints and frames stay the same objects, but for joints that have to be reversed.  None of these functions
checks all that it needs before it begins: the World undoes what they did if they raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError
from rbdyn.mechanism._owner import check_free, claims, releases
from rbdyn.mechanism._parameter import Change
from rbdyn.mechanism._revision import put_all
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.frames import WORLD
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Floating
from rbdyn.mechanism.surgery.copying import copies
from rbdyn.mechanism.surgery.cutting import split
from rbdyn.mechanism.surgery.filtering import hand_on, unite
from rbdyn.mechanism.surgery.growing import attach, free_name
from rbdyn.mechanism.surgery.maps import Maps
from rbdyn.mechanism.surgery.spanning import Frontier, flipped_edge
from rbdyn.spatial.transform import Transform

M = TypeVar("M", bound=Graph)


def free_joint(mechanism: Graph) -> Joint | None:
    """The joint on which all of a mechanism floats, whose root is empty and holds nothing more; or None."""
    joint, root = mechanism.base_joint, mechanism.root_body
    if not joint.joint_type.is_floating or mechanism.predecessor(joint) is not root or _is_something(root):
        return None
    return joint if (*mechanism.in_joints(root), *mechanism.out_joints(root)) == (joint,) else None


def _is_something(body: RigidBody) -> bool:
    """Whether it has inertia, geometry or frames."""
    return (
        body.inertia.mass > 0.0 or bool(body.inertia.inertia.any()) or any((body.collision, body.visual, body.frames))
    )


def join(
    mechanism: Graph,
    predecessor: RigidBody,
    child: Graph,
    successor: RigidBody,
    joint: Joint,
    joint_pose: Transform,
    successor_pose: Transform,
) -> tuple[dict[Joint, Joint], dict[Joint, Joint]]:
    """Move all of `child` into `mechanism`, where `joint` holds it at `successor`; a root that it floats on is left.

    Returns
    -------
    origin : dict
        Tree joint of `child` -> the joint that has its coordinates now: itself, or its reverse.  Those missing have
        none that go on.
    became : dict
        Joint that was reversed -> its reverse.
    """
    base = free_joint(child)
    joints = [j for j in child.joints if j is not base]
    bodies = list(child.bodies if base is None else child.bodies[1:])
    _check_names(mechanism, child, bodies, [*joints, joint])
    check_free(joint, mechanism)
    edges = {j: child.edge(j) for j in joints}
    old_tree = set(child.tree_joints)
    frontier = Frontier(joints, edges, {j: k for k, j in enumerate(joints)})
    frontier.reach(successor)
    tree: list[Joint] = []
    origin: dict[Joint, Joint] = {}
    became: dict[Joint, Joint] = {}
    while frontier.candidates:
        chosen, flip = frontier.take(None)
        now = chosen
        if flip:
            now = chosen.flipped()
            now.frame_before, now.frame_after = chosen.frame_after, chosen.frame_before
            edges[now] = flipped_edge(edges.pop(chosen))
            became[chosen] = now
        tree.append(now)
        if chosen in old_tree and (not flip or chosen.num_velocities <= 1):
            origin[chosen] = now
    used = {*tree, *became}
    leftover = [j for j in joints if j not in used]
    merged, filters = child._merged_names, unite(mechanism, child, {body: body for body in bodies})
    put_all(emptying(child))
    _take_in(mechanism, joint, Edge(predecessor, successor, joint_pose, successor_pose), tree, leftover, edges)
    mechanism._merged_names = mechanism._merged_names | merged
    mechanism._self_collision, mechanism._ignored = filters
    return origin, became


def _check_names(mechanism: Graph, child: Graph, bodies: Iterable[RigidBody], joints: Iterable[Joint]) -> None:
    """MechanismError if both have something of one name."""
    frames = {*mechanism._body_names, *mechanism._merged_names}
    both = [body.name for body in bodies if body.name in frames]
    both += [name for name in child._merged_names if name in frames]
    both += [joint.name for joint in joints if joint.name in mechanism._joint_names]
    names = [joint.name for joint in joints]
    both += [name for name in set(names) if names.count(name) > 1]
    if both:
        more = f" and {len(both) - 8} more" if len(both) > 8 else ""
        raise MechanismError(
            f"mechanism {mechanism.name!r} has {', '.join(map(repr, both[:8]))}{more} already, as has {child.name!r}, "
            "which would join it; give one of them a prefix"
        )


def emptying(child: Graph) -> list[Change]:
    """Changes that leave a mechanism without anything but its root."""
    root = child._root
    parts: list[RigidBody | Joint] = [*(body for body in child._bodies if body is not root), *child._edges]
    none: dict[str, Any] = {"_edges": {}, "_parent_joint": {}, "_joint_names": {}, "_merged_names": {}}
    lists: dict[str, Any] = {"_bodies": [root], "_tree_joints": [], "_loop_joints": []}
    graph = child._changes(**none, **lists, _body_names={root.name: root}, _ignored=frozenset())
    return [*releases(parts), *graph]


def _take_in(
    mechanism: Graph, joint: Joint, edge: Edge, tree: list[Joint], loops: list[Joint], edges: dict[Joint, Edge]
) -> None:
    """Add what hangs on `joint`, in the order of the tree."""
    new_edges = {joint: edge} | edges
    bodies = [new_edges[j].successor for j in (joint, *tree)]
    graph = mechanism._changes(
        _bodies=[*mechanism._bodies, *bodies],
        _tree_joints=[*mechanism._tree_joints, joint, *tree],
        _loop_joints=[*mechanism._loop_joints, *loops],
        _edges=mechanism._edges | new_edges,
        _parent_joint=mechanism._parent_joint | {new_edges[j].successor: j for j in (joint, *tree)},
        _body_names=mechanism._body_names | {body.name: body for body in bodies},
        _joint_names=mechanism._joint_names | {j.name: j for j in new_edges},
    )
    put_all([*claims([*bodies, *new_edges], mechanism), *graph])


def cut_loose(mechanism: M, joint: Joint, name: str, make: Callable[[RigidBody, ArrayLike], M]) -> M:
    """Cut off what `joint` alone holds: a new mechanism of the same bodies and joints, which floats."""

    def on_floating(body: RigidBody, gravity: ArrayLike) -> M:
        taken = {WORLD, *mechanism._body_names, *mechanism._merged_names}
        below = mechanism._body_names
        root = RigidBody(WORLD if WORLD not in below else free_name(WORLD, taken))
        part = make(root, gravity)
        part.name = name
        attach(part, root, body, Joint(free_name(f"{body.name}_floats", set(before)), Floating()))
        return part

    before = {j.name for j in mechanism.joints}
    return split(mechanism, joint, on_floating).far


def lock(mechanism: Graph, joint: Joint, pose: Transform) -> Joint:
    """Put a fixed joint of the same name in a joint's place, which holds it at `pose`."""
    return exchange(mechanism, joint, Joint(joint.name, Fixed()), mechanism.edge(joint).joint_pose @ pose)


def exchange(mechanism: Graph, joint: Joint, new: Joint, joint_pose: Transform) -> Joint:
    """Put another joint of the same name in a joint's place, with another pose of its before-frame."""
    edge = mechanism.edge(joint)
    moved = Edge(edge.predecessor, edge.successor, joint_pose, edge.successor_pose)
    in_tree = mechanism._parent_joint.get(edge.successor) is joint
    graph = mechanism._changes(
        _tree_joints=[new if j is joint else j for j in mechanism._tree_joints],
        _loop_joints=[new if j is joint else j for j in mechanism._loop_joints],
        _edges={new if j is joint else j: moved if j is joint else e for j, e in mechanism._edges.items()},
        _parent_joint=mechanism._parent_joint | ({edge.successor: new} if in_tree else {}),
        _joint_names=mechanism._joint_names | {new.name: new},
    )
    put_all([*releases([joint]), *claims([new], mechanism), *graph])
    return new


def copied(mechanism: Graph, prefix: str, make: Callable[[RigidBody, ArrayLike], M]) -> tuple[M, Maps]:
    """A copy of all of a mechanism, each name of it with `prefix` before it."""
    maps = copies(mechanism.bodies, mechanism.joints, prefix)
    twin = make(maps.bodies[mechanism.root_body], mechanism.gravity)
    for joint, edge in mechanism._ordered_edges():
        ends = maps.bodies[edge.predecessor], maps.bodies[edge.successor]
        attach(twin, *ends, maps.joints[joint], edge.joint_pose, edge.successor_pose)
    hand_on(mechanism, twin, maps)
    twin._merged_names = {prefix + name: maps.bodies[host] for name, host in mechanism._merged_names.items()}
    return twin, maps
