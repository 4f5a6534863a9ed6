"""<joint>: type, axis, limits and passive elements."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdyn.errors import Error, SdfError
from rbdyn.io import rules
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import MODEL, Frames
from rbdyn.io.sdf.version import AXES_IN_JOINT, EXPRESSED_IN, Version
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.joints import Fixed, Helical, JointType, Prismatic, Revolute, Spherical, Universal
from rbdyn.mechanism.joints.one_axis import unit_axis
from rbdyn.spatial.transform import Transform

KINDS = ("fixed", "revolute", "continuous", "prismatic", "ball", "screw", "universal")
HINGED = ("revolute", "prismatic", "screw", "universal")  # which have position limits
NO_LIMIT = 1e16  # as which SDF counts larger limits
SQUARE = 1e-6  # [-] cosine between the axes of a universal joint that is rounding of the file's digits


@dataclass(frozen=True)
class SdfJoint:
    """A joint of a model, whose frame is in `Frames`."""

    where: str
    joint: Joint
    parent: str
    child: str
    held: float | None = None  # the one position that its limits leave
    at: Transform = field(default_factory=Transform)  # pose of a fixed one's after-frame in its before-frame
    series: tuple[Joint, ...] = ()  # what `joint` stands for: the hinges of a universal joint that is no Universal


def read_joint(node: SdfNode, frames: Frames, version: Version, diagnostics: Diagnostics) -> SdfJoint:
    """A <joint> of a file of that version; its frame is known."""
    name, kind = node.name(), node.get("type") or ""
    if kind not in KINDS:
        raise node.error(f"type={shown(kind)} is not read; choices: {', '.join(KINDS)}")
    if kind == "universal":
        return _universal(node, frames, version, diagnostics)
    if node.child("axis2") is not None:
        raise node.error(f"<axis2> of a {kind} joint: universal joints have two axes")
    parent, child = node.need("parent").text, node.need("child").text
    axis = node.child("axis")
    named = "" if axis is None or kind in ("fixed", "ball") else _axes_in(axis, version, diagnostics)
    _report_unused(node, kind, axis, diagnostics)
    made = _type(node, kind, axis, named, frames)
    words = {} if axis is None or made.num_velocities == 0 else _words(axis, kind, diagnostics)
    held = words.pop("held", None)
    try:
        joint = Joint(name, made, mimic=_mimic(axis, diagnostics), **words)
    except SdfError:
        raise
    except Error as error:
        raise node.error(error) from None
    return SdfJoint(node.where, joint, parent, child, held)


def _universal(node: SdfNode, frames: Frames, version: Version, diagnostics: Diagnostics) -> SdfJoint:
    """A Universal; hinges in series where its axes are not perpendicular, or not the same acts about both."""
    name, parent, child = node.name(), node.need("parent").text, node.need("child").text
    axes, words = [], []
    for tag in ("axis", "axis2"):
        axis = node.child(tag)
        if axis is None:
            raise node.error(f"<{tag}> is missing: a universal joint needs <axis> and <axis2>")
        if axis.child("mimic") is not None:
            raise axis.error("<mimic> of a universal joint is not read: make it two revolute joints")
        axes.append(np.array(_direction(axis, frames, name, _axes_in(axis, version, diagnostics))))
        words.append(_words(axis, "universal", diagnostics))
        if "held" in words[-1]:
            raise axis.error(f"lower and upper are both {words[-1]['held']:g}: make it one revolute joint")
    (first, second), square = axes, abs(float(axes[0] @ axes[1]))
    limits = [one.pop("position_limits", None) for one in words]
    rest = [one.pop("spring_reference", (0.0,))[0] for one in words]
    _report_unused(node, "universal", None, diagnostics)
    try:
        if square <= SQUARE and words[0] == words[1]:
            second = second - (first @ second) * first
            kind = Universal(tuple(first.tolist()), tuple(second.tolist()))
            joint = Joint(name, kind, position_limits=limits, spring_reference=rest, **words[0])
            return SdfJoint(node.where, joint, parent, child)
        hinges = tuple(
            Joint(f"{name}_{k + 1}", Revolute(tuple(a.tolist())), limits[k], spring_reference=(rest[k],), **words[k])
            for k, a in enumerate(axes)
        )
    except Error as error:
        raise node.error(error) from None
    why = "its axes are not perpendicular" if square > SQUARE else "efforts, speeds or dynamics of its axes differ"
    diagnostics.warn(node.where, f"joint {name!r}: {why}: read as two revolute joints in series")
    return SdfJoint(node.where, Joint(name, Revolute()), parent, child, series=hinges)


def _report_unused(node: SdfNode, kind: str, axis: SdfNode | None, diagnostics: Diagnostics) -> None:
    """What joints of other types have."""
    if kind == "fixed" and axis is not None:
        diagnostics.warn(axis.where, "<axis> of a fixed joint is not read; left out", "axis of fixed")
    for item in node.children("thread_pitch", "screw_thread_pitch") if kind != "screw" else ():
        diagnostics.warn(item.where, f"<{item.tag}> of a {kind} joint is not read; left out", f"{item.tag} of {kind}")


def _axes_in(axis: SdfNode, version: Version, diagnostics: Diagnostics) -> str:
    """The frame in which <xyz> is, "" for the joint's own, where it does not say so itself."""
    node = axis.child("use_parent_model_frame")
    if version < EXPRESSED_IN:
        in_model = version < AXES_IN_JOINT if node is None else axis.flag("use_parent_model_frame")
        return MODEL if in_model else ""
    if node is not None:
        diagnostics.warn(node.where, "<use_parent_model_frame> is a word of SDF before 1.7, and not read; since then "
                         f'<xyz expressed_in="{MODEL}"> says it', "use_parent_model_frame")  # fmt: skip
    return ""


def _type(node: SdfNode, kind: str, axis: SdfNode | None, named: str, frames: Frames) -> JointType:
    if kind == "fixed":
        return Fixed()
    if kind == "ball":
        return Spherical()
    if axis is None:
        raise node.error(f"<axis> is missing: a {kind} joint needs one")
    direction = _direction(axis, frames, node.name(), named)
    if kind == "prismatic":
        return Prismatic(direction)
    if kind != "screw":
        return Revolute(direction)
    if node.child("screw_thread_pitch") is not None:
        return Helical(direction, node.number("screw_thread_pitch") / (2.0 * math.pi))
    pitch = node.number("thread_pitch", 1.0)  # the older word: radians a metre, and to the left
    if pitch == 0.0:
        raise node.error("thread_pitch must not be zero [rad/m]")
    return Helical(direction, -1.0 / pitch)


def _direction(axis: SdfNode, frames: Frames, name: str, named: str) -> tuple[float, float, float]:
    """<xyz expressed_in>, in the joint's frame; `named` is the frame if it does not say."""
    node = axis.child("xyz")
    direction = np.array((0.0, 0.0, 1.0) if node is None else node.vector(3))
    node = axis if node is None else node
    other = node.get("expressed_in") or named
    if other:
        turn = frames.pose(name, node.where).rotation.T @ frames.pose(other, node.where).rotation
        direction = turn @ direction
    try:
        return unit_axis(direction, "xyz")
    except Error as error:
        raise node.error(error) from None


def _words(axis: SdfNode, kind: str, diagnostics: Diagnostics) -> dict[str, Any]:
    words: dict[str, Any] = {}
    limit, dynamics = axis.child("limit"), axis.child("dynamics")
    if limit is not None:
        words |= _limits(limit, kind, diagnostics)
    if dynamics is not None:
        words |= {"damping": dynamics.number("damping", 0.0), "friction": dynamics.number("friction", 0.0),
                  "stiffness": dynamics.number("spring_stiffness", 0.0)}  # fmt: skip
        reference = dynamics.number("spring_reference", 0.0)
        if kind != "ball" and reference:
            words["spring_reference"] = (reference,)
    return words


def _limits(node: SdfNode, kind: str, diagnostics: Diagnostics) -> dict[str, Any]:
    """Of a <limit>: position, velocity and effort, and where both ends of the position are one: "held"."""
    lower, upper = _end(node, "lower", -math.inf), _end(node, "upper", math.inf)
    words: dict[str, Any] = {}
    if kind not in HINGED:
        if (lower, upper) != (-math.inf, math.inf):
            diagnostics.warn(node.where, f"<limit>: <lower> and <upper> of a {kind} joint are not read",
                             f"limits {kind}")  # fmt: skip
    elif lower > upper:
        raise node.error(f"lower {lower:g} is above upper {upper:g}")
    elif lower == upper:
        if math.isinf(lower):
            raise node.error(f"lower and upper are both {lower:g}")
        words["held"] = lower
    elif (lower, upper) != (-math.inf, math.inf):
        words["position_limits"] = lower, upper
    for tag, rule in (("velocity", rules.velocity_limit), ("effort", rules.effort_limit)):
        value = node.number(tag, -1.0)  # negative: none
        words[f"{tag}_limit"] = None if value < 0.0 else rule(value, node.reporter(diagnostics))
    return words


def _end(node: SdfNode, tag: str, default: float) -> float:
    """<lower> or <upper>; infinite if it is NO_LIMIT or more."""
    value = node.number(tag, default)
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def _mimic(axis: SdfNode | None, diagnostics: Diagnostics) -> Mimic | None:
    """<mimic joint>: q = multiplier (q_leader - reference) + offset."""
    node = None if axis is None else axis.child("mimic")
    if node is None:
        return None
    leader = node.get("joint") or ""
    if not leader:
        raise node.error("attribute 'joint' is missing")
    factor, offset = node.number("multiplier", 1.0), node.number("offset", 0.0)
    return Mimic(leader, factor, offset - factor * node.number("reference", 0.0))
