"""<collision>, <visual>: their <geometry>, where it is, and its colour."""

from __future__ import annotations

from typing import Any

from rbdyn.collision.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere
from rbdyn.errors import Error, SdfError
from rbdyn.io.description import GeometrySpec, MeshFile
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import Frames
from rbdyn.spatial.rotations import rotation_to_z
from rbdyn.spatial.transform import Transform

SHAPES = ("box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "plane", "mesh", "empty")
UNIT = (1.0, 1.0, 1.0)


def in_link(node: SdfNode, link: str, frames: Frames) -> Transform:
    """A <pose> inside a link, in the frame of the link."""
    pose, other = node.pose()
    if other is None or other == link:
        return pose
    return frames.pose(link, node.where).inverse() @ frames.pose(other, node.where) @ pose


def spec_of(node: SdfNode, place: str, link: str, frames: Frames) -> GeometrySpec | None:
    """The shape of a <collision> or <visual>; None if it is empty, or not among those that are read."""
    pose = in_link(node, link, frames)
    color = _color(node) if node.tag == "visual" else None
    holder = node.need("geometry")
    found = list(holder.children())
    if len(found) != 1:
        raise holder.error(f"it holds {len(found)} shapes, needed one of {', '.join(SHAPES)}")
    item = found[0]
    try:
        shape, pose = _shape(item, pose)
    except SdfError:
        raise
    except Error as error:
        raise item.error(error) from None
    return None if shape is None else GeometrySpec(item.where, place, shape, pose, color=color)


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
