"""Mechanism -> URDF, in the dialect that `load_urdf` reads."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, choice, flag, named_options, shown
from rbdyn.errors import Error
from rbdyn.io.build import ROOT_JOINT, WORLD
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import MeshFiles
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.joint_order import depth_first
from rbdyn.io.poses import poses_at
from rbdyn.io.urdf.seat import Seat, seat
from rbdyn.io.urdf.write_joints import floating_coordinates, write_joint
from rbdyn.io.urdf.write_links import ROTATIONS, LinkWriter
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Floating, SinCosRevolute, Spherical, SPQuatFloating
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.transform import Transform

GAP = 1e-9  # how far apart the two points of a pin may be where it is said to be closed [m]
PathLike = str | os.PathLike[str]


@named_options
def save_urdf(
    mechanism: Mechanism,
    path: PathLike,
    *,
    rotations: str = "rpy",
    configuration: ArrayLike | None = None,
    meshes: str = "reference",
    strict: bool = False,
) -> None:
    """Write a mechanism as URDF, in RaiSim's dialect where standard URDF has no words.

    Parameters
    ----------
    mechanism : Mechanism
        What to write; it stays as it is.
    path : path-like
        The file; one that is there is replaced, in one go.
    rotations : {"rpy", "quat"}
        Roll, pitch and yaw, which every reader knows; or quat_xyzw, which is unknown to most others.  Both give the
        entries of rotation matrices back within 1.4e-15.
    configuration : (nq,) array_like, optional
        Of a mechanism with loops: a q at which they are closed; `mechanism.nominal_configuration`, or the neutral
        configuration, by default.
    meshes : {"reference", "write"}
        A mesh that came from a file is named by that file, relative to `path` where it lies below that; or written, as
        all others are, to an OBJ file in the folder STEM_meshes beside `path`.
    strict : bool
        Raise Error where there would be a warning.

    Raises
    ------
    Error
        If a loop is not closed at the configuration, or a name holds what XML cannot.
    PathError
        If the file cannot be written.

    Warns
    -----
    ExportWarning
        For each kind of thing that URDF cannot say, with the names it is about.

    Notes
    -----
    A body whose frame is not at its joint gets the joint's frame where motion allows nothing else; its inertia, shapes
    and joints are written in that, and a warning says so.  Spherical loop joints are pins; other loop joints are left
    out, with a warning.  Named frames become links without mass on fixed joints.  A root body that is called "world",
    with nothing in it and one floating joint "ROOT", is what every reader of a floating robot assumes, and not written.

    Examples
    --------
    >>> from rbdyn import models
    >>> save_urdf(models.quadruped(), "robot.urdf")  # doctest: +SKIP
    """
    losses = Losses("URDF", flag(strict, "strict"))
    files = MeshFiles(path, meshes, lambda name: not name.lower().endswith(".msh"))  # which MuJoCo alone reads
    text = _text(mechanism, files, losses, rotations, configuration)
    files.save()
    write_text(path, text)
    losses.say(2)


@named_options
def urdf_text(
    mechanism: Mechanism,
    *,
    rotations: str = "rpy",
    configuration: ArrayLike | None = None,
    strict: bool = False,
) -> str:
    """The text that `save_urdf` writes; meshes that did not come from files are left out, with a warning.

    Parameters
    ----------
    mechanism, rotations, configuration, strict
        As of `save_urdf`.

    Returns
    -------
    text : str
    """
    losses = Losses("URDF", flag(strict, "strict"))
    text = _text(mechanism, MeshFiles(None), losses, rotations, configuration)
    losses.say(2)
    return text


def _text(
    mechanism: Mechanism, files: MeshFiles, losses: Losses, rotations: str, configuration: ArrayLike | None
) -> str:
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    links = LinkWriter(files, losses, choice(rotations, "rotations", ROTATIONS))
    robot = element(None, "robot", name=mechanism.name)
    seats = {joint: seat(mechanism.edge(joint), joint.joint_type) for joint in mechanism.tree_joints}
    frames = _link_frames(mechanism, seats, losses)
    hidden = _hidden_root(mechanism)
    names = {body.name for body in mechanism.bodies}
    root = mechanism.root_body
    if root.name != WORLD and WORLD not in names:  # the dialect's word for what does not move
        element(robot, "link", name=WORLD)
    elif root.name != WORLD:
        losses.add(f"that the base {root.name!r} is fixed while a body is called 'world': read it with floating=False",
                   root.name)  # fmt: skip
    for body in mechanism.bodies:
        if body is not root or not hidden:
            links.link(robot, body, frames[body])
    if root.name != WORLD and WORLD not in names:
        _write_fixed(robot, _free(ROOT_JOINT, {j.name for j in mechanism.joints}), WORLD, root.name, Transform(), links)
    if hidden and isinstance(mechanism.tree_joints[0].joint_type, SPQuatFloating):
        losses.add("the coordinates of a spquatfloating base: it is floating there", ROOT_JOINT)
    for joint in mechanism.tree_joints[hidden:]:
        edge = mechanism.edge(joint)
        origin = frames[edge.predecessor] @ seats[joint].origin
        parent, child = edge.predecessor.name, edge.successor.name
        write_joint(robot, joint, parent, child, seats[joint], origin, links, losses)
    _write_frames(robot, mechanism, frames, links)
    _write_pins(robot, mechanism, frames, configuration, losses)
    if not np.array_equal(mechanism.gravity, (0.0, 0.0, -9.81)):
        losses.add("gravity other than 0 0 -9.81: left out", mechanism.name)
    return document(robot)


def _hidden_root(mechanism: Mechanism) -> int:
    """1 if the root and its joint are those that a reader puts before a floating robot, else 0."""
    root, joints = mechanism.root_body, mechanism.joints_to_children(mechanism.root_body)
    empty = not (root.collision or root.visual or root.frames or root.sensor_sets or root.inertia.mass)
    if root.name != WORLD or not empty or len(joints) != 1 or len(mechanism.out_joints(root)) != 1:
        return 0
    joint, edge = joints[0], mechanism.edge(joints[0])
    plain = all(not getattr(joint, x) for x in ("damping", "friction", "stiffness", "rotor_inertia", "annotations"))
    free = joint.effort_limit is None and joint.velocity_limit is None and plain
    usual = joint.name == ROOT_JOINT and isinstance(joint.joint_type, (Floating, SPQuatFloating))
    loops = any(root is mechanism.successor(loop) for loop in mechanism.non_tree_joints)
    placed = edge.joint_pose.is_identity() and edge.successor_pose.is_identity()
    return int(usual and free and placed and not loops)


def _link_frames(mechanism: Mechanism, seats: dict[Any, Seat], losses: Losses) -> dict[RigidBody, Transform]:
    """Pose of every body's frame in its link."""
    frames = {mechanism.root_body: Transform()}
    for joint, place in seats.items():
        body = mechanism.successor(joint)
        frames[body] = place.body
        if not place.body.is_identity():
            losses.add("a body's frame away from its joint: the link has the joint's", body.name)
    return frames


def _write_frames(robot: Any, mechanism: Mechanism, frames: dict[RigidBody, Transform], links: LinkWriter) -> None:
    """Named frames, as links without mass."""
    bodies = {body.name for body in mechanism.bodies}
    joints = {joint.name for joint in mechanism.joints}
    for body in mechanism.bodies:
        for name, (_, pose) in body.frames.items():
            link = _free(name if name not in bodies else f"{body.name}/{name}", bodies)
            joint = _free(f"{link}_joint", joints)
            bodies.add(link)
            joints.add(joint)
            element(robot, "link", name=link)
            _write_fixed(robot, joint, body.name, link, frames[body] @ pose, links)


def _write_fixed(robot: Any, name: str, parent: str, child: str, pose: Transform, links: LinkWriter) -> None:
    node = element(robot, "joint", name=name, type="fixed")
    links.origin(node, pose)
    element(node, "parent", link=parent)
    element(node, "child", link=child)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _write_pins(
    robot: Any,
    mechanism: Mechanism,
    frames: dict[RigidBody, Transform],
    configuration: ArrayLike | None,
    losses: Losses,
) -> None:
    """<constraints>: spherical loop joints, and a configuration at which they are closed."""
    pins = []
    for joint in mechanism.non_tree_joints:
        if isinstance(joint.joint_type, Spherical):
            pins.append(joint)
        elif joint.num_velocities < 6:
            losses.add(f"a {joint.joint_type.kind} loop joint: left out", joint.name)
    q = _closed_configuration(mechanism, configuration)
    if not pins:
        return
    poses = poses_at(mechanism, tuple(q))
    node = element(robot, "constraints", nominal_config=_urdf_configuration(mechanism, q))
    for joint in pins:
        edge = mechanism.edge(joint)
        a = poses[edge.predecessor.name] @ edge.joint_pose
        b = poses[edge.successor.name] @ edge.successor_pose.inverse()
        gap = float(np.linalg.norm(a.translation - b.translation))
        if gap > GAP:
            raise Error(
                f"loop joint {joint.name!r} is open by {gap:.3g} m at the configuration that is to be its nominal one, "
                f"at most {GAP:g} m; give configuration=q with q of rbdyn.project_configuration"
            )
        anchor = frames[edge.predecessor] @ edge.joint_pose.translation
        element(node, "pin", body1=edge.predecessor.name, body2=edge.successor.name, anchor=anchor)
        if any(getattr(joint, x) for x in ("damping", "friction", "stiffness", "rotor_inertia", "position_limits")):
            losses.add("limits, friction and springs of a pin: left out", joint.name)


def _closed_configuration(mechanism: Mechanism, configuration: ArrayLike | None) -> np.ndarray:
    n = mechanism.num_positions
    if configuration is not None:
        return as_vector(configuration, n, "configuration")
    if mechanism.nominal_configuration is not None and len(mechanism.nominal_configuration) == n:
        return np.array(mechanism.nominal_configuration)
    return np.concatenate([np.zeros(0), *(joint.joint_type.neutral() for joint in mechanism.tree_joints)])


def _urdf_configuration(mechanism: Mechanism, q: np.ndarray) -> list[float]:
    """q depth first, in the coordinates of the joints that a URDF file can have."""
    numbers: dict[Joint, list[float]] = {}
    at = 0
    for joint in mechanism.tree_joints:
        part = q[at : at + joint.num_positions]
        if isinstance(joint.joint_type, SinCosRevolute):
            part = np.array([math.atan2(part[0], part[1])])
        elif isinstance(joint.joint_type, SPQuatFloating):
            part = np.array(floating_coordinates(part))
        numbers[joint] = part.tolist()
        at += joint.num_positions
    return [x for joint in depth_first(mechanism) for x in numbers[joint]]
