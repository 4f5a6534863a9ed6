"""Robots that urdfpy, urchin or yourdfpy have read -> Mechanism.

Nothing of these packages is imported: their objects are recognised by their attributes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rbdyn.collision.shapes import Box, Cylinder, Shape, Sphere
from rbdyn.errors import Error, UrdfError
from rbdyn.io.build import build_mechanism
from rbdyn.io.description import GeometrySpec, JointSpec, LinkSpec, MeshFile, RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.mimics import checked_mimics
from rbdyn.io.paths import FileFinder
from rbdyn.io.urdf.joints import KINDS, make_type
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

IDENTITY4 = np.eye(4)


def from_urdfpy(
    robot: Any,
    floating: bool | None = None,
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    *,
    on_missing_mesh: str = "warn",
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
) -> Mechanism:
    """A mechanism from a robot object of urdfpy, urchin (its maintained fork) or yourdfpy.

    Those packages drop what RaiSim adds to URDF, so a file in that dialect is better read by `load_urdf`.

    Parameters
    ----------
    robot : object
        With `links` and `joints` (urdfpy, urchin), or with a `robot` that has them (yourdfpy).
    floating, resource_dirs, strict, on_missing_mesh, collision_mesh, visual_meshes
        As for `load_urdf`.  Meshes are read anew, from `resource_dirs`.

    Returns
    -------
    mechanism : Mechanism
        As `load_urdf` would give.

    Raises
    ------
    UrdfError
        If the object has not the expected attributes, or is not a robot that can be accepted.
    PathError, MeshError
        As for `load_urdf`.
    """
    robot = getattr(robot, "robot", robot)
    diagnostics = Diagnostics(strict)
    name = str(getattr(robot, "name", None) or "robot")
    where = f"{type(robot).__module__.split('.')[0]} robot {name!r}"
    if not (hasattr(robot, "links") and hasattr(robot, "joints")):
        raise UrdfError(f"from_urdfpy takes a robot object with links and joints, got {type(robot).__name__}")
    links = [_link(link, f"{where}, link {getattr(link, 'name', '?')!r}", diagnostics) for link in robot.links]
    joints = [_joint(joint, f"{where}, joint {getattr(joint, 'name', '?')!r}", diagnostics) for joint in robot.joints]
    finder = FileFinder(None, resource_dirs)
    shapes = MeshShapes(finder, diagnostics, on_missing_mesh, collision_mesh, visual_meshes)
    spec = RobotSpec(where, name, links, checked_mimics(joints, diagnostics))
    return build_mechanism(spec, floating, shapes, diagnostics)


def _link(link: Any, where: str, diagnostics: Diagnostics) -> LinkSpec:
    with _Naming(where):
        name = str(link.name)
        inertial = link.inertial
        inertia = None
        if inertial is not None and inertial.mass is not None:
            moments = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, dtype=float)
            about_com = SpatialInertia(inertial.mass, inertia=moments)
            inertia = about_com.transformed(_pose(inertial.origin))
            if about_com.mass == 1.0 and np.array_equal(moments, np.eye(3)):
                text = "mass 1 and a unit inertia: urdfpy and urchin invent these where <inertial> is missing"
                diagnostics.warn(where, text)
            elif defect := about_com.defect():
                diagnostics.warn(where, defect)
        spec = LinkSpec(where, name, inertia)
        for source, target in ((link.collisions, spec.collision), (link.visuals, spec.visual)):
            for k, item in enumerate(source or ()):
                color = _color(getattr(item, "material", None)) if target is spec.visual else None
                shape = _shape(item.geometry)
                target.append(GeometrySpec(where, f"{name}/{k}", shape, _pose(item.origin), color=color))
    return spec


def _shape(geometry: Any) -> Shape | MeshFile:
    for kind in ("box", "sphere", "cylinder", "mesh"):
        item = getattr(geometry, kind, None)
        if item is None:
            continue
        if kind == "box":
            return Box(tuple(item.size))
        if kind == "sphere":
            return Sphere(item.radius)
        if kind == "cylinder":
            return Cylinder(item.radius, item.length)
        scale = np.ones(3) if item.scale is None else np.broadcast_to(np.asarray(item.scale, dtype=float), 3)
        if not np.isfinite(scale).all() or (scale == 0).any():
            raise Error(f"scale of mesh {item.filename!r} must be finite and not zero, got {scale.tolist()}")
        return MeshFile(str(item.filename), (float(scale[0]), float(scale[1]), float(scale[2])))
    raise Error("a geometry holds no box, sphere, cylinder or mesh")


def _color(material: Any) -> tuple[float, float, float, float] | None:
    """urdfpy and urchin keep the four numbers in material.color, yourdfpy in material.color.rgba."""
    color = getattr(material, "color", None)
    color = getattr(color, "rgba", color)
    if color is None or len(color) != 4:
        return None
    r, g, b, a = (float(c) for c in color)
    return r, g, b, a


def _pose(origin: Any) -> Transform:
    return Transform.from_matrix(IDENTITY4 if origin is None else origin)


def _joint(joint: Any, where: str, diagnostics: Diagnostics) -> JointSpec:
    with _Naming(where):
        kind = getattr(joint, "joint_type", None) or getattr(joint, "type", None)
        if kind not in KINDS:
            raise Error(f"type {kind!r} is not a joint type; choices: {', '.join(KINDS)}")
        axis = (1.0, 0.0, 0.0) if joint.axis is None else tuple(float(x) for x in joint.axis)
        values = _limits(joint, kind, where, diagnostics)
        dynamics = getattr(joint, "dynamics", None)
        if dynamics is not None and kind != "fixed":
            values |= {"damping": dynamics.damping or 0.0, "friction": dynamics.friction or 0.0}
        mimic = getattr(joint, "mimic", None)
        if mimic is not None and kind != "fixed":
            multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
            values["mimic"] = Mimic(str(mimic.joint), float(multiplier), float(mimic.offset or 0.0))
            diagnostics.warn(where, "its mimic is kept in Joint.mimic but not enforced yet", "mimic")
        built = Joint(str(joint.name), make_type(kind, axis), **values)  # type: ignore[arg-type]
        return JointSpec(where, built, str(joint.parent), str(joint.child), _pose(joint.origin))


def _limits(joint: Any, kind: str, where: str, diagnostics: Diagnostics) -> dict[str, Any]:
    limit = getattr(joint, "limit", None)
    if limit is None or kind == "fixed":
        return {}
    values: Mapping[str, Any] = {
        "effort_limit": None if limit.effort == -1 else limit.effort,
        "velocity_limit": None if limit.velocity in (-1, 0) else limit.velocity,
    }
    if limit.velocity == 0:
        diagnostics.warn(where, "velocity limit 0 is taken as no limit", "velocity 0")
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if kind in ("revolute", "prismatic"):
        return {**values, "position_limits": (lower, upper)}
    return dict(values)


class _Naming:
    """Errors inside the block say which link or joint they are about, and are UrdfErrors."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, (AttributeError, ValueError, TypeError, LookupError, ArithmeticError)) and not isinstance(
            error, UrdfError
        ):
            raise UrdfError(f"{self._where}: {error}") from None
