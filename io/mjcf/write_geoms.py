"""<geom>, and the <mesh> and <hfield> that it refers to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.collision.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import UNIT, MeshFiles, triangles_of
from rbdyn.io.export.names import Names
from rbdyn.io.export.xml_text import element
from rbdyn.io.mjcf.filters import MUJOCO_DEFAULT, contypes_and_conaffinities
from rbdyn.io.mjcf.flat_meshes import has_area, is_flat
from rbdyn.io.mjcf.friction import USUAL, of_material
from rbdyn.mechanism.geometry import Geometry
from rbdyn.spatial.transform import Transform

FEWEST = 4  # corners that MuJoCo wants of a mesh


def _has_no_hull(shape: Shape) -> bool:
    return isinstance(shape, (Mesh, ConvexHull)) and is_flat(triangles_of(shape)[0])


def reads(path: str) -> bool:
    """Whether MuJoCo reads a mesh file: OBJ, and binary STL."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix != ".stl":
        return suffix == ".obj"
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            head = stream.read(84)
    except OSError:
        return False
    return size == 84 + 50 * int.from_bytes(head[80:84], "little")


def place(pose: Transform) -> dict[str, Any]:
    """pos and quat, where they are not those of the identity."""
    turned = not np.array_equal(pose.rotation, np.eye(3))
    return {"pos": pose.translation if pose.translation.any() else None, "quat": pose.quat if turned else None}


class GeomWriter:
    """Writes geoms into bodies, and their assets into one <asset>.

    Parameters
    ----------
    assets : lxml element
        The <asset>.
    files : MeshFiles
        Gives meshes their files.
    losses : Losses
        Takes what MJCF has no words for.
    geometries : iterable of Geometry
        All that collide, which decides how groups and masks are written; none if contact is off in the file.
    """

    def __init__(self, assets: Any, files: MeshFiles, losses: Losses, geometries: Iterable[Geometry]) -> None:
        self._assets, self._files, self._losses = assets, files, losses
        self._contypes = contypes_and_conaffinities((geometry.group, geometry.mask) for geometry in geometries)
        self._geoms, self._meshes = Names(), Names()
        self.paired: dict[str, list[str]] = {}  # label -> names of the geoms that have it
        self._known: dict[Shape, str] = {}

    def write(self, body: Any, geometry: Geometry, role: str, wish: str, still: bool) -> None:
        """A shape on a body; `still` if that is fixed to the world."""
        name = geometry.name or wish
        called = self._geoms.free(f"{name}_visual" if role == "visual" else name)
        if role == "collision" and _has_no_hull(geometry.shape):
            self._losses.add("a flat mesh that collides: MuJoCo makes no hull of it; it is drawn and does not", name)
            role = "visual"
        words = self._shape(geometry.shape, role, name, still)
        if words is None:
            return
        raised = words.pop("raised", 0.0)
        pose = geometry.pose @ Transform(translation=(0.0, 0.0, raised)) if raised else geometry.pose
        filters = self._filters(geometry, name) if role == "collision" else {}
        for label in geometry.pairs if role == "collision" else ():
            self.paired.setdefault(label, []).append(called)
        rubs = self._friction(geometry.material) if role == "collision" else {}
        element(body, "geom", name=called, class_=role, **words, **place(pose), **filters, **rubs,
                rgba=geometry.color)  # fmt: skip

    def _friction(self, material: str) -> dict[str, Any]:
        """What the material's name says of friction, where it is one of those that MJCF files make."""
        found = of_material(material)
        if found is None:
            self._losses.add("names of contact materials: left out", material)
        if found is None or found == USUAL:
            return {}
        return {
            "friction": list(found[:3]),
            "condim": None if found.condim == USUAL.condim else found.condim,
            "priority": found.priority or None,
        }

    def _filters(self, geometry: Geometry, name: str) -> dict[str, int]:
        """contype and conaffinity, where they are not the default."""
        if self._contypes is None:
            self._losses.add("collision groups and masks, of more than 30 kinds: left out", name)
            return {}
        kind = geometry.group, geometry.mask
        contype, affinity = self._contypes.get(kind, MUJOCO_DEFAULT)  # where contact is off, kinds do not matter
        return {} if (contype, affinity) == MUJOCO_DEFAULT else {"contype": contype, "conaffinity": affinity}

    def _shape(self, shape: Shape, role: str, name: str, still: bool) -> dict[str, Any] | None:
        """Attributes; None for what is left out."""
        if isinstance(shape, Box):
            return {"type": "box", "size": [s / 2 for s in shape.size]}
        if isinstance(shape, Sphere):
            return {"type": "sphere", "size": [shape.radius]}
        if isinstance(shape, (Cylinder, Capsule)):
            return {"type": shape.kind, "size": [shape.radius, shape.height / 2]}
        if isinstance(shape, Ellipsoid):
            return {"type": "ellipsoid", "size": shape.radii}
        if isinstance(shape, HalfSpace) and still:
            return {"type": "plane", "size": [0.0, 0.0, 1.0]}
        if isinstance(shape, HeightMap):
            return self._hfield(shape, name)
        if isinstance(shape, HalfSpace):
            self._losses.add("a half-space on a body that moves: left out", name)
            return None
        if isinstance(shape, Mesh) and role == "collision":
            self._losses.add("that a mesh collides by its triangles: MuJoCo takes its convex hull", name)
        elif not isinstance(shape, (Mesh, ConvexHull)):
            self._losses.add(f"a {shape.kind}: written as triangles", name)
        if not has_area(*triangles_of(shape)):
            self._losses.add("a mesh without area: left out", name)
            return None
        return {"type": "mesh", "mesh": self._mesh(shape, name)}

    def _mesh(self, shape: Shape, wish: str) -> str:
        """Name of the asset; its triangles stand in the text where no file can lie beside it."""
        if shape not in self._known:
            name = self._known[shape] = self._meshes.free(wish)
            vertices, faces = triangles_of(shape)
            few = len(vertices) < FEWEST  # a triangle: its last corner is said again
            file = None if few else self._files.name(shape, wish)
            if file is None:
                vertices = np.vstack([vertices, vertices[-1:]]) if few else vertices
                words: dict[str, Any] = {"vertex": vertices.ravel(), "face": " ".join(map(str, faces.ravel().tolist()))}
            else:
                words = {"file": file[0], "scale": None if file[1] == UNIT else file[1]}
            element(self._assets, "mesh", name=name, inertia="shell", **words)  # whose volume nobody asks for
        return self._known[shape]

    def _hfield(self, shape: HeightMap, name: str) -> dict[str, Any]:
        """MuJoCo's elevations go from 0 to 1, and its rows, in a text, from the largest y to the least."""
        low, high = float(shape.heights.min()), float(shape.heights.max())
        span = high - low or 1.0
        if shape not in self._known:
            made = self._known[shape] = self._meshes.free(name)
            rows, columns = shape.heights.shape
            size = [shape.size[0] / 2, shape.size[1] / 2, span, 1.0]
            element(self._assets, "hfield", name=made, nrow=rows, ncol=columns, size=size,
                    elevation=((shape.heights[::-1] - low) / span).ravel())  # fmt: skip
        return {"type": "hfield", "hfield": self._known[shape], "raised": low}
