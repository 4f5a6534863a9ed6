"""<joint>s of one joint: what MuJoCo has no word for is slides and hinges in series, a ball behind three slides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbdyn.io.export.losses import Losses
from rbdyn.io.export.names import Names
from rbdyn.io.export.xml_text import element
from rbdyn.io.urdf.write_joints import note_losses
from rbdyn.mechanism.graph import Edge
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import (
    TYPES,
    Fixed,
    Floating,
    Helical,
    JointType,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.mechanism.joints.tables import check_table
from rbdyn.spatial.rotations import Array

FREE = (Floating, SPQuatFloating)
WORDS = {"revolute": "hinge", "prismatic": "slide"}  # kinds of one degree of freedom that MuJoCo has
FIXED_THERE = (Helical,)  # what MuJoCo has no joints for


def _in_words(kind: JointType) -> bool:
    """Test that MuJoCo has every joint type of its series."""
    return bool(kind.series) and all(part.kind in WORDS for _, part in kind.series)


OTHERS: tuple[type[JointType], ...] = (Fixed, Spherical, SinCosRevolute, *FREE, *FIXED_THERE)
WRITTEN = (*OTHERS, *(t for t in TYPES if _in_words(t())))
check_table("WRITTEN of io/mjcf/write_joints.py", WRITTEN, TYPES)
AXES = np.eye(3)


class JointWriter:
    """Writes joints into bodies.

    Parameters
    ----------
    losses : Losses
        Takes what MJCF has no words for.
    """

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._names = Names()
        self.written: dict[str, list[str]] = {}  # joint -> its MuJoCo joints, one a degree of freedom or one in all

    def needs_carrier(self, joint: Joint, edge: Edge) -> bool:
        """Whether a body of its own has to carry the joint, so that q is what `rbdyn.convert` says of it."""
        return isinstance(joint.joint_type, (Spherical, *FREE)) and not edge.successor_pose.is_identity()

    def write(self, body: Any, joint: Joint, edge: Edge, at_world: bool, carried: bool) -> None:
        """The joints, in the frame of `body`: the successor's, or the after-frame's if a body of its own has them."""
        kind = joint.joint_type
        if isinstance(kind, Fixed):
            return
        note_losses(joint, self._losses)
        if joint.velocity_limit is not None and math.isfinite(joint.velocity_limit):
            self._losses.add("velocity limits: left out", joint.name)
        if isinstance(kind, (SinCosRevolute, SPQuatFloating)):
            self._losses.add(f"the coordinates of {kind.kind} joints: rbdyn.convert gives MuJoCo's", joint.name)
        after = edge.successor_pose.inverse()  # of the after-frame in the body
        turn = AXES if carried else after.rotation
        pos = after.translation if after.translation.any() and not carried else None
        rest = joint.spring_reference
        if isinstance(kind, FREE) and at_world and edge.joint_pose.is_identity() and (carried or after.is_identity()):
            self._joint(body, joint, "", type_="free", **self._passive(joint))  # write_nominal judges its spring
        elif isinstance(kind, FREE):
            for k, (axis, letter) in enumerate(zip(AXES, "xyz", strict=True)):
                at_rest = float(rest[k]) or None if joint.stiffness else None
                self._joint(body, joint, f"_{letter}", type_="slide", axis=turn @ axis, pos=pos, **self._passive(joint),
                            springref=at_rest)  # fmt: skip
            self._joint(body, joint, "_ball", type_="ball", pos=pos, **self._passive(joint))
            self._note_ball_spring(joint, rest[3:], kind.neutral()[3:])
        elif isinstance(kind, Spherical):
            angle = joint.position_limits
            limit = None if angle is None or math.isinf(angle[1]) else angle
            self._joint(body, joint, "", type_="ball", pos=pos, range_=limit, **self._passive(joint))
            self._note_ball_spring(joint, rest, kind.neutral())
        elif isinstance(kind, SinCosRevolute):
            at_rest = math.atan2(rest[0], rest[1])
            spring = {"springref": at_rest or None} if joint.stiffness else {}
            self._joint(body, joint, "", type_="hinge", axis=turn @ kind.axis, pos=pos, **self._passive(joint),
                        range_=_range(joint.limits_of_each[0]), **spring)  # fmt: skip
        elif _in_words(kind):
            for k, ((ending, part), limits) in enumerate(zip(kind.series, joint.limits_of_each, strict=True)):
                at_rest = float(rest[k]) if joint.stiffness else 0.0
                axis = turn @ np.asarray(part.main_axis)
                self._joint(body, joint, ending, type_=WORDS[part.kind], axis=axis, pos=pos, range_=_range(limits),
                            **self._passive(joint), springref=at_rest or None)  # fmt: skip
        else:
            self._losses.add(f"a {kind.kind} joint: it is fixed there", joint.name)

    def _note_ball_spring(self, joint: Joint, rest: Array, neutral: Array) -> None:
        if joint.stiffness and (rest != neutral).any():
            self._losses.add("where a spring of a ball rests: it rests at the neutral configuration there", joint.name)

    def _joint(self, body: Any, joint: Joint, ending: str, **words: Any) -> None:
        name = self._names.free(joint.name + ending)
        self.written.setdefault(joint.name, []).append(name)
        axis = words.pop("axis", None)
        element(body, "joint", name=name, axis=None if axis is None else np.asarray(axis), **words)

    def _passive(self, joint: Joint) -> dict[str, Any]:
        effort = joint.effort_limit
        bounded = effort is not None and math.isfinite(effort) and not isinstance(joint.joint_type, (Spherical, *FREE))
        if effort is not None and math.isfinite(effort) and not bounded:
            self._losses.add("effort limits of balls and free joints: left out", joint.name)
        return {
            "damping": joint.damping or None,
            "frictionloss": joint.friction or None,
            "armature": joint.rotor_inertia or None,
            "stiffness": joint.stiffness or None,
            "actuatorfrcrange": [-effort, effort] if bounded and effort else None,
        }


def _range(limits: tuple[float, float]) -> tuple[float, float] | None:
    """`range` of a limit, if there is one: MuJoCo takes two numbers or none."""
    if math.isinf(limits[0]) and math.isinf(limits[1]):
        return None
    lower, upper = (math.copysign(1e10, x) if math.isinf(x) else x for x in limits)
    return lower, upper
