"""<link>: inertia and shapes."""

from __future__ import annotations

from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.sdf.auto_inertia import auto_inertia
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import Frames
from rbdyn.io.sdf.read_shapes import in_link, spec_of
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.spatial.inertia import SpatialInertia

DEFAULT = SpatialInertia(1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def read_body(node: SdfNode, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics) -> RigidBody:
    """The body of a <link>."""
    name = node.name()
    body = RigidBody(name)
    body.take_inertia(_inertia_of(node, frames, shapes, diagnostics) or DEFAULT)
    for role in ("collision", "visual"):
        found: list[Geometry] = []
        for k, item in enumerate(node.children(role)):
            found += _geometries(item, f"{name}/{k}", name, role, frames, shapes)
        setattr(body, role, found)
    return body


def _inertia_of(link: SdfNode, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics) -> SpatialInertia | None:
    """The inertia of a <link>; None for SDF's default, which is said."""
    name, node = link.name(), link.child("inertial")
    if node is not None and node.says("auto"):
        return auto_inertia(node, link, frames, shapes, diagnostics)
    for holder in (*(() if node is None else (node,)), *link.children("collision")):
        for item in holder.children("density"):
            text = f'<density> in <{holder.tag}> is read with <inertial auto="true"> alone; left out'
            diagnostics.warn(item.where, text, f"density {holder.tag}")
    if node is None:
        diagnostics.warn(link.where, f"<link> {name!r} has no <inertial>; SDF's default of 1 kg and 1 kg m^2 is taken",
                         "no inertial")  # fmt: skip
        return None
    return _inertia(node, name, frames, diagnostics)


def _inertia(node: SdfNode, link: str, frames: Frames, diagnostics: Diagnostics) -> SpatialInertia:
    mass = node.number("mass", 1.0)
    tensor = node.child("inertia")
    moments = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
    if tensor is not None:
        moments = {name: tensor.number(name, value) for name, value in moments.items()}
    xx, xy, xz, yy, yz, zz = moments.values()
    try:
        about = SpatialInertia(mass, inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        inertia = about.transformed(in_link(node, link, frames))
    except SdfError:
        raise
    except Error as error:
        raise node.error(error) from None
    if defect := about.defect():
        diagnostics.warn(node.where, f"<inertial> of link {link!r}: {defect}")
    return inertia


def _geometries(node: SdfNode, place: str, link: str, role: str, frames: Frames, shapes: MeshShapes) -> list[Geometry]:
    """The shape of a <collision> or <visual>; several if a mesh is decomposed."""
    spec = spec_of(node, place, link, frames)
    if spec is None:
        return []
    collides = role == "collision"
    made = [(piece, spec.color) for piece in shapes.collision_shapes(spec)] if collides else shapes.visual_shapes(spec)
    return [
        Geometry(piece, spec.pose, place if len(made) == 1 else f"{place}/{k}", color=spec.color or own)
        for k, (piece, own) in enumerate(made)
    ]
