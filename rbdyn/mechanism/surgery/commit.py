"""The last step of an edit that takes something away: it cannot fail."""

from __future__ import annotations

from collections.abc import Sequence

from rbdyn.mechanism._owner import claim, release
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint


def commit(mechanism: Graph, tree: Sequence[Joint], loops: Sequence[Joint], edges: dict[Joint, Edge]) -> None:
    """Make `mechanism` consist of these joints and the bodies they reach; let go of all others.

    A joint that mimicked one that is gone no longer does.
    """
    joints = [*tree, *loops]
    bodies = [mechanism._root, *(edges[joint].successor for joint in tree)]
    kept: set[RigidBody | Joint] = {*bodies, *joints}
    before: set[RigidBody | Joint] = {*mechanism._bodies, *mechanism._edges}
    release(before - kept)
    claim(kept - before, mechanism)
    names = {joint.name for joint in joints}
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in names:
            joint.mimic = None
    mechanism._bodies, mechanism._tree_joints, mechanism._loop_joints = bodies, [*tree], [*loops]
    mechanism._edges = edges
    mechanism._parent_joint = {edges[joint].successor: joint for joint in tree}
    mechanism._body_names = {body.name: body for body in bodies}
    mechanism._joint_names = {joint.name: joint for joint in joints}
    mechanism._merged_names = {name: host for name, host in mechanism._merged_names.items() if host in kept}
    mechanism._restructured()
