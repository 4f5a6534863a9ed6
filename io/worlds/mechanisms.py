"""<mechanism>: all of a Mechanism, to the last bit, in words of this project's own."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import MeshFiles
from rbdyn.io.export.xml_text import element
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.worlds.item import Item
from rbdyn.io.worlds.shapes import pose_words, read_geometry, read_pose, write_geometry
from rbdyn.mechanism import Joint, Mechanism, Mimic, RigidBody
from rbdyn.mechanism.joints import TYPES, JointType
from rbdyn.mechanism.surgery.filtering import ignore_pairs
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

KINDS = {kind.kind: kind for kind in TYPES}
NUMBERS = ("velocity_limit", "effort_limit", "no_load_speed", "cone_limit", "static_friction")  # or None
ZEROS = ("rotor_inertia", "damping", "friction", "stiffness", "limit_restitution")
SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


# ---- writing -------------------------------------------------------------------------------------


def write_mechanism(parent: Any, mechanism: Mechanism, files: MeshFiles, losses: Losses) -> None:
    """A <mechanism> in `parent`."""
    node = element(parent, "mechanism", name=mechanism.name, gravity=mechanism.gravity,
                   nominal_configuration=mechanism.nominal_configuration,
                   self_collision=None if mechanism.self_collision else False)  # fmt: skip
    for body in mechanism.bodies:
        _write_body(node, body, files, losses)
    for joint in mechanism.joints:
        _write_joint(node, mechanism, joint)
    for a, b in mechanism.ignored_collisions:
        element(node, "ignore_collision", body1=a, body2=b)


def inertia_words(inertia: SpatialInertia) -> dict[str, Any]:
    """mass, com and inertia xx xy xz yy yz zz about it."""
    J = inertia.inertia
    return {
        "mass": float(inertia.mass) or None,
        "com": inertia.com if inertia.com.any() else None,
        "inertia": [float(J[at]) for at in SIX] if J.any() else None,
    }


def _write_body(parent: Any, body: RigidBody, files: MeshFiles, losses: Losses) -> None:
    node = element(parent, "body", name=body.name, **inertia_words(body.inertia))
    for role in ("collision", "visual"):
        for k, geometry in enumerate(getattr(body, role)):
            write_geometry(node, geometry, files, f"{body.name}_{role}_{k}", role=role)
    for name, (_, pose) in body.frames.items():
        element(node, "frame", name=name, **pose_words(pose))
    for item in body.sensor_sets:
        losses.add("sensor sets: left out", f"{item.name} of {body.name}")


def _write_joint(parent: Any, mechanism: Mechanism, joint: Joint) -> None:
    edge = mechanism.edge(joint)
    node = write_joint_words(parent, "joint", joint, predecessor=edge.predecessor.name, successor=edge.successor.name)
    for tag, pose in (("before", edge.joint_pose), ("after", edge.successor_pose)):
        if not pose.is_identity():
            element(node, tag, **pose_words(pose))


def write_joint_words(parent: Any, tag: str, joint: Joint, **more: Any) -> Any:
    """An element that says all of a joint but its place."""
    kind = joint.joint_type
    words: dict[str, Any] = {"name": joint.name, "type": kind.kind, **more}
    words |= {field.name: getattr(kind, field.name) for field in fields(kind)}
    for name in NUMBERS:
        value = getattr(joint, name)
        words[name] = None if value is None else float(value)
    for name in ZEROS:
        words[name] = float(getattr(joint, name)) or None
    limits = joint.position_limits
    words["position_limits"] = None if limits is None else [float(x) for x in np.ravel(limits)]
    words["static_threshold"] = None if joint.static_threshold == 1e-3 else joint.static_threshold
    words["limit_softness"] = None if joint.limit_softness == (0.0, 0.0) else joint.limit_softness
    words["twist_limits"] = joint.twist_limits
    words["twist_axis"] = None if np.array_equal(joint.twist_axis, (0.0, 0.0, 1.0)) else joint.twist_axis
    if not np.array_equal(joint.spring_reference, kind.neutral()):
        words["spring_reference"] = joint.spring_reference
    node = element(parent, tag, **words)
    if (mimic := joint.mimic) is not None:
        element(node, "mimic", joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset,
                softness=mimic.softness or None, damping=mimic.damping or None)  # fmt: skip
    for name, attributes in joint.annotations.items():
        note = element(node, "annotation", name=name)
        for key, text in attributes.items():
            element(note, "value", name=key, text=text)
    return node


# ---- reading -------------------------------------------------------------------------------------


def read_mechanism(item: Item, finder: FileFinder, diagnostics: Diagnostics) -> Mechanism:
    """The Mechanism that a <mechanism> says."""
    bodies: dict[str, RigidBody] = {}
    for child in item.children("body"):
        body = _read_body(child, finder, diagnostics)
        if body.name in bodies:
            raise child.error("a body of this name stands there already")
        bodies[body.name] = body
    if not bodies:
        raise item.error("a mechanism without a body: the first one is its root")
    root = next(iter(bodies.values()))
    mechanism = Mechanism(root, item.vector("gravity", 3, (0.0, 0.0, -9.81)))
    mechanism.name = item.text("name", root.name)
    mechanism.nominal_configuration = item.numbers("nominal_configuration")
    inside = {root.name}
    for child in item.children("joint"):
        joint, before, after = read_joint(child, diagnostics)
        a, b = child.text("predecessor"), child.text("successor")
        for name in (a, b):
            if name not in bodies:
                raise child.error(f"no body named {shown(name)}{diagnostics.did_you_mean(name, bodies)}")
        child.check(diagnostics, "before", "after", "mimic", "annotation")
        try:
            mechanism.attach(bodies[a], bodies[b], joint, before, after)
        except Error as error:
            raise child.error(error) from None
        inside.add(b)
    if item.get("self_collision") is not None:
        mechanism.self_collision = item.flag("self_collision")
    pairs: set[frozenset[RigidBody]] = set()
    for child in item.children("ignore_collision"):
        for name in (child.text("body1"), child.text("body2")):
            if name not in bodies:
                raise child.error(f"no body named {shown(name)}{diagnostics.did_you_mean(name, bodies)}")
        ends = frozenset(bodies[child.text(name)] for name in ("body1", "body2"))
        if len(ends) < 2:
            raise child.error(f"body1 and body2 are both {shown(child.text('body1'))}")
        pairs.add(ends)
        child.check(diagnostics)
    ignore_pairs(mechanism, pairs)
    if lost := [name for name in bodies if name not in inside]:
        raise item.error(f"no joint leads to body {shown(lost[0])}")
    item.check(diagnostics, "body", "joint", "ignore_collision")
    return mechanism


def read_inertia(item: Item) -> SpatialInertia:
    """mass, com and inertia of an element."""
    xx, xy, xz, yy, yz, zz = item.vector("inertia", 6, (0.0,) * 6)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    try:
        return SpatialInertia(item.number("mass", 0.0), item.vector("com", 3, (0.0, 0.0, 0.0)), J)
    except Error as error:
        raise item.error(error) from None


def _read_body(item: Item, finder: FileFinder, diagnostics: Diagnostics) -> RigidBody:
    try:
        body = RigidBody(item.text("name"))
        body.take_inertia(read_inertia(item))
        for child in item.children("geometry", "frame"):
            if child.tag == "frame":
                body.add_frame(child.text("name"), read_pose(child))
            else:
                role = child.text("role", "collision")
                if role not in ("collision", "visual"):
                    raise child.error(f"role={shown(role)}; choices: collision, visual")
                getattr(body, role).append(read_geometry(child, finder))
            child.check(diagnostics, *(("pair",) if child.tag == "geometry" else ()))
    except Error as error:
        raise error if ": <" in str(error) else item.error(error) from None
    item.check(diagnostics, "geometry", "frame")
    return body


def read_joint(item: Item, diagnostics: Diagnostics) -> tuple[Joint, Transform, Transform]:
    """The joint of a <joint>, and where it is before and after."""
    values: dict[str, Any] = {}
    for name in (*NUMBERS, *ZEROS, "static_threshold"):
        numbers = item.numbers(name)
        if numbers is not None:
            if len(numbers) != 1:
                raise item.error(f"{name} must be one number")
            values[name] = numbers[0]
    for name in ("position_limits", "limit_softness", "twist_limits", "twist_axis", "spring_reference"):
        numbers = item.numbers(name)
        if numbers is not None:
            values[name] = numbers
    poses = {}
    for tag in ("before", "after"):
        child = item.child(tag)
        poses[tag] = Transform() if child is None else read_pose(child)
        if child is not None:
            child.check(diagnostics)
    try:
        kind = _read_type(item)
        if kind.num_velocities > 1 and kind.has_limits and "position_limits" in values:
            ends = values["position_limits"]
            values["position_limits"] = list(zip(ends[::2], ends[1::2], strict=True)) if len(ends) % 2 == 0 else ends
        joint = Joint(item.text("name"), kind, mimic=_read_mimic(item, diagnostics), **values)
        joint.annotations = {
            note.text("name"): {value.text("name"): value.text("text") for value in note.children("value")}
            for note in item.children("annotation")
        }
    except Error as error:
        raise error if ": <" in str(error) else item.error(error) from None
    return joint, poses["before"], poses["after"]


def _read_type(item: Item) -> JointType:
    kind = item.text("type")
    if kind not in KINDS:
        raise item.error(f"type={shown(kind)} is no joint type; choices: {', '.join(KINDS)}")
    made = KINDS[kind]
    given = {
        field.name: item.vector(field.name, 3) if isinstance(field.default, tuple) else item.number(field.name)
        for field in fields(made)
    }
    return made(**given)


def _read_mimic(item: Item, diagnostics: Diagnostics) -> Mimic | None:
    node = item.child("mimic")
    if node is None:
        return None
    mimic = Mimic(node.text("joint"), node.number("multiplier", 1.0), node.number("offset", 0.0),
                  node.number("softness", 0.0), node.number("damping", 0.0))  # fmt: skip
    node.check(diagnostics)
    return mimic
