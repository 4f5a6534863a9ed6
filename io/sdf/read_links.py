"""<link>: inertia and shapes."""

from __future__ import annotations

from typing import Any

from rbdyn.collision.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere
from rbdyn.errors import Error, SdfError
from rbdyn.io.description import GeometrySpec, MeshFile
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import Frames
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import rotation_to_z
from rbdyn.spatial.transform import Transform

SHAPES = ("box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "plane", "mesh", "empty")
UNIT = (1.0, 1.0, 1.0)
IGNORED = ("pose", "inertial", "collision", "visual", "gravity", "self_collide", "kinematic", "enable_wind", "sensor",
           "velocity_decay", "must_be_base_link", "light", "audio_source", "battery", "particle_emitter",
           "projector")  # fmt: skip


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
            found += _geometries(item, f"{name}/{k}", name, role, frames, shapes, diagnostics)
        setattr(body, role, found)
    for item in node.children():
        if item.tag not in IGNORED:
            diagnostics.warn(item.where, f"<{item.tag[:60]}> in <link> is not read; left out", f"link/{item.tag}")
    for tag in ("sensor", "light"):
        for item in node.children(tag):
            diagnostics.warn(item.where, f"<{tag}> in <link> is not read; left out", f"link/{tag}")
    return body


def _in_link(node: SdfNode, link: str, frames: Frames) -> Transform:
    """A <pose> inside a link, in the frame of the link."""
    pose, other = node.pose()
    if other is None or other == link:
        return pose
    return frames.pose(link, node.where).inverse() @ frames.pose(other, node.where) @ pose


def _inertia(node: SdfNode, link: str, frames: Frames, diagnostics: Diagnostics) -> SpatialInertia:
    mass = node.number("mass", 1.0)
    tensor = node.child("inertia")
    moments = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
    if tensor is not None:
        moments = {name: tensor.number(name, value) for name, value in moments.items()}
    xx, xy, xz, yy, yz, zz = moments.values()
    try:
        about = SpatialInertia(mass, inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        inertia = about.transformed(_in_link(node, link, frames))
    except SdfError:
        raise
    except Error as error:
        raise node.error(error) from None
    if defect := about.defect():
        diagnostics.warn(node.where, f"<inertial> of link {link!r}: {defect}")
    return inertia


def _geometries(
    node: SdfNode, place: str, link: str, role: str, frames: Frames, shapes: MeshShapes, diagnostics: Diagnostics
) -> list[Geometry]:
    """The shape of a <collision> or <visual>; several if a mesh is decomposed."""
    pose = _in_link(node, link, frames)
    color = _color(node) if role == "visual" else None
    holder = node.need("geometry")
    found = list(holder.children())
    if len(found) != 1:
        raise holder.error(f"it holds {len(found)} shapes, needed one of {', '.join(SHAPES)}")
    item = found[0]
    if item.tag == "empty":
        return []
    try:
        shape, pose = _shape(item, pose)
    except SdfError:
        raise
    except Error as error:
        raise item.error(error) from None
    if shape is None:
        diagnostics.warn(item.where, f"<{item.tag[:60]}> in <geometry> is not read; left out", f"geometry/{item.tag}")
        return []
    spec = GeometrySpec(item.where, place, shape, pose, color=color)
    collides = role == "collision"
    made = [(piece, color) for piece in shapes.collision_shapes(spec)] if collides else shapes.visual_shapes(spec)
    return [
        Geometry(piece, pose, place if len(made) == 1 else f"{place}/{k}", color=color or own)
        for k, (piece, own) in enumerate(made)
    ]


def _shape(item: SdfNode, pose: Transform) -> tuple[Shape | MeshFile | None, Transform]:
    """The shape, and its pose: a plane's normal need not be z."""
    tag = item.tag
    if tag == "box":
        return Box(item.need("size").vector(3)), pose  # type: ignore[arg-type]
    if tag == "sphere":
        return Sphere(item.number("radius")), pose
    if tag in ("cylinder", "capsule", "cone"):
        made: Any = {"cylinder": Cylinder, "capsule": Capsule, "cone": Cone}[tag]
        return made(item.number("radius"), item.number("length")), pose
    if tag == "ellipsoid":
        return Ellipsoid(item.need("radii").vector(3)), pose  # type: ignore[arg-type]
    if tag == "plane":
        normal = item.child("normal")
        if normal is None:
            return HalfSpace(), pose
        x, y, z = normal.vector(3)
        size = (x * x + y * y + z * z) ** 0.5
        if not size > 1e-9:
            raise normal.error("a normal must not be zero")
        return HalfSpace(), pose @ Transform(rotation_to_z((x / size, y / size, z / size)).T)
    if tag == "mesh":
        scale = item.child("scale")
        factors = UNIT if scale is None else scale.vector(3)
        if 0.0 in factors:
            raise item.error("a scale must not be zero")
        return MeshFile(item.need("uri").text, factors), pose  # type: ignore[arg-type]
    return None, pose


def _color(node: SdfNode) -> tuple[float, float, float, float] | None:
    material = node.child("material")
    diffuse = None if material is None else material.child("diffuse")
    if diffuse is None:
        return None
    words = diffuse.text.split()
    numbers = diffuse.vector(4 if len(words) != 3 else 3)
    r, g, b, a = (min(max(x, 0.0), 1.0) for x in (*numbers, 1.0)[:4])
    return r, g, b, a
