"""What World's add_* functions are made of: shapes with their inertia, checks, filters."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, number, shown
from rbdyn.collision.shapes import Compound, ConvexHull, HalfSpace, HeightMap, Mesh, Shape
from rbdyn.errors import CollisionError, Error
from rbdyn.mechanism import Geometry, Mechanism, RigidBody
from rbdyn.model import Model
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform
from rbdyn.world.arguments import option

Body = tuple[list[Geometry], float, Array]
BODY_TYPES = ("static", "kinematic", "dynamic")


def half_space(material: str, group: int, mask: int) -> list[Geometry]:
    """The ground's shape."""
    return [Geometry(HalfSpace(), Transform(), "ground", material, group, mask)]


def checked_mass(value: Any) -> float:
    """A mass whose square is a number too."""
    mass = number(value, "mass", above=0.0, unit="[kg]")
    if not 1e-150 < mass < 1e150:
        raise Error(f"mass must be 1e-150 to 1e150 [kg], got {mass!r}")
    return mass


def solid(shape: Shape, mass: float, material: str, group: int, mask: int) -> Body:
    """One shape of uniform density, its centre of mass at the origin; of a compound its parts."""
    m = checked_mass(mass)
    inertia, pose = shape.inertia(m), Transform()
    if (centre := shape.centroid).any():
        inertia, pose = about_centre(inertia, m, centre), Transform(translation=-centre)
    return [part.moved(pose) for part in pieces(shape, material, group, mask)], m, inertia


def solid_body(
    world: Any,
    shape: Shape,
    mass: float | None,
    body_type: str,
    material: str,
    group: int,
    mask: int,
    name: str | None,
) -> Any:
    """A body of one shape, its origin where its centre of mass is, whatever its type."""
    if option(body_type, "body type", BODY_TYPES) == "dynamic" and mass is None:
        raise Error("mass must be given for a dynamic body [kg]")
    geometries, m, inertia = solid(shape, 1.0 if mass is None else mass, material, group, mask)
    if mass is None:
        m, inertia = 0.0, np.zeros((3, 3))
    return world.add_single_body(geometries, m, inertia, body_type, name)


def pieces(shape: Shape, material: str, group: int, mask: int) -> list[Geometry]:
    """A shape at the origin; of a compound its parts."""
    if isinstance(shape, Compound):
        return Geometry.parts_of(shape, material=material, group=group, mask=mask)
    return [Geometry(shape, Transform(), "", material, group, mask)]


def about_centre(inertia: Array, mass: float, centre: Array) -> Array:
    """Inertia about the centre of mass, of one about the origin; symmetric to the last bit."""
    moved = inertia - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.asarray(0.5 * (moved + moved.T))


def compound_body(
    world: Any,
    compound: Any,
    mass: float | None,
    body_type: str,
    material: str,
    group: int,
    mask: int,
    name: str | None,
) -> Any:
    """A body of several shapes; a dynamic one has its origin where its centre of mass is."""
    if not isinstance(compound, Compound):
        raise Error(f"compound must be a Compound, got {shown(compound)}")
    if option(body_type, "body type", BODY_TYPES) == "dynamic":
        if mass is None:
            raise Error("mass must be given for a dynamic body [kg]")
        body = solid(compound, mass, material, group, mask)
    else:
        m = checked_mass(mass) if mass is not None else 0.0
        body = pieces(compound, material, group, mask), m, compound.inertia(m) if m else np.zeros((3, 3))
    return world.add_single_body(*body, body_type, name)


def terrain(
    world: Any, shape: HeightMap, position: Array, material: str, group: int, mask: int, name: str | None
) -> Any:
    """A static body that carries a height map."""
    geometry = Geometry(shape, Transform(), "", material, group, mask)
    add = partial(world._add_single, [geometry], 0.0, np.zeros((3, 3)), "static", name)
    return world._add_as_one(add, lambda body: body.set_pose(position=position))


def mesh_body(
    world: Any, mesh: Any, mass: float | None, body_type: str, material: str, group: int, mask: int, name: str | None
) -> Any:
    """A body of the shape of a mesh; a dynamic one has its origin where its centre of mass is."""
    if isinstance(mesh, (str, os.PathLike)):
        from rbdyn.io.meshes.load import load_mesh

        mesh = load_mesh(mesh)
    if not isinstance(mesh, (Mesh, ConvexHull)):
        raise Error(f"mesh must be a Mesh, a ConvexHull or a path, got {shown(mesh)}")
    dynamic = option(body_type, "body type", BODY_TYPES) == "dynamic"
    if dynamic and mass is None:
        raise Error("mass must be given for a dynamic body [kg]")
    m = checked_mass(mass) if mass is not None else 0.0
    centre, inertia = np.zeros(3), np.zeros((3, 3))
    if m > 0.0:
        filled = solid_part(mesh)
        centre = filled.centroid
        inertia = about_centre(filled.inertia(m), m, centre)
    pose = Transform(translation=-centre) if dynamic else Transform()
    geometry = Geometry(mesh, pose, "", material, group, mask)
    return world.add_single_body([geometry], m, inertia, body_type, name)


def solid_part(mesh: Mesh | ConvexHull) -> Mesh | ConvexHull:
    """What of a mesh has a volume: itself, or its hull if it is not closed."""
    try:
        mesh.volume  # noqa: B018
    except CollisionError:
        return mesh.convex_hull() if isinstance(mesh, Mesh) else mesh
    return mesh


def checked_body(
    geometries: Iterable[Geometry], mass: float, inertia: ArrayLike, body_type: str
) -> tuple[list[Geometry], float, Array, str]:
    """The arguments of add_single_body, checked."""
    if not isinstance(geometries, Iterable):
        raise Error(f"geometries must be a sequence of Geometry values, got {shown(geometries)}")
    items = list(geometries)
    for item in items:
        if not isinstance(item, Geometry):
            raise Error(f"geometries must be Geometry values, got {shown(item)}")
        if not isinstance(item.pose, Transform):
            raise Error(f"pose of a Geometry must be a Transform, got {shown(item.pose)}")
    body_type = option(body_type, "body type", BODY_TYPES)
    if body_type == "dynamic" and any(isinstance(item.shape, HeightMap) for item in items):
        raise Error("a dynamic body cannot be a HeightMap: half-spaces do not meet it; give a static one, or a Mesh")
    matrix3 = as_array(inertia, (3, 3), "inertia")
    if body_type == "dynamic" or np.any(matrix3):
        check_inertia(matrix3)
    prepare(items)
    mass = checked_mass(mass) if body_type == "dynamic" else number(mass, "mass", low=0.0, unit="[kg]")
    return items, mass, matrix3, body_type


def prepare(geometries: Iterable[Geometry]) -> None:
    """Let shapes find what they must know of themselves, such as hulls: that may take long, and an edit may not."""
    for item in geometries:
        item.shape.data()


def prepare_bodies(bodies: Iterable[RigidBody]) -> None:
    """The same of all shapes of bodies."""
    for body in bodies:
        prepare(body.collision)


def check_inertia(matrix3: Array) -> None:
    """Error unless it is symmetric and positive definite, and a body can have it."""
    (x, xy, xz), (yx, y, yz), (zx, zy, z) = matrix3.tolist()
    principal = not (xy or xz or yx or yz or zx or zy) and all(1e-100 < m < 1e100 for m in (x, y, z))
    if principal and 2.0 * max(x, y, z) <= x + y + z:  # as of most shapes: there is nothing to compute
        return
    symmetric = (np.abs(matrix3 - matrix3.T) <= 1e-9 * np.abs(matrix3.T)).all()
    moments = np.linalg.eigvalsh(matrix3)
    if not (symmetric and moments[0] > 1e-15 * moments[2] and np.isfinite(np.linalg.inv(matrix3)).all()):
        raise Error(f"inertia must be symmetric and positive definite [kg m^2], got {matrix3.tolist()}")
    if why := SpatialInertia(1.0, inertia=matrix3).defect():
        raise Error(f"inertia must be that of a body, with no principal moment above the sum of the others: {why}")


def warn_of_hulls(name: str, geometries: Iterable[Geometry]) -> None:
    """Say which meshes of an object collide as their convex hulls, because its World's backend takes no triangles."""
    meshes = [(g.name or "a mesh", g.shape.path) for g in geometries if isinstance(g.shape, Mesh)]
    found = [name + (f" ({Path(path).name})" if path else "") for name, path in meshes]
    if found:
        more = f" and {len(found) - 8} more" if len(found) > 8 else ""
        warnings.warn(
            f"{name!r}: the collision backend takes the convex hull of meshes, not their triangles: "
            f"{', '.join(found[:8])}{more}.  Give World a backend that keeps triangles, such as NativeBackend or "
            "FCLBackend(mesh='triangles'), or ConvexHull shapes (load_urdf's collision_mesh='hull')",
            stacklevel=3,
        )


def kind_of(geometries: list[Geometry]) -> str:
    """A name's stem: the first shape's."""
    if not geometries:
        return "body"
    kind = geometries[0].shape.kind
    return "ground" if kind == HalfSpace.kind else kind


def mechanism_from(source: Any, load_options: dict[str, Any]) -> Mechanism:
    """A copy of a Mechanism, or one read from a robot file or text: the caller's own."""
    if isinstance(source, Mechanism):
        if load_options:
            raise Error(f"options {sorted(load_options)} are for files, but source is a Mechanism already")
        return source.copy()
    from rbdyn import io

    return io.load(source, **load_options)


def filtered(mechanism: Mechanism, group: int | None, mask: int | None) -> Mechanism:
    """The same, all its shapes with other filter bits if some are given."""
    values: dict[str, Any] = {name: value for name, value in (("group", group), ("mask", mask)) if value is not None}
    for body in mechanism.bodies if values else ():
        body.collision[:] = [replace(item, **values) for item in body.collision]
    return mechanism


def matrix(model: Model, body: RigidBody) -> Array:
    """Pose of a body in the internal frame that collision poses are given for, (4, 4)."""
    return model.internal_pose(body)
