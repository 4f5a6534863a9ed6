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
from rbdyn.io.export.names import claimed
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.joint_order import depth_first
from rbdyn.io.poses import poses_at
from rbdyn.io.urdf.dialect import Dialect
from rbdyn.io.urdf.seat import Seat
from rbdyn.io.urdf.srdf import write_pairs
from rbdyn.io.urdf.write_joints import JointWriter, floating_coordinates
from rbdyn.io.urdf.write_links import ROTATIONS, LinkWriter
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Floating, SinCosRevolute, Spherical, SPQuatFloating
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.filtering import silent_pairs
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
    dialect: bool = True,
) -> None:
    """Write a mechanism as URDF, in RaiSim's dialect where standard URDF has no words, or without it.

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
        Raise Error where there would be a warning of a loss.  A word of the dialect loses nothing.
    dialect : bool
        Whether the file may hold words that standard URDF does not have, each kind of which is said in a warning.
        False: only what every reader takes (see Notes).

    Raises
    ------
    Error
        If a loop is not closed at the configuration, a name holds what XML cannot, or without the dialect a joint is
        neither standard nor a chain of slides and turns (a screw).
    PathError
        If the file cannot be written.
    BusyError
        While another thread edits the mechanism.

    Warns
    -----
    ExportWarning
        For each kind of thing that URDF cannot say, and for each that it says in dialect, with the names it is about.

    Notes
    -----
    Without the dialect, joints are fixed, revolute, continuous and prismatic.  A planar joint J is J_x, J_y, J_theta; a
    spherical one J_yaw, J_pitch, J_roll (R = Rz Ry Rx, so that their angles are those of rpy; pitch stays off a quarter
    turn); a floating one has the slides J_x, J_y, J_z before them.  Links without mass, J_x_link and so on, carry them.
    A floating base at the origin is not written, whatever its joint is called.  A capsule is a cylinder and two balls.
    Rotor inertias, springs, contact materials, planes and loops are left out, with a warning.

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
    text = _text(mechanism, files, Dialect(flag(dialect, "dialect"), losses), rotations, configuration)
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
    dialect: bool = True,
) -> str:
    """The text that `save_urdf` writes; meshes that did not come from files are left out, with a warning.

    Parameters
    ----------
    mechanism, rotations, configuration, strict, dialect
        As of `save_urdf`.

    Returns
    -------
    text : str
    """
    losses = Losses("URDF", flag(strict, "strict"))
    text = _text(mechanism, MeshFiles(None), Dialect(flag(dialect, "dialect"), losses), rotations, configuration)
    losses.say(2)
    return text


def _text(
    mechanism: Mechanism, files: MeshFiles, dialect: Dialect, rotations: str, configuration: ArrayLike | None
) -> str:
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    mechanism = mechanism.copy()  # which no other thread edits
    losses = dialect.losses
    links = LinkWriter(files, dialect, _rotations(mechanism, rotations, dialect))
    link_names = {body.name for body in mechanism.bodies}
    joint_names = {joint.name for joint in mechanism.joints}
    joints = JointWriter(links, dialect, link_names, joint_names)
    robot = element(None, "robot", name=mechanism.name)
    seats = {joint: joints.seat(joint, mechanism.edge(joint)) for joint in mechanism.tree_joints}
    frames = _link_frames(mechanism, seats, losses)
    root = mechanism.root_body
    hidden = _hides_root(mechanism, dialect)
    held = not hidden and root.name != WORLD and WORLD not in link_names  # by the reader's word for what is fixed
    if held:
        element(robot, "link", name=claimed(WORLD, link_names))
    elif root.name != WORLD and WORLD in link_names:
        what, word = (f"the base {root.name!r} is fixed", False) if not hidden else ("'world' floats", True)
        losses.add(f"that {what} while a body is called 'world': read it with floating={word}", root.name)
    for body in mechanism.bodies:
        if body is not root or not hidden:
            links.link(robot, body, frames[body])
    if held:
        joints.fixed(robot, claimed(ROOT_JOINT, joint_names), WORLD, root.name, Transform())
    if hidden and isinstance(mechanism.tree_joints[0].joint_type, SPQuatFloating):
        losses.add("the coordinates of a spquatfloating base: it is floating there", mechanism.tree_joints[0].name)
    for joint in mechanism.tree_joints[hidden:]:
        edge = mechanism.edge(joint)
        origin = frames[edge.predecessor] @ seats[joint].origin
        joints.write(robot, joint, edge.predecessor.name, edge.successor.name, seats[joint], origin)
    _write_frames(robot, mechanism, frames, joints, link_names, joint_names)
    _write_pins(robot, mechanism, frames, configuration, dialect)
    _write_ignored(robot, mechanism, dialect, hidden)
    if not np.array_equal(mechanism.gravity, (0.0, 0.0, -9.81)):
        losses.add("gravity other than 0 0 -9.81: left out", mechanism.name)
    return document(robot)


def _rotations(mechanism: Mechanism, rotations: str, dialect: Dialect) -> str:
    """Format of rotations; Error for quaternions without the dialect, which no other reader knows."""
    if choice(rotations, "rotations", ROTATIONS) == "quat":
        if not dialect.allowed:
            raise Error("rotations='quat' writes quat_xyzw, which is dialect; needed with dialect=False: 'rpy'")
        dialect.writes("rotations as quat_xyzw", mechanism.name)
    return rotations


def _hides_root(mechanism: Mechanism, dialect: Dialect) -> bool:
    """Test that readers of a floating robot add the root and its joint themselves, so that neither is written.

    Without the dialect they are that whatever their names are: a <joint type="floating"> is not moved by all readers.
    """
    root, joints = mechanism.root_body, mechanism.joints_to_children(mechanism.root_body)
    empty = not (root.collision or root.visual or root.frames or root.sensor_sets or root.inertia.mass)
    if not empty or len(joints) != 1 or len(mechanism.out_joints(root)) != 1:
        return False
    joint, edge = joints[0], mechanism.edge(joints[0])
    plain = all(not getattr(joint, x) for x in ("damping", "friction", "stiffness", "rotor_inertia", "annotations"))
    free = joint.effort_limit is None and joint.velocity_limit is None and plain
    floats = free and isinstance(joint.joint_type, (Floating, SPQuatFloating))
    loops = any(root is mechanism.successor(loop) for loop in mechanism.non_tree_joints)
    placed = edge.joint_pose.is_identity() and edge.successor_pose.is_identity()
    usual = root.name == WORLD and joint.name == ROOT_JOINT
    if not (floats and placed and not loops and (usual or not dialect.allowed)):
        return False
    if not usual:
        dialect.losses.add(f"names of a floating base's joint and root: {ROOT_JOINT!r} and {WORLD!r} there", joint.name)
    return True


def _link_frames(mechanism: Mechanism, seats: dict[Any, Seat], losses: Losses) -> dict[RigidBody, Transform]:
    """Pose of every body's frame in its link."""
    frames = {mechanism.root_body: Transform()}
    for joint, place in seats.items():
        body = mechanism.successor(joint)
        frames[body] = place.body
        if not place.body.is_identity():
            losses.add("a body's frame away from its joint: the link has the joint's", body.name)
    return frames


def _write_frames(
    robot: Any,
    mechanism: Mechanism,
    frames: dict[RigidBody, Transform],
    joints: JointWriter,
    link_names: set[str],
    joint_names: set[str],
) -> None:
    """Named frames, as links without mass."""
    for body in mechanism.bodies:
        for name, (_, pose) in body.frames.items():
            link = claimed(name if name not in link_names else f"{body.name}/{name}", link_names)
            joint = claimed(f"{link}_joint", joint_names)
            element(robot, "link", name=link)
            joints.fixed(robot, joint, body.name, link, frames[body] @ pose)


def _write_ignored(robot: Any, mechanism: Mechanism, dialect: Dialect, hidden: bool) -> None:
    """<disable_collisions>: SRDF's word for pairs of links that never collide."""
    gone = {mechanism.root_body} if hidden else set()
    pairs = {pair for pair in silent_pairs(mechanism) if not pair & gone}
    what = "pairs of links that never collide, <disable_collisions>, which save_srdf writes for others"
    written = {pair for pair in pairs if dialect.writes(what, " and ".join(sorted(body.name for body in pair)))}
    write_pairs(robot, mechanism, dict.fromkeys(written))


def _write_pins(
    robot: Any,
    mechanism: Mechanism,
    frames: dict[RigidBody, Transform],
    configuration: ArrayLike | None,
    dialect: Dialect,
) -> None:
    """<constraints>: spherical loop joints, and a configuration at which they are closed."""
    pins = []
    for joint in mechanism.non_tree_joints:
        if isinstance(joint.joint_type, Spherical):
            if dialect.writes("spherical loop joints", joint.name):
                pins.append(joint)
        elif joint.num_velocities < 6:
            dialect.losses.add(f"a {joint.joint_type.kind} loop joint: left out", joint.name)
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
            dialect.losses.add("limits, friction and springs of a pin: left out", joint.name)


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
