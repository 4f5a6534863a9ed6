"""<link>: inertia and shapes."""

from __future__ import annotations

from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import Frames
from rbdyn.io.sdf.read_shapes import in_link, spec_of
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.spatial.inertia import SpatialInertia


def read_body(node: SdfNode, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics) -> RigidBody:
    """The body of a <link>."""
    name = node.name()
    body = RigidBody(name)
    inertial = node.child("inertial")
    if inertial is None:
        body.take_inertia(SpatialInertia(1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1))))
        diagnostics.warn(node.where, f"<link> {name!r} has no <inertial>; SDF's default of 1 kg and 1 kg m^2 is taken",
                         "no inertial")  # fmt: skip
    else:
        body.take_inertia(_inertia(inertial, name, frames, diagnostics))
    for role in ("collision", "visual"):
        found: list[Geometry] = []
        for k, item in enumerate(node.children(role)):
            found += _geometries(item, f"{name}/{k}", name, role, frames, shapes)
        setattr(body, role, found)
    return body


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
