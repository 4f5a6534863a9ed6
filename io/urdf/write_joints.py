"""<joint> and <constraints>: what the readers of joints and pins understand, written."""

from __future__ import annotations

import math
from typing import Any

from rbdyn.io.export.losses import Losses
from rbdyn.io.export.xml_text import element
from rbdyn.io.rules import UNLIMITED
from rbdyn.io.urdf.seat import Seat
from rbdyn.io.urdf.write_links import LinkWriter
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical, SPQuatFloating
from rbdyn.spatial.transform import Transform

WORDS = {
    Fixed: "fixed",
    Floating: "floating",
    SPQuatFloating: "floating",
    Planar: "planar",
    Prismatic: "prismatic",
    Spherical: "spherical",
    Helical: "helical",
}
HAS_LIMIT = ("revolute", "prismatic")  # URDF wants a <limit> there, with an effort and a velocity


def write_joint(
    robot: Any, joint: Joint, parent: str, child: str, seat: Seat, origin: Transform, links: LinkWriter, losses: Losses
) -> None:
    """A <joint> at `origin` in the parent link."""
    kind = joint.joint_type
    turning = "revolute" if isinstance(kind, Revolute) and joint.position_limits else "continuous"
    word = WORDS.get(type(kind), turning)
    if kind.kind in ("sincosrevolute", "spquatfloating"):
        losses.add(f"the coordinates of {kind.kind} joints: it is a {word} joint there", joint.name)
    node = element(robot, "joint", name=joint.name, type=word)
    links.origin(node, origin)
    element(node, "parent", link=parent)
    element(node, "child", link=child)
    if seat.axis is not None:
        element(node, "axis", xyz=seat.axis, pitch=kind.pitch if isinstance(kind, Helical) else None)
    _write_limits(node, joint, word)
    _write_dynamics(node, joint)
    _write_mimic(node, joint, losses)
    for tag, attributes in joint.annotations.items():
        if tag == "servo":  # of MJCF files
            losses.add("gains of servos: left out", joint.name)
        else:
            element(node, tag, **attributes)
    note_losses(joint, losses)


def note_losses(joint: Joint, losses: Losses) -> None:
    """What no attribute of URDF, nor of MJCF, says of a joint."""
    for what, lost in (
        ("static friction", joint.static_friction is not None),
        ("the bounce of hard stops", joint.limit_restitution != 0.0),
        ("soft stops", joint.limit_softness != (0.0, 0.0)),
        ("a motor's no-load speed", joint.no_load_speed is not None),
        ("cone and twist limits", joint.cone_limit is not None or joint.twist_limits is not None),
    ):
        if lost:
            losses.add(f"{what}: left out", joint.name)


def _write_limits(node: Any, joint: Joint, word: str) -> None:
    lower = upper = None
    if joint.position_limits is not None:
        lower, upper = map(_finite, joint.position_limits)
    bounds = [None if x is None or math.isinf(x) else float(x) for x in (joint.effort_limit, joint.velocity_limit)]
    if word in HAS_LIMIT or lower is not None or any(x is not None for x in bounds):
        if lower is None and word in ("prismatic", "helical"):  # silence would mean 0 to 0
            lower, upper = -UNLIMITED, UNLIMITED
        effort, velocity = (UNLIMITED if x is None else x for x in bounds)
        element(node, "limit", lower=lower, upper=upper, effort=effort, velocity=velocity)


def _finite(value: float) -> float:
    """Infinite limits as the largest numbers: most readers take no others."""
    return math.copysign(UNLIMITED, value) if math.isinf(value) else float(value)


def _write_dynamics(node: Any, joint: Joint) -> None:
    given = {name: getattr(joint, name) or None for name in ("damping", "friction", "rotor_inertia", "stiffness")}
    if joint.stiffness or (joint.spring_reference != joint.joint_type.neutral()).any():
        rest: Any = joint.spring_reference
        if joint.joint_type.kind == "sincosrevolute":
            rest = [math.atan2(rest[0], rest[1])]
        elif joint.joint_type.kind == "spquatfloating":
            rest = floating_coordinates(rest)
        given["spring_mount"] = rest
    if any(value is not None for value in given.values()):
        element(node, "dynamics", **given)


def floating_coordinates(q: Any) -> Any:
    """[x, y, z, qw, qx, qy, qz] of SPQuatFloating's q."""
    pose = SPQuatFloating().pose(q)
    return [*pose.translation, *pose.quat]


def _write_mimic(node: Any, joint: Joint, losses: Losses) -> None:
    mimic = joint.mimic
    if mimic is None:
        return
    element(node, "mimic", joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset)
    if mimic.softness:
        losses.add("the softness of a mimic: left out", joint.name)
