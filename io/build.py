"""Description -> Mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rbdyn.collision.shapes import Shape
from rbdyn.errors import Error, UrdfError
from rbdyn.io.description import GeometrySpec, JointSpec, LinkSpec, RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.joint_order import JointOrder, depth_first, reorder
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.pins import attach_pins
from rbdyn.io.tree import spanning_order
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Floating
from rbdyn.mechanism.mechanism import Mechanism

WORLD = "world"  # a root link of this name is the fixed base
ROOT_JOINT = "ROOT"  # the joint between the world and any other root link


def build_mechanism(
    robot: RobotSpec,
    floating: bool | None,
    shapes: MeshShapes,
    diagnostics: Diagnostics,
    joint_order: JointOrder = None,
) -> Mechanism:
    """Make the mechanism that a description means.

    Parameters
    ----------
    robot : RobotSpec
        As read.
    floating : bool or None
        None: a root link named "world" is the fixed base, any other root floats.  See `rbdyn.io.load_urdf`.
    shapes : MeshShapes
        Turns mesh files into shapes.
    diagnostics : Diagnostics
        Takes what was assumed; becomes `Mechanism.diagnostics`.
    joint_order : None, "depth_first" or iterable of str
        See `rbdyn.io.load_urdf`.

    Raises
    ------
    Error
        If joints cannot come in that order.
    UrdfError
        If the links and joints are not a tree.
    """
    if not (floating is None or isinstance(floating, bool)):
        raise Error(f"floating must be True, False or None, got {floating!r}")
    root, order = spanning_order(robot)
    _report_worlds(root, robot.links, floating, diagnostics)
    _report_massless_ends(root, order, robot.links, _is_freed(root, floating), diagnostics)
    bodies = {link.name: _body(link, shapes) for link in robot.links}
    mechanism = _rooted(root, bodies, robot, floating)
    mechanism.name = robot.name
    for spec in order:
        try:
            mechanism.attach(bodies[spec.parent], bodies[spec.child], spec.joint, joint_pose=spec.pose)
        except Error as error:
            raise UrdfError(f"{spec.where}: {error}") from None
    nominal_order = depth_first(mechanism)
    reorder(mechanism, joint_order)
    attach_pins(mechanism, robot, bodies, nominal_order, diagnostics)
    mechanism.diagnostics = diagnostics.lines()
    return mechanism


def _rooted(root: LinkSpec, bodies: dict[str, RigidBody], robot: RobotSpec, floating: bool | None) -> Mechanism:
    """A mechanism that holds the world and the root link."""
    if root.name == WORLD and not floating:
        return Mechanism(bodies[WORLD])  # the link itself is what does not move
    world = RigidBody(_free_name("universe" if WORLD in bodies else WORLD, bodies))
    mechanism = Mechanism(world)
    name = _free_name(ROOT_JOINT, [spec.joint.name for spec in robot.joints])
    joint_type = Floating() if _is_freed(root, floating) else Fixed()
    mechanism.attach(world, bodies[root.name], Joint(name, joint_type))
    return mechanism


def _is_freed(root: LinkSpec, floating: bool | None) -> bool:
    """Whether the root link moves."""
    return root.name != WORLD if floating is None else floating


def _report_worlds(root: LinkSpec, links: list[LinkSpec], floating: bool | None, diagnostics: Diagnostics) -> None:
    """Report what a link called "world" may not mean to say."""
    if root.name == WORLD:
        if not floating and root.inertia is not None and root.inertia.mass > 0.0:
            text = f"link {WORLD!r} is the fixed base: its mass of {root.inertia.mass:g} kg does not move"
            diagnostics.warn(root.where, text)
        return
    if floating is None and root.name.strip().casefold().startswith(WORLD):
        text = f"root link {root.name!r} floats: only {WORLD!r}, spelt so, is the fixed base; floating=False fixes it"
        diagnostics.warn(root.where, f"{text}, floating=True says that it is to float")
    for link in links:
        if link.name == WORLD:
            diagnostics.warn(link.where, f"link {WORLD!r} is not the root, {root.name!r} is: it is a link like others")


def _free_name(name: str, taken: Iterable[str]) -> str:
    used = set(taken)
    while name in used:
        name += "_"
    return name


def _body(link: LinkSpec, shapes: MeshShapes) -> RigidBody:
    collision = [_geometry(g, shape) for spec in link.collision for g, shape in _pieces(spec, shapes)]
    visual = [g for spec in link.visual for g in _drawn(spec, shapes)]
    body = RigidBody(link.name, None, [g for g in collision if g], visual)
    if link.inertia is not None:
        body.take_inertia(link.inertia)  # its defects are noted: real robots have such
    body.sensor_sets = link.sensor_sets
    return body


def _drawn(spec: GeometrySpec, shapes: MeshShapes) -> list[Geometry]:
    """What is drawn of a geometry; several parts are "NAME/0", "NAME/1", ..."""
    made = shapes.visual_shapes(spec)
    names = [spec.name] if len(made) == 1 else [f"{spec.name}/{k}" for k in range(len(made))]
    return [
        Geometry(shape, spec.pose, name, spec.material, color=spec.color or color)
        for name, (shape, color) in zip(names, made, strict=True)
    ]


def _pieces(spec: GeometrySpec, shapes: MeshShapes) -> list[tuple[GeometrySpec, Shape]]:
    """What collides of a geometry; several pieces are "NAME/0", "NAME/1", ..."""
    made = shapes.collision_shapes(spec)
    if len(made) == 1:
        return [(spec, made[0])]
    return [(replace(spec, name=f"{spec.name}/{k}"), shape) for k, shape in enumerate(made)]


def _geometry(spec: GeometrySpec, shape: object) -> Geometry | None:
    if shape is None:
        return None
    return Geometry(shape, spec.pose, spec.name, spec.material, color=spec.color)  # type: ignore[arg-type]


def _report_massless_ends(
    root: LinkSpec, order: list[JointSpec], links: list[LinkSpec], freed: bool, diagnostics: Diagnostics
) -> None:
    """Report links that can move and end a chain without any mass: their acceleration is a division by zero.

    Links on fixed joints count with the link that carries them.
    """
    by_name = {link.name: link for link in links}
    carrier = {root.name: root.name}  # link -> the link at the moving end of its rigid group
    joint_of = {root.name: ROOT_JOINT} if freed else {}
    branching = set()  # groups that carry another moving group
    for spec in order:
        if spec.joint.num_velocities == 0:
            carrier[spec.child] = carrier[spec.parent]
        else:
            carrier[spec.child] = spec.child
            joint_of[spec.child] = spec.joint.name
            branching.add(carrier[spec.parent])
    massive = {carrier[name] for name, link in by_name.items() if link.inertia is not None and link.inertia.mass > 0}
    for name, joint in joint_of.items():
        if name not in massive and name not in branching:
            text = f"link {name!r} has no mass and nothing behind it, but moves with joint {joint!r}"
            diagnostics.warn(by_name[name].where, f"{text}; forward dynamics will refuse it")
