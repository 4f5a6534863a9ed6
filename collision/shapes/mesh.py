"""Triangle meshes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from rbdyn.arguments import flag
from rbdyn.collision.shapes.convex_hull import ConvexHull, cloud_data, hull_data
from rbdyn.collision.shapes.decimation import without_flat_vertices
from rbdyn.collision.shapes.decomposition import decomposition
from rbdyn.collision.shapes.hull import Hull, hull_of
from rbdyn.collision.shapes.shape import Shape, ShapeData, points
from rbdyn.collision.shapes.solid import Solid, solid_of
from rbdyn.collision.shapes.surface import encloses, grain_of, joined, surface_data
from rbdyn.errors import CollisionError


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A triangle mesh: it collides by its triangles.

    For its convex hull give a `ConvexHull`, such as `convex_hull()`: it is faster, and solid.  A mesh is a surface;
    what lies wholly inside does not touch it.  Half-spaces meet its vertices.  FCLBackend takes its hull, or
    approximates (`backend.mesh` tells).

    Parameters
    ----------
    vertices : (n, 3) array_like of float
        Corner points [m].
    faces : (m, 3) array_like of int
        Corner indices of each triangle, counter-clockwise seen from outside.
    path : str
        The file it came from, "" if none.
    one_sided : bool, optional
        Whether a triangle holds only what comes from the side from which its corners are seen counter-clockwise, or
        from both, so that faces may be turned either way.  By default the first for a mesh that encloses a volume.
    """

    kind: ClassVar[str] = "mesh"
    vertices: np.ndarray
    faces: np.ndarray
    path: str = field(default="", compare=False)
    one_sided: bool | None = None

    def __post_init__(self) -> None:
        vertices = points(self.vertices, "vertices", 3)
        try:
            faces = np.array(self.faces)
        except ValueError:
            raise CollisionError("faces must be an (m, 3) array of int, got rows of different lengths") from None
        if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0 or faces.dtype.kind not in "iu":
            raise CollisionError(f"faces must be an (m, 3) array of int with m >= 1, got shape {faces.shape}")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise CollisionError(f"faces must index the {len(vertices)} vertices, got {faces.min()}..{faces.max()}")
        faces = faces.astype(np.int32)
        a, b, c = (faces[:, k] for k in range(3))
        if not ((a != b) & (b != c) & (c != a)).any():
            raise CollisionError("a mesh needs a triangle with an area: all of these have the same corner twice")
        faces.flags.writeable = False
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        if self.one_sided is not None:
            object.__setattr__(self, "one_sided", flag(self.one_sided, "one_sided", error=CollisionError))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mesh)
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.faces, other.faces)
            and self.one_sided == other.one_sided
        )

    def __hash__(self) -> int:
        return hash((Mesh, self.vertices.tobytes(), self.faces.tobytes(), self.one_sided))

    @cached_property
    def hull(self) -> Hull:
        """Corners, triangles and flat faces of its convex hull."""
        return hull_of(self.vertices)

    def convex_hull(self) -> ConvexHull:
        """Its convex hull, a shape of its own; CollisionError if it is flat."""
        return ConvexHull(self.hull.vertices)

    def decompose(
        self,
        threshold: float = 0.05,
        most: int = -1,
        seed: int = 0,
        *,
        cache: str | os.PathLike[str] | None = None,
    ) -> tuple[ConvexHull, ...]:
        """Convex pieces that together are about what it encloses; none reaches beyond its box.

        By coacd, in a process of its own.  A closed mesh takes seconds; one that is open, or in itself, is first made
        anew of small triangles, and takes minutes.  The same mesh is decomposed once per process.

        Parameters
        ----------
        threshold : float
            How concave a piece may be, 0.01 to 1: about how far it may be from its hull, in halves of the mesh's
            largest extent.
        most : int
            Pieces there may be, 1 or more; -1: any number.
        seed : int
            Of the random numbers, 0 or more; the same seed gives the same pieces.
        cache : str or os.PathLike, optional
            A folder for results, made if there is none: what is found there is not computed again.

        Returns
        -------
        pieces : tuple of ConvexHull
            In the mesh's frame; a convex mesh gives one.

        Raises
        ------
        CollisionError
            If an argument is wrong, the mesh is flat, or coacd fails; OSError if the cache cannot be written.
        MissingExtraError
            If coacd is not installed, and the cache does not hold the result.
        """
        return decomposition(self.vertices, self.faces, threshold, most, seed, cache)

    def data(self) -> ShapeData:
        """What compiled code is told: MeshData."""
        return self._data

    @cached_property
    def _data(self) -> ShapeData:
        vertices, faces = joined(self.vertices, self.faces)
        grain = grain_of(vertices, faces)
        faces = without_flat_vertices(vertices, faces)
        used = np.zeros(len(vertices), dtype=bool)
        used[faces] = True
        try:
            known = hull_data(hull_of(vertices[used]))
        except CollisionError:  # flat: of such a mesh half-spaces meet all vertices
            known = cloud_data(vertices[used])
        solid = self.one_sided is not False and encloses(vertices, faces)
        sides = {"one_sided": int(solid or bool(self.one_sided)), "solid": int(solid)}
        sizes = {**known.sizes, **surface_data(vertices, faces, grain), **sides}
        return replace(known, kind="mesh", sizes=sizes)

    @cached_property
    def solid(self) -> Solid:
        """What it encloses; CollisionError if it is not closed."""
        return solid_of(self.vertices, self.faces, "mesh")

    @property
    def volume(self) -> float:
        """[m^3]."""
        return self.solid.volume

    @property
    def centroid(self) -> np.ndarray:
        """Centre of its volume, (3,) [m]."""
        return self.solid.centroid

    def inertia(self, mass: float) -> np.ndarray:
        """Inertia about the origin of `mass` [kg] of uniform density, (3, 3) [kg m^2]."""
        return mass / self.solid.volume * self.solid.inertia

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return self.vertices, self.faces

    def _contains(self, points: np.ndarray) -> np.ndarray:
        if self.solid.volume <= 0.0:  # or CollisionError: it is not closed
            return np.zeros(len(points), dtype=bool)
        return np.asarray([winding_number(self.vertices[self.faces] - point) > 0.5 for point in points], dtype=bool)

    @cached_property
    def _corners(self) -> np.ndarray:
        """The vertices that triangles use, (n, 3) [m]."""
        return self.vertices[np.unique(self.faces)]

    def bounding_box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest coordinates, (3,) each [m], along its axes; of a flat mesh, too."""
        return self._corners.min(axis=0), self._corners.max(axis=0)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        return np.asarray(self._corners[np.argmax(self._corners @ direction)])


def winding_number(corners: np.ndarray) -> float:
    """How often closed triangles, corners (m, 3, 3) as seen from a point, go around it: the sum of their solid angles.

    Source: A. van Oosterom, J. Strackee, The solid angle of a plane triangle (IEEE Trans. Biomedical Eng. 30, 1983).
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return float(np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi))
