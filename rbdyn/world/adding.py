"""World's add_* functions; they are methods of World, written in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, flag, number, plain_array, shown, whole
from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightMap,
    Mesh,
    Sphere,
)
from rbdyn.errors import Error
from rbdyn.world.arguments import option
from rbdyn.world.extensions import mount_described
from rbdyn.world.registry import factories
from rbdyn.world.registry.factories import filtered, mechanism_from

if TYPE_CHECKING:
    from rbdyn.mechanism import Geometry
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.single_body import SingleBody
    from rbdyn.world.world import World


def add_ground(
    world: World,
    height: float = 0.0,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
) -> SingleBody:
    """Add a level ground: a half-space, static.

    Parameters
    ----------
    height : float
        z of its surface, world [m].
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "ground_0" or the like by default.

    Returns
    -------
    ground : SingleBody
    """
    height = number(height, "height", unit="[m]")
    shapes = factories.half_space(material, group, mask)
    add = partial(world._add_single, shapes, 0.0, np.zeros((3, 3)), "static", name)
    return world._add_as_one(add, lambda ground: ground.set_pose(position=(0.0, 0.0, height)))


def add_sphere(
    world: World,
    radius: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid ball of uniform density.

    Parameters
    ----------
    radius : float
        [m], above 0.
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "sphere_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Sphere(radius), mass, body_type, material, group, mask, name)


def add_box(
    world: World,
    x: float,
    y: float,
    z: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid box of uniform density.

    Parameters
    ----------
    x, y, z : float
        Full side lengths [m], above 0.
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "box_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Box((x, y, z)), mass, body_type, material, group, mask, name)


def add_cylinder(
    world: World,
    radius: float,
    height: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid cylinder of uniform density along z.

    Parameters
    ----------
    radius, height : float
        Radius and full height [m], above 0.
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "cylinder_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Cylinder(radius, height), mass, body_type, material, group, mask, name)


def add_capsule(
    world: World,
    radius: float,
    height: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid capsule of uniform density along z.

    Parameters
    ----------
    radius, height : float
        Radius of its balls and distance of their centres [m].
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "capsule_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Capsule(radius, height), mass, body_type, material, group, mask, name)


def add_cone(
    world: World,
    radius: float,
    height: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid cone of uniform density along z, its apex at +z.

    Its origin is its centre of mass, a quarter of the height above the base.

    Parameters
    ----------
    radius, height : float
        Radius of the base, and the height [m], above 0.
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "cone_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Cone(radius, height), mass, body_type, material, group, mask, name)


def add_ellipsoid(
    world: World,
    x: float,
    y: float,
    z: float,
    mass: float | None = None,
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
    body_type: str = "dynamic",
) -> SingleBody:
    """Add a solid ellipsoid of uniform density.

    Parameters
    ----------
    x, y, z : float
        Semi-axes [m], above 0.
    mass : float, optional
        [kg], above 0.  Needed of a dynamic body.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "ellipsoid_0" or the like by default.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.solid_body(world, Ellipsoid((x, y, z)), mass, body_type, material, group, mask, name)


def add_compound(
    world: World,
    compound: Compound,
    mass: float | None = None,
    body_type: str = "dynamic",
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
) -> SingleBody:
    """Add a body of several shapes, such as a table.

    A dynamic one has uniform density, where parts overlap that of both, and its origin is its centre of mass, wherever
    that of the compound is.

    Parameters
    ----------
    compound : Compound
        The shapes, and where they are.
    mass : float
        [kg], above 0, for a dynamic body.  The others need none.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all; the origin of the last two is that of the
        compound.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; the first part's kind with a number by default.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdyn.collision import Box, Compound
    >>> leg = np.eye(4)
    >>> leg[2, 3] = -0.4
    >>> world = rbdyn.World()
    >>> table = world.add_compound(Compound([Box((1, 1, 0.1)), (Box((0.1, 0.1, 0.7)), leg)]), mass=20.0)
    >>> len(table.geometries)
    2
    """
    return factories.compound_body(world, compound, mass, body_type, material, group, mask, name)


def add_height_map(
    world: World,
    heights: ArrayLike | HeightMap,
    size: tuple[float, float] | None = None,
    position: ArrayLike = (0.0, 0.0),
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
) -> SingleBody:
    """Add terrain: heights over a grid, static, and solid below.

    Parameters
    ----------
    heights : (ny, nx) array_like of float, or HeightMap
        z of the points [m]; rows are along x, and follow one another along y.
    size : (2,) sequence of float
        Extent along x and y, from the first point to the last [m].  Not for a HeightMap, which has one.
    position : (2,) or (3,) sequence of float
        World coordinates of the middle, and what is added to the heights [m].
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "height_map_0" or the like by default.

    Returns
    -------
    terrain : SingleBody
    """
    if isinstance(heights, HeightMap):
        if size is not None:
            raise Error("size is for an array of heights; this HeightMap has one")
        shape = heights
    elif size is None:
        raise Error("size must be given with an array of heights: the extent along x and y [m]")
    else:
        shape = HeightMap(plain_array(heights, "heights"), size)
    where = np.append(as_array(position, (plain_array(position, "position").size,), "position"), 0.0)
    if len(where) not in (3, 4):
        raise Error(f"position must hold x, y, or x, y, z [m], got {shown(position)}")
    return factories.terrain(world, shape, where[:3], material, group, mask, name)


def add_mesh(
    world: World,
    mesh: Mesh | ConvexHull | str | os.PathLike[str],
    mass: float | None = None,
    body_type: str = "dynamic",
    material: str = "default",
    group: int = 1,
    mask: int = -1,
    name: str | None = None,
) -> SingleBody:
    """Add a body of the shape of a mesh: by its triangles, or, of a ConvexHull, as that.

    A dynamic body has uniform density.  Its origin is its centre of mass, wherever that of the mesh is; RaiSim takes
    mass properties of the bounding box instead.  Of a mesh that is not closed they are those of its convex hull.

    Parameters
    ----------
    mesh : Mesh, ConvexHull or path
        The shape, or a file that `rbdyn.io.load_mesh` reads.
    mass : float
        [kg], above 0, for a dynamic body.  The others need none.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all; the origin of the last two is that of the mesh.
    material : str
        Name for the World's pairs of materials.
    group, mask : int
        Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
    name : str, optional
        Unique in this World; "mesh_0" or the like by default.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return factories.mesh_body(world, mesh, mass, body_type, material, group, mask, name)


def add_single_body(
    world: World,
    geometries: Iterable[Geometry],
    mass: float,
    inertia: ArrayLike,
    body_type: str = "dynamic",
    name: str | None = None,
) -> SingleBody:
    """Add a body of any shapes; the other add_* functions lead here.

    Parameters
    ----------
    geometries : sequence of Geometry
        Shapes in the body frame, whose origin is the centre of mass.
    mass : float
        [kg], above 0 for a dynamic body.
    inertia : (3, 3) array_like
        About the centre of mass, body axes [kg m^2]; positive definite for a dynamic body.
    body_type : {"dynamic", "kinematic", "static"}
        Whether it is moved by forces, by its velocity, or not at all.
    name : str, optional
        Unique in this World; the first shape's kind with a number by default.

    Returns
    -------
    body : SingleBody
        At the origin, at rest.
    """
    return world._add_single(geometries, mass, inertia, body_type, name)


def add_articulated_system(
    world: World,
    source: Any,
    name: str | None = None,
    self_collision: bool | None = None,
    loop_constraints: str = "eliminate",
    collide_with_parent: bool = False,
    contacts_per_self_pair: int | None = None,
    group: int | None = None,
    mask: int | None = None,
    ignore_overlapping: bool = False,
    **load_options: Any,
) -> ArticulatedSystem:
    """Add a mechanism, or a robot file.

    Parameters
    ----------
    source : Mechanism, or path or text of a robot in URDF, MJCF or SDF
        What to add.  Of a Mechanism the robot gets a copy of its own, `robot.mechanism`, with the same names: what you
        do to yours afterwards does not reach it, nor do two robots made from one.
    name : str, optional
        Unique in this World; the mechanism's name by default.
    self_collision : bool, optional
        Whether bodies of this system collide with one another.  By default as `mechanism.self_collision` says: True,
        but for SDF files without <self_collide>.  Pairs of `mechanism.ignored_collisions`, which `<exclude>` of MJCF
        and SRDF files give, never do.
    loop_constraints : {"eliminate", "inloop"}
        How its loops are kept closed: eliminated exactly before contacts are solved, or as rows of the contact problem,
        which is slower, and as precise as the solver.
    collide_with_parent : bool
        Whether a body collides with its parent, and with what a loop joint joins to it; bodies without mass and shapes
        between two joints of one place make no difference.  A body on a floating joint does in any case.
    contacts_per_self_pair : int, optional
        Contacts that two bodies of this system have at most with one another: the deepest.  All by default; RaiSim has
        1 of them.
    group, mask : int, optional
        Filter bits of all its shapes, instead of those that each one has.
    ignore_overlapping : bool
        Whether bodies of this system never collide with one another whose shapes are in each other by more than 1 mm
        in the configuration that it gets here.  `robot.ignored_collisions` lists the pairs, `robot.allow_collision`
        undoes one.
    **load_options
        For a path or text: passed on to `rbdyn.io.load`, and by that to the reader of the format.

    Returns
    -------
    robot : ArticulatedSystem
        At rest at `mechanism.nominal_configuration`, where a file says one, else at its neutral configuration; with
        loops, at a closed one near it.

    Raises
    ------
    LoopError
        If its loops close neither near the neutral configuration nor near a few random ones; with the gap of the first.

    Warns
    -----
    InactiveFeatureWarning
        If it asks for what does not act in a World yet, such as mimics of loop joints.
    SetupWarning
        At the first step: if its bodies are in each other by more than 1 mm, or its joints beyond their limits.

    Raises
    ------
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.
    """
    world._check_settable()
    loops = option(loop_constraints, "loop_constraints", ("eliminate", "inloop"))
    near = flag(collide_with_parent, "collide_with_parent")
    most = 0
    if contacts_per_self_pair is not None:
        most = whole(contacts_per_self_pair, "contacts_per_self_pair", least=1, most=2**30)
    own = flag(ignore_overlapping, "ignore_overlapping")
    with_itself = None if self_collision is None else flag(self_collision, "self_collision")
    mechanism = filtered(mechanism_from(source, load_options), group, mask)
    if with_itself is None:
        with_itself = mechanism.self_collision
    factories.prepare_bodies(mechanism.bodies)
    robot = world._built_system(mechanism, name)

    def equip(robot: ArticulatedSystem) -> None:
        if near or most:
            world._edits.set_filters(robot, collide_with_parent=near, contacts_per_self_pair=most)
        if own:
            world._edits.ignore_overlapping(robot)
        mount_described(robot)

    return world._add_as_one(partial(world._enter_system, robot, name, with_itself, loops == "inloop"), equip)
