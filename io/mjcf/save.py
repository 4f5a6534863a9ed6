"""Mechanism -> MJCF."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, choice, flag, named_options, shown
from rbdyn.errors import Error
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import MeshFiles
from rbdyn.io.export.names import Names
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.mjcf.inertias import fitting, principal, written_inertias
from rbdyn.io.mjcf.read_actuators import servo_gains
from rbdyn.io.mjcf.write_constraints import write_actuators, write_excludes, write_loops, write_mimics, write_pairs
from rbdyn.io.mjcf.write_geoms import GeomWriter, place, reads
from rbdyn.io.mjcf.write_joints import JointWriter
from rbdyn.io.mjcf.write_nominal import write_nominal
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import quat_from_matrix

WORLD = "world"  # MuJoCo's name of what does not move
ACTUATORS = ("motor", "none")
Gains = tuple[ArrayLike, ArrayLike]


@named_options
def save_mjcf(
    mechanism: Mechanism,
    path: str | os.PathLike[str],
    *,
    actuators: str = "motor",
    pd_gains: Gains | None = None,
    meshes: str = "reference",
    strict: bool = False,
) -> None:
    """Write a mechanism as MJCF, for MuJoCo.

    Parameters
    ----------
    mechanism : Mechanism
        What to write; it stays as it is.
    path : path-like
        The file; one that is there is replaced, in one go.
    actuators : {"motor", "none"}
        Whether every joint of one degree of freedom gets a motor, bounded by its effort limit.
    pd_gains : (p, d), optional
        Stiffnesses and dampings of PD control, (nv,) each, in the order of `mechanism.tree_joints`: such joints get
        position servos instead of motors.  Those of `servo_gains` by default.
    meshes : {"reference", "write"}
        A mesh that came from a file that MuJoCo reads is named by that file; or written, as all others are, to an OBJ
        file in the folder STEM_meshes beside `path`.
    strict : bool
        Raise Error where there would be a warning.

    Raises
    ------
    Error
        If gains have not one number for each degree of freedom, or a name holds what XML cannot.
    PathError
        If the file cannot be written.
    BusyError
        While another thread edits the mechanism.

    Warns
    -----
    ExportWarning
        For each kind of thing that MJCF cannot say, with the names it is about.

    Notes
    -----
    Every body keeps its frame and its name; the root body is MuJoCo's "world".  MuJoCo numbers bodies depth first, so
    joints are to be looked up by name there; the numbers of each are those of `rbdyn.convert(to="mujoco")`.  A planar
    joint J is two slides and a hinge, J_x, J_y and J_theta; a floating one that does not join a body to the origin of
    the world is three slides and a ball, J_x, J_y, J_z and J_ball.  `mechanism.nominal_configuration` is where free
    bodies stand, and qpos of a <key> called "nominal" if joints are not at 0 there.  Loop joints are equality
    constraints between sites: spherical ones <connect>, fixed ones <weld>, revolute ones two <connect>; MuJoCo's give
    way a little.  Named frames are sites.

    Examples
    --------
    >>> from rbdyn import models
    >>> save_mjcf(models.quadruped(), "robot.xml")  # doctest: +SKIP
    """
    losses = Losses("MJCF", flag(strict, "strict"))
    files = MeshFiles(path, meshes, reads)
    text = _text(mechanism, files, losses, actuators, pd_gains)
    files.save()
    write_text(path, text)
    losses.say(2)


@named_options
def mjcf_text(
    mechanism: Mechanism, *, actuators: str = "motor", pd_gains: Gains | None = None, strict: bool = False
) -> str:
    """The text that `save_mjcf` writes; meshes that did not come from files stand in it with all their triangles.

    Parameters
    ----------
    mechanism, actuators, pd_gains, strict
        As of `save_mjcf`.

    Returns
    -------
    text : str

    Examples
    --------
    >>> mjcf_text(rbdyn.rand_chain_mechanism([rbdyn.Revolute])).count("<joint")
    1
    """
    losses = Losses("MJCF", flag(strict, "strict"))
    text = _text(mechanism, MeshFiles(None, "reference", reads), losses, actuators, pd_gains)
    losses.say(2)
    return text


def _text(mechanism: Mechanism, files: MeshFiles, losses: Losses, actuators: str, pd_gains: Gains | None) -> str:
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    mechanism = mechanism.copy()  # which no other thread edits
    servos, motors = _driven(mechanism, choice(actuators, "actuators", ACTUATORS), pd_gains)
    root = element(None, "mujoco", model=mechanism.name)
    element(root, "compiler", angle="radian", autolimits=True, inertiafromgeom=False)
    option = element(root, "option", gravity=mechanism.gravity)
    shapes = [item for body in mechanism.bodies for item in body.collision]
    if shapes and all(item.mask == 0 and not item.pairs for item in shapes):  # as <flag> is read
        element(option, "flag", contact="disable")
        shapes = []
    defaults = element(root, "default")
    element(element(defaults, "default", class_="collision"), "geom", group=0, mass=0)
    element(element(defaults, "default", class_="visual"), "geom", group=1, mass=0, contype=0, conaffinity=0)
    assets, tree = element(root, "asset"), element(root, "worldbody")
    contact, equality, drives = (element(root, tag) for tag in ("contact", "equality", "actuator"))
    joints = JointWriter(losses)
    geoms = GeomWriter(assets, files, losses, shapes)
    bodies, names = _write_bodies(tree, mechanism, geoms, joints, losses)
    write_nominal(root, tree, mechanism, joints.written, losses)
    sites = _write_frames(mechanism, bodies)
    write_loops(equality, mechanism, bodies, sites, losses)
    write_mimics(equality, mechanism, joints.written, losses)
    write_excludes(contact, mechanism, names)
    write_pairs(contact, geoms.paired)
    for word, driven in (("position", servos), ("motor", motors)):
        write_actuators(drives, [entry for entry in driven if entry[0].name in joints.written], joints.written, word)
    for part in (assets, contact, equality, drives):
        if not len(part):
            root.remove(part)
    return document(root)


Driven = list[tuple[Joint, float, float]]


def _driven(mechanism: Mechanism, actuators: str, pd_gains: Gains | None) -> tuple[Driven, Driven]:
    """The joints that get servos, with their gains, and those that get motors."""
    p, d = servo_gains(mechanism)
    if pd_gains is not None:
        if not isinstance(pd_gains, (tuple, list)) or len(pd_gains) != 2:
            raise Error(f"pd_gains must be (p, d), got {shown(pd_gains)}")
        p, d = (as_vector(x, len(p), f"pd_gains[{k}]") for k, x in enumerate(pd_gains))
    servos, motors, at = [], [], 0
    for joint in mechanism.tree_joints:
        if joint.num_velocities == 1:
            entry = (joint, float(p[at]), float(d[at]))
            if entry[1] or entry[2]:
                servos.append(entry)
            elif actuators == "motor" and joint.effort_limit != 0.0:
                motors.append(entry)
        at += joint.num_velocities
    return servos, motors


def _write_bodies(
    tree: Any, mechanism: Mechanism, geoms: GeomWriter, joints: JointWriter, losses: Losses
) -> tuple[dict[RigidBody, Any], dict[RigidBody, str]]:
    """The elements and the names of all bodies."""
    root, inertias = mechanism.root_body, written_inertias(mechanism, losses)
    bodies, names, still = {root: tree}, {root: WORLD}, {root}
    taken = Names(WORLD, *(body.name for body in mechanism.bodies[1:] if body.name != WORLD))
    _write_shapes(tree, root, geoms, True)
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        body, parent = edge.successor, edge.predecessor
        name = body.name if body.name != WORLD else taken.free(WORLD)
        if body.name == WORLD:
            losses.add(f"a body called 'world' that is not MuJoCo's: it is {name!r}", body.name)
        carried = joints.needs_carrier(joint, edge)
        inside = bodies[parent]
        if carried:
            inside = element(inside, "body", name=taken.free(f"{name}_carrier"), **place(edge.joint_pose))
            joints.write(inside, joint, edge, parent is root, True)
        pose = edge.successor_pose if carried else edge.joint_pose @ edge.successor_pose
        node = element(inside, "body", name=name, **place(pose))
        if not carried:
            joints.write(node, joint, edge, parent is root, False)
        if joint.name not in joints.written and parent in still:
            still.add(body)
        _write_inertia(node, inertias[body])
        _write_shapes(node, body, geoms, body in still)
        bodies[body], names[body] = node, name
    return bodies, names


def _write_shapes(node: Any, body: RigidBody, geoms: GeomWriter, still: bool) -> None:
    for k, geometry in enumerate(body.visual):
        geoms.write(node, geometry, "visual", f"{body.name}/visual/{k}", still)
    for k, geometry in enumerate(body.collision):
        geoms.write(node, geometry, "collision", f"{body.name}/{k}", still)


def _write_inertia(node: Any, inertia: SpatialInertia) -> None:
    """<inertial>, in principal axes."""
    if inertia.mass == 0.0 and not inertia.inertia.any():
        return
    moments, axes = principal(inertia.inertia)
    quat = None if np.array_equal(axes, np.eye(3)) else quat_from_matrix(axes)
    element(node, "inertial", pos=inertia.com, quat=quat, mass=float(inertia.mass), diaginertia=fitting(moments))


def _write_frames(mechanism: Mechanism, bodies: dict[RigidBody, Any]) -> Names:
    """Named frames as sites."""
    sites = Names()
    for body in mechanism.bodies:
        for name, (_, pose) in body.frames.items():
            element(bodies[body], "site", name=sites.free(name), **place(pose))
    return sites
