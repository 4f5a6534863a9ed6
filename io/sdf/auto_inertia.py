"""<inertial auto="true">: mass and inertia of a link from its collision shapes and their densities (SDF 1.11)."""

from __future__ import annotations

from rbdyn.collision.shapes import HalfSpace
from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import Frames
from rbdyn.io.sdf.read_shapes import spec_of
from rbdyn.spatial.inertia import SpatialInertia

WATER = 1000.0  # kg/m^3, SDF's default


def auto_inertia(
    node: SdfNode, link: SdfNode, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics
) -> SpatialInertia | None:
    """The inertia that `node`, the <inertial> of `link`, asks for; None, which is said, if no shape has a volume."""
    name = link.name()
    density = node.number("density", WATER)
    parts: list[SpatialInertia] = []
    for k, item in enumerate(link.children("collision")):
        part = _of_shape(item, f"{name}/{k}", name, density, frames, shapes, diagnostics)
        parts += [] if part is None else [part]
    for item in node.children("inertia", "pose"):
        diagnostics.warn(item.where, f"<{item.tag}> of an <inertial auto> is not read; left out", f"auto {item.tag}")
    if not parts:
        diagnostics.warn(node.where, f"<inertial auto> of link {name!r}: no <collision> of it has a volume; "
                         "SDF's default of 1 kg and 1 kg m^2 is taken")  # fmt: skip
        return None
    total = sum(parts[1:], parts[0])
    return total if node.child("mass") is None else _weighing(node, total)


def _of_shape(
    item: SdfNode, place: str, link: str, density: float, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics
) -> SpatialInertia | None:
    """The part of one <collision>, in the frame of the link; None if it has no volume."""
    spec = spec_of(item, place, link, frames)
    if spec is None and item.need("geometry").child("empty") is not None:
        return None
    shape = None if spec is None else shapes.solid(spec)
    if spec is None or shape is None or isinstance(shape, HalfSpace):
        why = (
            "its shape is not read" if spec is None else "its mesh is not found" if shape is None else "a plane is none"
        )
        diagnostics.warn(item.where, f"<collision> {place!r} is left out of the <inertial auto> of its link, "
                         f"which needs solids: {why}")  # fmt: skip
        return None
    try:
        return SpatialInertia.from_shape(shape, density=item.number("density", density)).transformed(spec.pose)
    except SdfError:
        raise
    except Error as error:
        raise item.error(f"<inertial auto> of link {link!r}: {error}") from None


def _weighing(node: SdfNode, total: SpatialInertia) -> SpatialInertia:
    """The inertia of shapes whose densities have the same ratios, and that weigh <mass> together."""
    mass = node.number("mass")
    if total.mass == 0.0:
        raise node.error("<mass> of shapes that all have the density or size 0")
    try:
        return SpatialInertia(mass, total.com, mass / total.mass * total.inertia)
    except Error as error:
        raise node.error(error) from None
