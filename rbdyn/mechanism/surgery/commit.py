"""The last step of an edit that takes something away: it cannot fail."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import cast

from rbdyn.errors import MimicWarning
from rbdyn.mechanism._owner import claim, release
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint, Mimic

SHOWN = 5  # joints named in a warning


def warn_of_lost_leaders(joints: Iterable[Joint], names: Iterable[str]) -> None:
    """One MimicWarning for those of `joints` whose leader is none of `names`: they move by themselves from now on."""
    known = set(names)
    lost = [joint for joint in joints if joint.mimic is not None and joint.mimic.joint not in known]
    if lost:
        said = ", ".join(f"{joint.name!r} (of {cast(Mimic, joint.mimic).joint!r})" for joint in lost[:SHOWN])
        more = f", ... ({len(lost)} joints)" if len(lost) > SHOWN else ""
        warnings.warn(f"joints lose the leader that they follow: {said}{more}", MimicWarning, stacklevel=4)


def commit(mechanism: Graph, tree: Sequence[Joint], loops: Sequence[Joint], edges: dict[Joint, Edge]) -> None:
    """Make `mechanism` consist of these joints and the bodies they reach; let go of all others.

    A joint that mimicked one that is gone no longer does, which a MimicWarning says before anything is changed.
    """
    warn_of_lost_leaders([*tree, *loops], (joint.name for joint in [*tree, *loops]))
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
    mechanism._ignored = frozenset(pair for pair in mechanism._ignored if pair <= kept)
    mechanism._restructured()
