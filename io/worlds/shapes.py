"""<geometry>: a shape with all its numbers, to the last bit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)
from rbdyn.errors import CollisionError, Error, FileError, PathError
from rbdyn.io.export.mesh_files import UNIT, MeshFiles, triangles_of
from rbdyn.io.export.xml_text import element, numbers_text
from rbdyn.io.mesh_shapes import scaled
from rbdyn.io.meshes.load import MAX_BYTES, check_format, mesh_of
from rbdyn.io.meshes.merge import Notes
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.worlds.item import Item
from rbdyn.mechanism import Geometry
from rbdyn.spatial.transform import Transform

PLAIN: dict[type[Shape], tuple[str, ...]] = {
    Sphere: ("radius",),
    Box: ("size",),
    Cylinder: ("radius", "height"),
    Capsule: ("radius", "height"),
    Cone: ("radius", "height"),
    Ellipsoid: ("radii",),
}
BY_KIND = {kind.kind: kind for kind in PLAIN}
KINDS = (*BY_KIND, "half_space", "convex_hull", "mesh", "height_map")


# ---- poses ---------------------------------------------------------------------------------------


def pose_words(pose: Transform) -> dict[str, Any]:
    """pos and rotation, the matrix row by row; left out where they are those of the identity."""
    turned = not np.array_equal(pose.rotation, np.eye(3)) or np.signbit(pose.rotation).any()
    return {  # a negative zero, too: solvers see its bits
        "pos": pose.translation if pose.translation.any() or np.signbit(pose.translation).any() else None,
        "rotation": pose.rotation.ravel() if turned else None,
    }


def read_pose(item: Item, before: str = "") -> Transform:
    """The pose of an element: pos, and one of rotation, quat (w x y z) and rpy; `before` begins these names."""
    given = {name: item.get(before + name) for name in ("rotation", "quat", "rpy")}
    named = [name for name, text in given.items() if text is not None]
    if len(named) > 1:
        raise item.error(f"give one of {', '.join(named)}")
    pos = item.vector(f"{before}pos", 3, (0.0, 0.0, 0.0))
    values: dict[str, Any] = {}
    if named:
        n = {"rotation": 9, "quat": 4, "rpy": 3}[named[0]]
        numbers = np.array(item.vector(before + named[0], n))
        values[named[0]] = numbers.reshape(3, 3) if n == 9 else numbers
    try:
        return Transform(translation=pos, **values)
    except Error as error:
        raise item.error(error) from None


# ---- shapes --------------------------------------------------------------------------------------


def shape_words(shape: Shape, files: MeshFiles, wish: str) -> dict[str, Any]:
    """The attributes that say a shape; Error for one that no file can hold."""
    kind = type(shape)
    if kind in PLAIN:
        return {"kind": shape.kind} | {name: getattr(shape, name) for name in PLAIN[kind]}
    if isinstance(shape, HalfSpace):
        return {"kind": shape.kind}
    if isinstance(shape, ConvexHull):
        return {"kind": shape.kind, "vertices": numbers_text(shape.vertices.ravel().tolist())}
    if isinstance(shape, HeightMap):
        rows, columns = shape.heights.shape
        heights = numbers_text(shape.heights.ravel().tolist())
        return {"kind": shape.kind, "size": shape.size, "samples": f"{columns} {rows}", "heights": heights}
    if isinstance(shape, Mesh):
        named = files.name(shape, wish)
        words: dict[str, Any] = {"kind": shape.kind, "one_sided": shape.one_sided}
        if named is not None:
            return words | {"file": named[0], "scale": None if named[1] == UNIT else named[1]}
        vertices, faces = triangles_of(shape)
        return words | {
            "vertices": numbers_text(vertices.ravel().tolist()),
            "faces": " ".join(map(str, faces.ravel().tolist())),
        }
    raise Error(f"a {shape.kind} is made of functions; no file can hold {wish!r}")


def read_shape(item: Item, finder: FileFinder) -> Shape:
    """The shape of a <geometry kind>."""
    kind = item.text("kind")
    try:
        if kind in BY_KIND:
            return _plain(item, BY_KIND[kind])
        if kind == "half_space":
            return HalfSpace()
        if kind == "convex_hull":
            return ConvexHull(_rows(item, "vertices"))
        if kind == "height_map":
            return _height_map(item)
        if kind == "mesh":
            return _mesh(item, finder)
    except FileError:
        raise
    except Error as error:
        raise item.error(error) from None
    raise item.error(f"kind={shown(kind)} is no shape; choices: {', '.join(KINDS)}")


def _plain(item: Item, kind: Any) -> Shape:
    values = {}
    for name in PLAIN[kind]:
        values[name] = item.vector(name, 3) if name in ("size", "radii") else item.number(name)
    return kind(**values)


def _rows(item: Item, name: str) -> np.ndarray:
    numbers = item.numbers(name)
    if not numbers or len(numbers) % 3:
        raise item.error(f"{name} must hold x, y, z of each point, got {len(numbers or ())} numbers")
    return np.array(numbers).reshape(-1, 3)


def _height_map(item: Item) -> HeightMap:
    columns, rows = (int(x) if x == int(x) and 0 < x < 1e6 else 0 for x in item.vector("samples", 2))
    heights = np.array(item.numbers("heights") or ())
    if columns * rows != len(heights) or len(heights) == 0:
        raise item.error(f"samples says {columns} by {rows}, and there are {len(heights)} heights")
    return HeightMap(heights.reshape(rows, columns), item.vector("size", 2))  # type: ignore[arg-type]


def _mesh(item: Item, finder: FileFinder) -> Mesh:
    sided = item.get("one_sided")
    side = None if sided is None else item.flag("one_sided")
    file = item.get("file")
    if file is not None:
        mesh = scaled(read_mesh_file(item, file, finder), item.vector("scale", 3, UNIT))  # type: ignore[arg-type]
        return mesh if side is None else Mesh(mesh.vertices, mesh.faces, mesh.path, side)
    faces = item.numbers("faces") or ()
    if not faces or len(faces) % 3 or any(x != int(x) for x in faces):
        raise item.error(f"faces must hold three corner numbers of each triangle, got {len(faces)} numbers")
    corners = np.array(faces)
    if not ((corners >= 0) & (corners < 2**31)).all():
        raise item.error("faces must hold corner numbers, 0 or more")
    return Mesh(_rows(item, "vertices"), corners.astype(np.int64).reshape(-1, 3), "", side)


def read_mesh_file(item: Item, file: str, finder: FileFinder) -> Mesh:
    """A mesh by its file name."""
    notes: Notes = []
    try:
        check_format(file)
        path = finder.find(file)
        check_format(path.name)
        mesh = mesh_of(finder.read(path, MAX_BYTES), str(path), notes)
    except FileError as error:
        raise type(error)(f"{item.where}: <{item.tag}>: {error}") from None
    for line, text in notes:
        warnings.warn(f"{path}:{line}: {text}", stacklevel=2)
    return mesh


# ---- geometries ----------------------------------------------------------------------------------


def write_geometry(parent: Any, geometry: Geometry, files: MeshFiles, wish: str, **words: Any) -> None:
    """A <geometry> in `parent`; what is as it usually is, is left out."""
    node = element(
        parent,
        "geometry",
        **words,
        name=geometry.name or None,
        **shape_words(geometry.shape, files, geometry.name or wish),
        **pose_words(geometry.pose),
        material=None if geometry.material == "default" else geometry.material,
        group=None if geometry.group == 1 else geometry.group,
        mask=None if geometry.mask == -1 else geometry.mask,
        color=geometry.color,
    )
    for label in geometry.pairs:
        element(node, "pair", label=label)


def read_geometry(item: Item, finder: FileFinder) -> Geometry:
    """A <geometry>."""
    color: Any = None if item.get("color") is None else item.vector("color", 4)
    shape, pose = read_shape(item, finder), read_pose(item)
    labels = tuple(pair.text("label") for pair in item.children("pair"))
    try:
        return Geometry(shape, pose, item.get("name") or "", item.get("material") or "default", item.bits("group", 1),
                        item.bits("mask", -1), color, labels)  # fmt: skip
    except Error as error:
        raise item.error(error) from None


def height_map_file(path: Path, data: bytes) -> HeightMap:
    """RaiSim's text file of heights: nx, ny, extents along x and y [m], then nx ny heights [m], rows along x."""
    try:
        values = np.array(data.split(), dtype=np.float64)
    except ValueError:
        raise PathError(f"{path}: a height map holds numbers and nothing else") from None
    counts = [int(v) if np.isfinite(v) and v == np.floor(v) and 2 <= v < 1e6 else 0 for v in values[:2]]
    if len(values) < 5 or 0 in counts or len(values) != 4 + counts[0] * counts[1]:
        needed = "nx, ny (2 or more) and the extents along x and y, then nx ny heights"
        raise CollisionError(f"{path}: a height map holds {needed}; this one has {len(values)} numbers")
    return HeightMap(values[4:].reshape(counts[1], counts[0]), (float(values[2]), float(values[3])))
