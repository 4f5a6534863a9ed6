"""Robots that urdfpy, urchin or yourdfpy have read -> Mechanism.

Nothing of these packages is imported: their objects are recognised by their attributes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rbdyn.arguments import choice, named_options
from rbdyn.collision.shapes import Box, Cylinder, Shape, Sphere
from rbdyn.errors import Error, UrdfError
from rbdyn.io import rules
from rbdyn.io.build import build_mechanism
from rbdyn.io.description import GeometrySpec, JointSpec, LinkSpec, MeshFile, RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.joint_order import JointOrder
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.mimics import checked_mimics
from rbdyn.io.numbers import number_or_infinite
from rbdyn.io.paths import FileFinder
from rbdyn.io.urdf.joints import KINDS, make_type
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

ANNOTATIONS = {
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("reference_position", "rising", "falling"),
}
IDENTITY4 = np.eye(4)
INVENTORS = ("urdfpy", "urchin")  # whose links weigh 1 kg where the file says nothing


@named_options
def from_urdfpy(
    robot: Any,
    floating: bool | None = None,
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    *,
    on_missing_mesh: str = "warn",
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
    invented_inertia: str = "drop",
    joint_order: JointOrder = None,
) -> Mechanism:
    """A mechanism from a robot object of urdfpy, urchin (its maintained fork) or yourdfpy.

    Those packages drop what RaiSim adds to URDF, so a file in that dialect is better read by `load_urdf`.  urdfpy and
    urchin give 1 kg and a unit inertia to each link without <inertial>.

    Parameters
    ----------
    robot : object
        With `links` and `joints` (urdfpy, urchin), or with a `robot` that has them (yourdfpy).
    floating, resource_dirs, strict, on_missing_mesh, collision_mesh, visual_meshes, joint_order
        As for `load_urdf`.  Meshes are read anew, from `resource_dirs`.
    invented_inertia : {"drop", "keep"}
        What becomes of links of urdfpy and urchin with 1 kg and a unit inertia, which may be their package's or the
        file's: they get no mass, with a note; or keep it.

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
    with _Naming(where):
        named = _named_colors(robot)
    drop = choice(invented_inertia, "invented_inertia", ("drop", "keep")) == "drop"
    invents = drop and where.split()[0] in INVENTORS
    links = [_link(k, named, f"{where}, link {getattr(k, 'name', '?')!r}", diagnostics, invents) for k in robot.links]
    joints = [_joint(joint, f"{where}, joint {getattr(joint, 'name', '?')!r}", diagnostics) for joint in robot.joints]
    finder = FileFinder(None, resource_dirs)
    shapes = MeshShapes(finder, diagnostics, on_missing_mesh, collision_mesh, visual_meshes)
    spec = RobotSpec(where, name, links, checked_mimics(joints, diagnostics))
    return build_mechanism(spec, floating, shapes, diagnostics, joint_order)


def _link(
    link: Any, named: Mapping[str, Any], where: str, diagnostics: Diagnostics, invents: bool
) -> LinkSpec:
    with _Naming(where):
        name = str(link.name)
        spec = LinkSpec(where, name, _inertia(link.inertial, where, diagnostics, invents))
        warn = _reporter(where, diagnostics)
        for source, target in ((link.collisions, spec.collision), (link.visuals, spec.visual)):
            for k, item in enumerate(source or ()):
                color = _color(getattr(item, "material", None), named, warn) if target is spec.visual else None
                shape = _shape(item.geometry, target is spec.visual, warn)
                if shape is not None:
                    target.append(GeometrySpec(where, f"{name}/{k}", shape, _pose(item.origin), color=color))
    return spec


def _reporter(where: str, diagnostics: Diagnostics) -> rules.Warn:
    """`warn(text, kind)` of the rules of `rbdyn.io.rules`, about one link or joint."""
    return lambda text, kind: diagnostics.warn(where, text, kind)


def _inertia(inertial: Any, where: str, diagnostics: Diagnostics, invents: bool) -> SpatialInertia | None:
    if inertial is None or inertial.mass is None:
        return None
    moments = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, dtype=float)
    about_com = SpatialInertia(_real(inertial.mass, "mass"), inertia=moments)
    if invents and about_com.mass == 1.0 and np.array_equal(moments, np.eye(3)) and _is_identity(inertial.origin):
        text = "mass 1 and a unit inertia: its package invents these where <inertial> is missing; "
        text += "no mass is taken (invented_inertia='keep' keeps it)"
        diagnostics.warn(where, text)
        return None
    if defect := about_com.defect():
        diagnostics.warn(where, defect)
    return about_com.transformed(_pose(inertial.origin))


def _is_identity(origin: Any) -> bool:
    return origin is None or np.array_equal(np.asarray(origin), IDENTITY4)


def _shape(geometry: Any, only_drawn: bool, warn: rules.Warn) -> Shape | MeshFile | None:
    """The shape; None for one without extent."""

    def is_empty(kind: str, **sizes: float | Sequence[float]) -> bool:
        return rules.has_no_extent(kind, sizes, only_drawn, warn)

    for kind in ("box", "sphere", "cylinder", "mesh"):
        item = getattr(geometry, kind, None)
        if item is None:
            continue
        if kind == "box":
            size = _reals(item.size, "size")
            return None if is_empty(kind, size=size) else Box(size)  # type: ignore[arg-type]
        if kind == "sphere":
            radius = _real(item.radius, "radius")
            return None if is_empty(kind, radius=radius) else Sphere(radius)
        if kind == "cylinder":
            radius, length = _real(item.radius, "radius"), _real(item.length, "length")
            return None if is_empty(kind, radius=radius, length=length) else Cylinder(radius, length)
        return MeshFile(str(item.filename), _scale(item, warn))
    raise Error("a geometry holds no box, sphere, cylinder or mesh")


def _scale(mesh: Any, warn: rules.Warn) -> tuple[float, float, float]:
    values = (1.0,) if mesh.scale is None else _reals(np.atleast_1d(mesh.scale), "scale")
    if len(values) not in (1, 3, 4) or not np.isfinite(values).all() or 0.0 in values[:3]:
        raise Error(f"scale of mesh {mesh.filename!r} must be 1 or 3 finite numbers that are not 0, got {values}")
    return rules.scale(values * 3 if len(values) == 1 else values, warn)


def _rgba(material: Any) -> Any:
    """urdfpy and urchin keep the four numbers in material.color, yourdfpy in material.color.rgba."""
    color = getattr(material, "color", None)
    return getattr(color, "rgba", color)


def _named_colors(robot: Any) -> dict[str, Any]:
    """Colours of the robot's own materials, which visuals of yourdfpy only name."""
    return {m.name: _rgba(m) for m in getattr(robot, "materials", None) or () if getattr(m, "name", None)}


def _color(material: Any, named: Mapping[str, Any], warn: rules.Warn) -> rules.Color | None:
    color = _rgba(material)
    if color is None:
        color = named.get(getattr(material, "name", None) or "")
    if color is None or len(color) != 4:
        return None
    return rules.color(_reals(color, "rgba"), warn)


def _pose(origin: Any) -> Transform:
    return Transform.from_matrix(IDENTITY4 if origin is None else origin)


def _joint(joint: Any, where: str, diagnostics: Diagnostics) -> JointSpec:
    with _Naming(where):
        kind = getattr(joint, "joint_type", None) or getattr(joint, "type", None)
        if kind not in KINDS:
            raise Error(f"type {kind!r} is not a joint type; choices: {', '.join(KINDS)}")
        if kind == "helical":
            raise Error("type 'helical': such objects do not keep the pitch of a screw; read the file with load_urdf")
        axis = (1.0, 0.0, 0.0) if joint.axis is None else _reals(joint.axis, "axis")
        values: dict[str, Any] = {}
        if kind != "fixed":
            values = _limits(getattr(joint, "limit", None), kind, _reporter(where, diagnostics))
            dynamics = getattr(joint, "dynamics", None)
            for name in ("damping", "friction"):
                values[name] = _given(dynamics, name) or 0.0
            values["mimic"] = _mimic(getattr(joint, "mimic", None))
        built = Joint(str(joint.name), make_type(kind, axis), **values)  # type: ignore[arg-type]
        built.annotations = _annotations(joint)
        return JointSpec(where, built, str(joint.parent), str(joint.child), _pose(joint.origin))


def _annotations(joint: Any) -> dict[str, dict[str, str]]:
    """<safety_controller> and <calibration>, which are for other programs, as texts."""
    kept = {}
    for tag, words in ANNOTATIONS.items():
        item = getattr(joint, tag, None)
        given = {word: getattr(item, word, None) for word in words}
        texts = {word: value if isinstance(value, str) else f"{_real(value, word):.17g}"
                 for word, value in given.items() if value is not None}  # fmt: skip
        if texts:
            kept[tag] = texts
    return kept


def _limits(limit: Any, kind: str, warn: rules.Warn) -> dict[str, Any]:
    """The limits, as arguments of Joint."""
    if limit is None:
        return {}
    lower, upper, velocity, effort = (_given(limit, name) for name in ("lower", "upper", "velocity", "effort"))
    return {
        "position_limits": rules.position_limits(kind, lower, upper, warn),
        "velocity_limit": rules.velocity_limit(velocity, warn),
        "effort_limit": rules.effort_limit(effort, warn),
    }


def _mimic(mimic: Any) -> Mimic | None:
    if mimic is None:
        return None
    multiplier, offset = _given(mimic, "multiplier"), _given(mimic, "offset")
    return Mimic(str(mimic.joint), 1.0 if multiplier is None else multiplier, offset or 0.0)


def _given(item: Any, name: str) -> float | None:
    """The number `item.name`; None if there is no item, or it says nothing."""
    value = None if item is None else getattr(item, name)
    return None if value is None else _real(value, name)


def _real(value: Any, name: str) -> float:
    """A number, which yourdfpy leaves as the text of the file in some places."""
    if isinstance(value, str):
        try:
            return number_or_infinite(value)
        except Error as error:
            raise Error(f"{name}={error}") from None
    if isinstance(value, (bool, np.bool_)):
        raise Error(f"{name} must be a number, got {value!r}")
    return float(value)


def _reals(values: Iterable[Any], name: str) -> tuple[float, ...]:
    """Several such numbers."""
    return tuple(_real(value, f"{name}[{k}]") for k, value in enumerate(values))


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
