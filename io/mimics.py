"""Joints that follow others: does every leader exist, and does no joint follow itself?"""

from __future__ import annotations

from rbdyn.errors import UrdfError
from rbdyn.io.description import JointSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown


def checked_mimics(joints: list[JointSpec], diagnostics: Diagnostics) -> list[JointSpec]:
    """The same joints; UrdfError if one follows itself, directly or through others, or has not one coordinate.

    A leader that does not exist costs a warning and the <mimic>: such files are common, and load everywhere.
    """
    by_name = {spec.joint.name: spec for spec in joints}
    for spec in joints:
        mimic = spec.joint.mimic
        if mimic is None:
            continue
        place = f"<mimic> of joint {spec.joint.name!r}"
        leader = by_name.get(mimic.joint)
        if leader is None:
            near = diagnostics.did_you_mean(mimic.joint, by_name)
            diagnostics.warn(spec.where, f"{place}: no joint named {shown(mimic.joint)}{near}; ignored")
            spec.joint.mimic = None
            continue
        for follower in (spec, leader):
            if follower.joint.num_positions != 1:
                kind = follower.joint.joint_type.kind
                text = f"joint {follower.joint.name!r} is {kind}; only joints of one coordinate can follow and lead"
                raise UrdfError(f"{spec.where}: {place}: {text}")
    _check_circles(by_name)
    return joints


def _check_circles(by_name: dict[str, JointSpec]) -> None:
    """UrdfError if joints follow one another in a circle."""
    cleared: set[str] = set()
    for start in by_name:
        trail: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in cleared:
            if name in trail:
                circle = " -> ".join([*list(trail)[:10], name])
                place = f"{by_name[start].where}: <mimic> of joint {start!r}"
                raise UrdfError(f"{place}: joints follow one another in a circle: {circle}")
            trail[name] = None
            mimic = by_name[name].joint.mimic
            name = None if mimic is None else mimic.joint
        cleared.update(trail)
