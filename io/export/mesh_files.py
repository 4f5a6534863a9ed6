"""Which file a written robot or World names for a mesh: the one that it came from, or one written beside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rbdyn.arguments import choice
from rbdyn.collision.shapes import ConvexHull, Mesh, Shape
from rbdyn.errors import Error, PathError
from rbdyn.io.export.xml_text import write_text
from rbdyn.io.meshes.load import load_mesh
from rbdyn.io.meshes.write import obj_text

MODES = ("reference", "write")
Scale = tuple[float, float, float]
UNIT: Scale = (1.0, 1.0, 1.0)


class MeshFiles:
    """The mesh files of one document; new ones are written by `save`, when the document is complete.

    Parameters
    ----------
    document : path-like or None
        Where the document will be; None if it remains a text, which no file can lie beside.
    meshes : {"reference", "write"}
        Whether a mesh that came from a file, and is still what is in it, is named by that file.
    suits : callable
        Whether those who read the document also read a mesh file of this path.
    """

    def __init__(
        self,
        document: str | os.PathLike[str] | None,
        meshes: str = "reference",
        suits: Callable[[str], bool] = lambda path: True,
    ) -> None:
        self._suits = suits
        self._target = None if document is None else Path(os.fspath(document)).absolute()
        self._mode = choice(meshes, "meshes", MODES)
        self._known: dict[Shape, tuple[str, Scale] | None] = {}
        self._new: dict[str, Shape] = {}  # file names beside the document
        self._loaded: dict[str, Mesh | None] = {}

    def name(self, shape: Shape, wish: str) -> tuple[str, Scale] | None:
        """File name, as the document says it, and scale; None where a file cannot be.

        Parameters
        ----------
        shape : Shape
            A Mesh, ConvexHull, or any other that has triangles.
        wish : str
            What to call a new file, such as the geometry's name.
        """
        if shape not in self._known:
            self._known[shape] = self._origin(shape) or self._beside(shape, wish)
        return self._known[shape]

    def save(self) -> None:
        """Write the new files."""
        if self._target is None or not self._new:
            return
        folder = self._target.parent / self._folder
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise PathError(f"cannot make the folder {folder}: {error.strerror or error}") from None
        for name, shape in self._new.items():
            write_text(self._target.parent / name, obj_text(*triangles_of(shape)))

    @property
    def _folder(self) -> str:
        return f"{self._target.stem}_meshes" if self._target else ""

    def _origin(self, shape: Shape) -> tuple[str, Scale] | None:
        """The file that a mesh came from, if its triangles are still those of the file, scaled or not."""
        if self._mode == "write" or not isinstance(shape, Mesh) or not shape.path or shape.one_sided is not None:
            return None
        if not self._suits(shape.path):
            return None
        if shape.path not in self._loaded:
            try:
                self._loaded[shape.path] = load_mesh(shape.path)
            except Error:
                self._loaded[shape.path] = None
        source = self._loaded[shape.path]
        scale = None if source is None else scale_between(source, shape)
        return None if scale is None else (self._seen_from_document(shape.path), scale)

    def _seen_from_document(self, path: str) -> str:
        full = Path(path).absolute()
        if self._target is not None and full.is_relative_to(self._target.parent):
            return full.relative_to(self._target.parent).as_posix()
        return full.as_posix()

    def _beside(self, shape: Shape, wish: str) -> tuple[str, Scale] | None:
        if self._target is None:
            return None
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", wish)[:80].strip("._") or shape.kind
        name, k = f"{self._folder}/{stem}.obj", 1
        while name in self._new:
            name, k = f"{self._folder}/{stem}_{k}.obj", k + 1
        self._new[name] = shape
        return name, UNIT


def triangles_of(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a shape, its own where it has some."""
    if isinstance(shape, Mesh):
        return shape.vertices, shape.faces
    if isinstance(shape, ConvexHull):
        return shape.hull.vertices, shape.hull.triangles
    return shape.triangles()


def scale_between(source: Mesh, mesh: Mesh) -> Scale | None:
    """The factors along x, y and z that make `mesh` of `source` exactly; None if there are none.

    Mirrored meshes have their faces turned, as reading a negative scale turns them.
    """
    if source.vertices.shape != mesh.vertices.shape:
        return None
    if np.array_equal(source.vertices, mesh.vertices):
        return UNIT if np.array_equal(source.faces, mesh.faces) else None
    corner = np.abs(source.vertices).argmax(axis=0)
    along = np.arange(3)
    largest = source.vertices[corner, along]
    with np.errstate(all="ignore"):
        ratio = np.where(largest == 0.0, 1.0, mesh.vertices[corner, along] / largest)
    for digits in (12, 15, None):  # a scale of few digits, as people write it, goes before its rounding errors
        scale = np.array([float(f"{r:.{digits}g}") for r in ratio]) if digits else ratio
        if np.isfinite(scale).all() and np.array_equal(source.vertices * scale, mesh.vertices):
            faces = source.faces[:, ::-1] if np.prod(np.sign(scale)) < 0 else source.faces
            return tuple(scale.tolist()) if np.array_equal(faces, mesh.faces) else None
    return None
