"""<joint> and <constraints>: what the readers of joints and pins understand, written."""

from __future__ import annotations

import math
from typing import Any

from rbdyn.errors import Error
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.names import claimed
from rbdyn.io.export.xml_text import element
from rbdyn.io.rules import UNLIMITED
from rbdyn.io.urdf.dialect import REFUSE, Dialect
from rbdyn.io.urdf.joints import KINDS
from rbdyn.io.urdf.one_axis_parts import parts_of
from rbdyn.io.urdf.seat import Seat, seat
from rbdyn.io.urdf.write_links import LinkWriter
from rbdyn.mechanism.graph import Edge
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import TYPES, SPQuatFloating
from rbdyn.mechanism.joints.tables import check_table
from rbdyn.spatial.transform import Transform

HAS_LIMIT = ("revolute", "prismatic")  # URDF wants a <limit> there, with an effort and a velocity
ANNOTATIONS = ("safety_controller", "calibration")
ROTORS = "rotor inertias"
STANDARD = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")  # words of joints of standard URDF

IN_WORDS = [t for t in TYPES if t().motion in KINDS or t().series]  # by a word, or in series
check_table("KINDS of io/urdf/joints.py, and has no series", IN_WORDS, TYPES)


class JointWriter:
    """Writes joints into one robot.

    Parameters
    ----------
    links : LinkWriter
        Writes poses.
    dialect : Dialect
        Says which words may be written.
    link_names, joint_names : set of str
        Those that are taken; names of chains are added.
    """

    def __init__(self, links: LinkWriter, dialect: Dialect, link_names: set[str], joint_names: set[str]) -> None:
        self._links, self._dialect, self._losses = links, dialect, dialect.losses
        self._taken_links, self._taken_joints = link_names, joint_names

    def seat(self, joint: Joint, edge: Edge) -> Seat:
        """Pose of the joint, and of its body in the link."""
        if self._parts(joint):
            return Seat(edge.joint_pose, None, edge.successor_pose)
        return seat(edge, joint.joint_type)

    def write(self, robot: Any, joint: Joint, parent: str, child: str, seat: Seat, origin: Transform) -> None:
        """A joint at `origin` in the parent link: one <joint>, or without the dialect a chain of them."""
        parts = self._parts(joint)
        if parts:
            self._write_parts(robot, joint, parts, parent, child, origin)
            return
        kind, word = joint.joint_type, self._word(joint)
        if kind.motion != kind.kind:
            self._losses.add(f"the coordinates of {kind.kind} joints: it is a {word} joint there", joint.name)
        node = self._joint(robot, joint.name, word, parent, child, origin)
        if seat.axis is not None:
            element(node, "axis", xyz=seat.axis, pitch=getattr(kind, "pitch", None))
        _write_limits(node, joint, word, self._losses)
        self._write_dynamics(node, joint)
        _write_mimic(node, joint, self._losses)
        self._write_annotations(node, joint)
        note_losses(joint, self._losses)

    def _parts(self, joint: Joint) -> list[Joint]:
        """The chain that is written in its place; none for joints that have a word."""
        has_word = self._dialect.allowed and joint.joint_type.motion in KINDS
        return [] if has_word else parts_of(joint)

    def fixed(self, robot: Any, name: str, parent: str, child: str, pose: Transform) -> None:
        """A fixed joint."""
        self._joint(robot, name, "fixed", parent, child, pose)

    def _joint(self, robot: Any, name: str, word: str, parent: str, child: str, origin: Transform) -> Any:
        node = element(robot, "joint", name=name, type=word)
        self._links.origin(node, origin)
        element(node, "parent", link=parent)
        element(node, "child", link=child)
        return node

    def _word(self, joint: Joint) -> str:
        """The type of a <joint>; Error if there is none and no dialect may be written."""
        kind = joint.joint_type
        word = kind.motion if kind.motion != "revolute" or joint.position_limits else "continuous"
        if word in STANDARD:
            return word
        if not self._dialect.allowed:
            raise Error(
                f"joint {joint.name!r} is a {kind.kind} joint, for which standard URDF has no words and no chain of "
                "slides and turns stands; choices: dialect=True, or another joint"
            )
        unread = "" if word in KINDS else ", which load_urdf does not read either"
        self._dialect.writes(f"{kind.kind} joints{unread}", joint.name, REFUSE)
        return word

    def _write_parts(
        self, robot: Any, joint: Joint, parts: list[Joint], parent: str, child: str, origin: Transform
    ) -> None:
        """A chain of joints of one axis, through links without mass."""
        kind, names = joint.joint_type.kind, ", ".join(f"J{part.name[len(joint.name) :]}" for part in parts)
        bounds = "damping, friction and limits are those of each of them"
        self._losses.add(f"a {kind} joint J: written as {names}; {bounds}", joint.name)
        for part in parts:
            one = part.copy(claimed(part.name, self._taken_joints))
            to = child
            if part is not parts[-1]:
                to = claimed(f"{one.name}_link", self._taken_links)
                element(robot, "link", name=to)
            self.write(robot, one, parent, to, Seat(origin, one.joint_type.main_axis, Transform()), origin)
            parent, origin = to, Transform()
        if not joint.joint_type.series:
            self._note_lost(joint)

    def _note_lost(self, joint: Joint) -> None:
        """Note the parameters of `joint` that a chain with other coordinates does not have."""
        note_losses(joint, self._losses)
        if joint.position_limits is not None:
            self._losses.add(f"position limits of {joint.joint_type.kind} joints: left out", joint.name)
        if joint.rotor_inertia:
            self._dialect.writes(ROTORS, joint.name)
        self._note_spring(joint)

    def _write_dynamics(self, node: Any, joint: Joint) -> None:
        """<dynamics>, always with its damping: urdfdom refuses a robot with one that has neither that nor friction."""
        given: dict[str, Any] = {name: getattr(joint, name) or None for name in ("damping", "friction")}
        if joint.rotor_inertia and self._dialect.writes(ROTORS, joint.name):
            given["rotor_inertia"] = joint.rotor_inertia
        if self._note_spring(joint):
            rest: Any = joint.spring_reference
            if joint.joint_type.kind == "sincosrevolute":
                rest = [math.atan2(rest[0], rest[1])]
            elif joint.joint_type.kind == "spquatfloating":
                rest = floating_coordinates(rest)
            given |= {"stiffness": joint.stiffness or None, "spring_mount": rest}
        if any(value is not None for value in given.values()):
            element(node, "dynamics", **given | {"damping": float(joint.damping)})

    def _note_spring(self, joint: Joint) -> bool:
        """Test for a spring, or its rest position, that may be written."""
        has = joint.stiffness or (joint.spring_reference != joint.joint_type.neutral()).any()
        return bool(has) and self._dialect.writes("springs", joint.name)

    def _write_annotations(self, node: Any, joint: Joint) -> None:
        for tag, attributes in joint.annotations.items():
            writes = True
            if tag == "servo":  # of MJCF files
                self._losses.add("gains of servos: left out", joint.name)
                writes = False
            elif tag not in ANNOTATIONS:
                writes = self._dialect.writes(f"<{tag}> of joints", joint.name)
            elif tag == "safety_controller" and "k_velocity" not in attributes:
                writes = self._dialect.writes("safety controllers without k_velocity", joint.name, REFUSE)
            if writes:
                element(node, tag, **attributes)


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


def _write_limits(node: Any, joint: Joint, word: str, losses: Losses) -> None:
    lower = upper = None
    if joint.joint_type.has_limits and joint.num_velocities > 1:
        if joint.position_limits is not None:
            losses.add(f"position limits of a {joint.joint_type.kind} joint: left out", joint.name)
    elif joint.position_limits is not None:
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
