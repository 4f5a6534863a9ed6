"""Mesh files named by a robot file -> shapes; each file is read once per load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.arguments import choice, flag
from rbdyn.collision.shapes import ConvexHull, Mesh, Shape
from rbdyn.errors import CollisionError, MeshError, PathError
from rbdyn.io.description import GeometrySpec, MeshFile
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.meshes.dae_colors import Color, dae_parts
from rbdyn.io.meshes.hull import convex_hull
from rbdyn.io.meshes.load import MAX_BYTES, check_format, mesh_of
from rbdyn.io.meshes.merge import Notes
from rbdyn.io.paths import FileFinder, MissingFileError, check_scheme

MISSING = ("warn", "error", "skip")
COLLISION = ("hull", "decompose", "triangles", "skip")


class MeshShapes:
    """Turns the mesh files of one robot into shapes.

    Parameters
    ----------
    finder : FileFinder
        Finds the files.
    diagnostics : Diagnostics
        Takes what was left out.
    on_missing : {"warn", "error", "skip"}
        What to do when a file is nowhere: leave the geometry out with a warning, raise PathError, leave it out.
    collision : {"hull", "decompose", "triangles", "skip"}
        What collides: the convex hull, convex pieces, the triangles, or nothing.
    visual : bool
        Whether to read meshes that are only drawn.
    """

    def __init__(
        self, finder: FileFinder, diagnostics: Diagnostics, on_missing: str, collision: str, visual: bool
    ) -> None:
        self._finder = finder
        self._diagnostics = diagnostics
        self._on_missing = choice(on_missing, "on_missing_mesh", MISSING)
        self._collision = choice(collision, "collision_mesh", COLLISION)
        self._visual = flag(visual, "visual_meshes")
        self._meshes: dict[Path, Mesh] = {}
        self._parts: dict[Path, list[tuple[Mesh, Color | None]]] = {}  # of those that are drawn, by colour
        self._shapes: dict[tuple[Path, tuple[float, float, float], str], tuple[Shape, ...]] = {}

    def collision_shapes(self, spec: GeometrySpec) -> tuple[Shape, ...]:
        """The shapes that collide: several if it is decomposed, none to leave it out."""
        if not isinstance(spec.shape, MeshFile):
            return (spec.shape,)
        return self._made(spec, spec.shape, self._collision, self._on_missing)

    def solid(self, spec: GeometrySpec) -> Shape | None:
        """The shape whose volume has mass: a mesh, whatever collides of it; None if its file is nowhere.

        `collision_shapes` says that, so this does not.
        """
        if not isinstance(spec.shape, MeshFile):
            return spec.shape
        made = self._made(spec, spec.shape, "triangles", "error" if self._on_missing == "error" else "skip")
        return made[0] if made else None

    def visual_shapes(self, spec: GeometrySpec) -> list[tuple[Shape, Color | None]]:
        """The shapes that are drawn and the colours that their file gives them; none to leave it out.

        A mesh is several where its file colours its parts and the robot file does not.
        """
        if not isinstance(spec.shape, MeshFile):
            return [(spec.shape, None)]
        shapes = self._made(spec, spec.shape, "triangles" if self._visual else "skip", self._on_missing)
        path = shapes[0].path if shapes and isinstance(shapes[0], Mesh) else ""
        if spec.color is None and Path(path).suffix.lower() == ".dae":
            return self._colored(Path(path), spec.shape.scale) or [(shapes[0], None)]
        return [(shape, None) for shape in shapes]

    def _colored(self, path: Path, scale: tuple[float, float, float]) -> list[tuple[Shape, Color | None]]:
        """The parts of a COLLADA file that was read, by colour."""
        return [(scaled(mesh, scale), color) for mesh, color in self._parts.get(path, ())]

    def _made(self, spec: GeometrySpec, file: MeshFile, as_: str, on_missing: str) -> tuple[Shape, ...]:
        place = f"{spec.where}: <mesh> of geometry {spec.name!r}"
        try:
            check_scheme(file.filename)
            if as_ == "skip":
                return ()
            check_format(file.filename)
            path = self._finder.find(file.filename)
            key = (path, file.scale, as_)
            if key not in self._shapes:
                self._shapes[key] = self._make(path, file.scale, as_, place)
            return self._shapes[key]
        except MissingFileError as error:
            if on_missing == "error":
                raise PathError(f"{place}: {error}") from None
            if on_missing == "warn":
                self._diagnostics.warn(spec.where, f"<mesh> of geometry {spec.name!r}: {error}; left out")
            return ()
        except (PathError, MeshError) as error:
            raise type(error)(f"{place}: {error}") from None

    def _make(self, path: Path, scale: tuple[float, float, float], as_: str, place: str) -> tuple[Shape, ...]:
        if path not in self._meshes:
            notes: Notes = []
            parts: list[tuple[Any, Any, Color | None]] = []

            def take(document: Any) -> None:
                parts.extend(dae_parts(document))

            data = self._finder.read(path, MAX_BYTES)
            self._meshes[path] = mesh_of(data, str(path), notes, take if self._visual else None)
            self._parts[path] = [(Mesh(vertices, faces, str(path)), color) for vertices, faces, color in parts]
            for line, text in notes:
                self._diagnostics.warn(f"{path}:{line}", text)
        mesh = scaled(self._meshes[path], scale)
        if as_ == "triangles":
            return (mesh,)
        try:
            if as_ == "decompose":
                return mesh.decompose()
            return (ConvexHull(convex_hull(mesh.vertices)[0]),)
        except (CollisionError, MeshError) as error:  # a flat plate collides as its triangles
            self._diagnostics.warn(place.split(": ")[0], f"{place.split(': ', 1)[1]}: {error}; its triangles are taken")
            return (mesh,)


def scaled(mesh: Mesh, scale: tuple[float, float, float]) -> Mesh:
    """The mesh, scaled along its axes; mirrored, its faces are turned so that they still face outwards."""
    if scale == (1.0, 1.0, 1.0):
        return mesh
    faces = mesh.faces[:, ::-1] if np.prod(np.sign(scale)) < 0 else mesh.faces
    return Mesh(mesh.vertices * scale, faces, mesh.path)
