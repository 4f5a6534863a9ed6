"""Cutting: joints taken out, with or without their subtrees, or replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError
from rbdyn.mechanism._owner import check_free
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.commit import commit, warn_of_lost_leaders
from rbdyn.mechanism.surgery.filtering import kept
from rbdyn.mechanism.surgery.growing import attach, check_joint
from rbdyn.mechanism.surgery.maps import Maps, Split
from rbdyn.mechanism.surgery.spanning import Frontier, NextEdge, check_next_edge, span

M = TypeVar("M", bound=Graph)


def remove_subtree(mechanism: Graph, joint: Joint | str) -> Maps:
    """See `Mechanism.remove_subtree`."""
    joint = mechanism._joint(joint)
    edge = mechanism.edge(joint)
    if mechanism._parent_joint.get(edge.successor) is not joint:
        raise MechanismError(f"joint {joint.name!r} closes a loop and has no subtree; use remove_joint")
    before = Before.of(mechanism)
    gone = set(mechanism._below(edge.successor))
    edges = {j: e for j, e in mechanism._edges.items() if e.predecessor not in gone and e.successor not in gone}
    tree = [j for j in mechanism._tree_joints if j in edges]
    commit(mechanism, tree, [j for j in mechanism._loop_joints if j in edges], edges)
    return Maps()._of(mechanism, before)


def remove_joint(mechanism: Graph, joint: Joint | str, next_edge: NextEdge | None) -> Maps:
    """See `Mechanism.remove_joint`, with split=False."""
    check_next_edge(next_edge)
    joint = mechanism._joint(joint)
    edge = mechanism.edge(joint)
    edges = {j: e for j, e in mechanism._edges.items() if j is not joint}
    if mechanism._parent_joint.get(edge.successor) is not joint:
        before = Before.of(mechanism)
        commit(mechanism, mechanism._tree_joints, [j for j in mechanism._loop_joints if j is not joint], edges)
        return Maps()._of(mechanism, before)
    inside = set(mechanism._below(edge.successor))
    if _is_bridge(inside, edges):
        raise MechanismError(
            f"removing joint {joint.name!r} would cut {edge.successor.name!r} and its subtree off mechanism "
            f"{mechanism.name!r}; pass split=True to get both parts, or use remove_subtree"
        )
    joints = [j for j in mechanism.joints if j is not joint]
    frontier = Frontier(joints, edges, {j: k for k, j in enumerate(joints)})
    for body in mechanism._bodies:
        if body not in inside:
            frontier.reach(body)
    tree = [j for j in mechanism._tree_joints if edges.get(j, edge).successor not in inside]
    return span(mechanism, frontier, tree, joints, edges, next_edge)


def split(mechanism: M, joint: Joint | str, make: Callable[[RigidBody, ArrayLike], M]) -> Split[M]:
    """See `Mechanism.remove_joint`, with split=True; `make` makes a mechanism of a root body and gravity."""
    joint = mechanism._joint(joint)
    edge = mechanism.edge(joint)
    edges = {j: e for j, e in mechanism._edges.items() if j is not joint}
    inside = set(mechanism._below(edge.successor)) if mechanism._parent_joint.get(edge.successor) is joint else set()
    if not inside or not _is_bridge(inside, edges):
        raise MechanismError(f"joint {joint.name!r} lies on a loop: removing it leaves one mechanism; use split=False")
    before = Before.of(mechanism)
    far = {j: e for j, e in edges.items() if e.predecessor in inside}
    near = {j: e for j, e in edges.items() if j not in far}
    order = [j for j in mechanism.joints if j in far]
    warn_of_lost_leaders(order, (j.name for j in order))
    merged = {name: host for name, host in mechanism._merged_names.items() if host in inside}
    ignored = kept(mechanism._ignored, inside)
    tree = [j for j in mechanism._tree_joints if j in near]
    commit(mechanism, tree, [j for j in mechanism._loop_joints if j in near], near)
    part = make(edge.successor, mechanism.gravity)
    names = {j.name for j in order}
    for j in order:
        e = far[j]
        if j.mimic is not None and j.mimic.joint not in names:
            j.mimic = None
        attach(part, e.predecessor, e.successor, j, e.joint_pose, e.successor_pose)
    part._merged_names, part._ignored, part.self_collision = merged, ignored, mechanism.self_collision
    return Split(mechanism, part, before)


def _is_bridge(inside: set[RigidBody], edges: dict[Joint, Edge]) -> bool:
    """Whether none of the `edges` connects the bodies `inside` with those outside."""
    return all((e.predecessor in inside) == (e.successor in inside) for e in edges.values())


def replace_joint(mechanism: Graph, joint: Joint | str, new_joint: Joint) -> Maps:
    """See `Mechanism.replace_joint`."""
    joint = mechanism._joint(joint)
    check_joint(new_joint, "new_joint")
    if new_joint in mechanism._edges:
        raise MechanismError(f"joint {new_joint.name!r} is already attached to mechanism {mechanism.name!r}")
    if mechanism._joint_names.get(new_joint.name, joint) is not joint:
        raise MechanismError(f"mechanism {mechanism.name!r} already has another joint named {new_joint.name!r}")
    check_free(new_joint, mechanism)
    before = Before.of(mechanism)
    origin = {j: j for j in before.tree if j is not joint}
    if joint in before.tree and joint.joint_type == new_joint.joint_type:
        origin[new_joint] = joint
    commit(
        mechanism,
        [new_joint if j is joint else j for j in mechanism._tree_joints],
        [new_joint if j is joint else j for j in mechanism._loop_joints],
        {new_joint if j is joint else j: e for j, e in mechanism._edges.items()},
        renamed={joint.name: new_joint.name},
    )
    frames = {joint.frame_before: new_joint.frame_before, joint.frame_after: new_joint.frame_after}
    return Maps(joints={joint: new_joint}, frames=frames)._of(mechanism, before.taken_over_by(origin))
