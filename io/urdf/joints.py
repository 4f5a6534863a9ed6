"""<joint>: type, limits and passive elements."""

from __future__ import annotations

import math
from typing import Any

from rbdyn.errors import Error
from rbdyn.io import rules
from rbdyn.io.description import JointSpec
from rbdyn.io.diagnostics import Diagnostics, did_you_mean
from rbdyn.io.numbers import shown
from rbdyn.io.urdf.links import read_pose
from rbdyn.io.urdf.node import Node
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.joints import Fixed, Floating, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from rbdyn.mechanism.joints.one_axis import unit_axis
from rbdyn.spatial.rotations import rotation_to_z

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "helical")
AXIAL = ("revolute", "continuous", "prismatic", "planar", "helical")  # the others have no axis
SCREW = '; a screw is type="helical", with <axis pitch> in metres per radian'


def read_joint(node: Node, diagnostics: Diagnostics) -> JointSpec:
    """A <joint>."""
    name = node.text("name")
    kind = node.text("type")
    if kind not in KINDS:
        near = SCREW if kind.lower() == "screw" else did_you_mean(kind.lower(), KINDS, 1)
        raise node.error(f"type={shown(kind)} is not a joint type; choices: {', '.join(KINDS)}{near}")
    parent, child = node.need("parent").text("link"), node.need("child").text("link")
    axis = node.first("axis", diagnostics)
    joint_type = make_type(kind, _direction(axis, kind, diagnostics), _pitch(axis or node, kind, diagnostics))
    position, velocity, effort = _limits(node, kind, diagnostics)
    passive = _dynamics(node, joint_type, diagnostics)
    pose = read_pose(node)
    try:
        joint = Joint(name, joint_type, position, velocity, effort, mimic=_mimic(node, kind, diagnostics), **passive)
    except Error as error:
        raise error if str(error).startswith(node.file) else node.error(str(error)) from None
    if kept := _annotations(node):
        joint.annotations = kept
    return JointSpec(node.where, joint, parent, child, pose)


def _annotations(node: Node) -> dict[str, dict[str, str]]:
    """What is for other programs, as texts; the numbers in it are checked all the same."""
    kept = {}
    for tag in ("safety_controller", "calibration"):
        item = node.child(tag)
        if item is not None:
            for name in item.attributes:
                item.limit(name)
            kept[tag] = {name: item.get(name) or "" for name in item.attributes}
    return kept


def make_type(kind: str, axis: tuple[float, float, float], pitch: float = 0.0) -> JointType:
    """The joint type of a URDF word; `axis` is the rotation axis, the sliding direction or the plane's normal."""
    if kind == "helical":
        return Helical(axis, pitch)
    if kind in ("revolute", "continuous"):
        return Revolute(axis)
    if kind == "prismatic":
        return Prismatic(axis)
    if kind == "planar":
        rows = rotation_to_z(unit_axis(axis, "axis"))  # rows: two axes of the plane, then its normal
        return Planar(tuple(rows[0]), tuple(rows[1]))
    return {"fixed": Fixed, "floating": Floating, "spherical": Spherical}[kind]()


def _direction(item: Node | None, kind: str, diagnostics: Diagnostics) -> tuple[float, float, float]:
    """<axis xyz>, (1, 0, 0) by default as URDF says; of any length but zero where the joint has an axis."""
    x, y, z = (1.0, 0.0, 0.0) if item is None else item.vector("xyz", 3, (1.0, 0.0, 0.0))
    if item is None or kind not in AXIAL:
        return x, y, z
    if not item.has("xyz"):
        diagnostics.warn(item.where, f"{item.label} has no xyz; 1 0 0 is taken", "axis without xyz")
    norm = math.hypot(x, y, z)
    if not 1e-6 < norm < 1e6:
        raise item.error(f"xyz={shown(item.get('xyz') or '')}: an axis must not be zero (or huge)")
    if abs(norm - 1.0) > 1e-3:
        diagnostics.warn(item.where, f"{item.label} has length {norm:.6g}; normalised", "axis length")
    return x, y, z


def _pitch(item: Node, kind: str, diagnostics: Diagnostics) -> float:
    """<axis pitch> of a helical joint [m/rad]; `item` is the <axis>, or the <joint> if it has none."""
    if kind != "helical":
        if item.tag == "axis" and item.has("pitch"):
            diagnostics.warn(item.where, f"{item.label}: pitch belongs to helical joints; ignored", "pitch")
        return 0.0
    if item.tag != "axis" or not item.has("pitch"):
        raise item.error('a helical joint needs its pitch [m/rad]: <axis xyz="0 0 1" pitch="0.01"/>')
    pitch = item.number("pitch")
    if pitch == 0.0:
        diagnostics.warn(item.where, f"{item.label}: pitch 0: the joint turns and does not advance", "pitch 0")
    return pitch


Limits = tuple[tuple[float, float] | None, float | None, float | None]


def _limits(node: Node, kind: str, diagnostics: Diagnostics) -> Limits:
    """Position, velocity and effort limits.  None: no limit."""
    item = node.child("limit")
    if item is None:
        if kind in ("revolute", "prismatic"):
            diagnostics.warn(node.where, f"{node.label}: a {kind} joint without <limit>; it has no limits")
        return None, None, None
    lower, upper = item.limit("lower"), item.limit("upper")
    velocity, effort = _bound(item, "velocity"), _bound(item, "effort")
    if kind == "fixed":
        return None, None, None
    warn = item.reporter(diagnostics)
    position = rules.position_limits(kind, lower, upper, warn)
    return position, rules.velocity_limit(velocity, warn), rules.effort_limit(effort, warn)


def _bound(node: Node, name: str) -> float | None:
    """velocity or effort, which is not negative but for RaiSim's -1; None if it is missing."""
    value = node.limit(name)
    if value is not None and value < 0 and value != -1:
        raise node.error(f"{name}={node.get(name)!r} must not be negative")
    return value


def _dynamics(node: Node, joint_type: JointType, diagnostics: Diagnostics) -> dict[str, Any]:
    """<dynamics>: passive elements, as arguments of Joint."""
    item = node.child("dynamics")
    if item is None:
        return {}
    values: dict[str, Any] = {}
    for name in ("damping", "friction", "rotor_inertia", "stiffness"):
        value = item.number(name, 0.0)
        if value < 0:
            raise item.error(f"{name}={item.get(name)!r} must not be negative")
        values[name] = value
    if item.has("spring_mount"):
        values["spring_reference"] = _spring_mount(item, joint_type)
    if joint_type.num_velocities == 0:
        if any(values.values()):
            diagnostics.warn(item.where, f"{item.label}: a fixed joint has no dynamics; ignored", "dynamics of fixed")
        return {}
    return values


def _spring_mount(node: Node, joint_type: JointType) -> tuple[float, ...] | None:
    """Configuration at which the spring is at rest: q of the joint, its quaternion [w, x, y, z] normalised."""
    n = joint_type.num_positions
    if n == 0:
        return None
    mount = node.vector("spring_mount", n)
    if not isinstance(joint_type, (Spherical, Floating)):
        return mount
    norm = math.hypot(*mount[-4:])
    if not 0.9 < norm < 1.1:
        raise node.error(f"spring_mount={shown(node.text('spring_mount'))}: its quaternion must have unit norm")
    return (*mount[:-4], *(x / norm for x in mount[-4:]))


def _mimic(node: Node, kind: str, diagnostics: Diagnostics) -> Mimic | None:
    item = node.child("mimic")
    if item is None:
        return None
    mimic = Mimic(item.text("joint"), item.number("multiplier", 1.0), item.number("offset", 0.0))
    if mimic.joint == node.text("name"):
        raise item.error("a joint cannot follow itself; name another one")
    if kind == "fixed":
        diagnostics.warn(item.where, f"{item.label}: a fixed joint cannot follow another; ignored", "mimic of fixed")
        return None
    return mimic
