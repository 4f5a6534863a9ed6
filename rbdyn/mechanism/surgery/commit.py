"""The last step of an edit that takes something away: it cannot fail."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import cast

from rbdyn.errors import MimicWarning
from rbdyn.mechanism._owner import claims, releases
from rbdyn.mechanism._parameter import Change
from rbdyn.mechanism._revision import put_all
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph, Pairs
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


def commit(
    mechanism: Graph,
    tree: Sequence[Joint],
    loops: Sequence[Joint],
    edges: dict[Joint, Edge],
    changes: Sequence[Change] = (),
    merged: Mapping[str, RigidBody] | None = None,
    ignored: Pairs | None = None,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Make `mechanism` consist of these joints and the bodies they reach; let go of all others.

    A joint that mimicked one that is gone no longer does, which a MimicWarning says before anything is changed.

    Parameters
    ----------
    changes : sequence of Change
        More of what the edit changes.
    merged : dict, optional
        Name of a merged body -> its host, if these are others.
    ignored : set, optional
        Pairs of bodies that never collide, if these are others.
    renamed : dict
        Name of a joint that goes -> name of the one that those that mimicked it follow from now on.
    """
    joints = [*tree, *loops]
    warn_of_lost_leaders(joints, [*(joint.name for joint in joints), *renamed])
    bodies = [mechanism._root, *(edges[joint].successor for joint in tree)]
    kept: set[RigidBody | Joint] = {*bodies, *joints}
    before: set[RigidBody | Joint] = {*mechanism._bodies, *mechanism._edges}
    names = {joint.name for joint in joints}
    names_of_merged = mechanism._merged_names if merged is None else merged
    pairs = mechanism._ignored if ignored is None else ignored
    graph = mechanism._changes(
        _bodies=bodies, _tree_joints=[*tree], _loop_joints=[*loops], _edges=edges,
        _parent_joint={edges[joint].successor: joint for joint in tree},
        _body_names={body.name: body for body in bodies},
        _joint_names={joint.name: joint for joint in joints},
        _merged_names={name: host for name, host in names_of_merged.items() if host in kept},
        _ignored=frozenset(pair for pair in pairs if pair <= kept),
    )  # fmt: skip
    followers = [_follows(joint, names, renamed) for joint in joints if joint.mimic is not None]
    put_all([*changes, *releases(before - kept), *claims(kept - before, mechanism), *followers, *graph])


def _follows(joint: Joint, names: Collection[str], renamed: Mapping[str, str]) -> Change:
    """The change that lets a joint mimic what has the name of its leader now, or nothing."""
    mimic = cast(Mimic, joint.mimic)
    leader = renamed.get(mimic.joint, mimic.joint)
    return joint.__dict__, "mimic", replace(mimic, joint=leader) if leader in names else None
