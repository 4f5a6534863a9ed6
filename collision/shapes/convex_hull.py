"""Convex hulls of points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes.hull import Hull, hull_of
from rbdyn.collision.shapes.shape import Shape, ShapeData, check_ratio, points
from rbdyn.collision.shapes.solid import Solid, solid_of


@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The convex hull of points.

    Parameters
    ----------
    vertices : (n, 3) array_like of float
        The points, n >= 4, not in one plane [m].  Kept read-only, in the given order; `convex_hull` in
        rbdyn.io.meshes reduces a cloud to its corners.
    """

    kind: ClassVar[str] = "convex_hull"
    vertices: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", points(self.vertices, "vertices", 4))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConvexHull) and np.array_equal(self.vertices, other.vertices)

    def __hash__(self) -> int:
        return hash((ConvexHull, self.vertices.tobytes()))

    @cached_property
    def hull(self) -> Hull:
        """Its corners, triangles and flat faces.

        Raises
        ------
        CollisionError
            If the points lie in one plane, or their extents along their principal axes differ by more than MOST_RATIO.
        """
        hull = hull_of(self.vertices)
        centred = hull.vertices - hull.vertices.mean(axis=0)
        axes = np.linalg.eigh(centred.T @ centred)[1]
        check_ratio(self.kind, np.ptp(centred @ axes, axis=0).tolist())
        return hull

    def data(self) -> ShapeData:
        """What compiled code is told: HullData."""
        return hull_data(self.hull)

    @cached_property
    def solid(self) -> Solid:
        """What it encloses; CollisionError if it is not closed."""
        return solid_of(self.hull.vertices, self.hull.triangles, "hull")

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
        return self.hull.vertices, self.hull.triangles

    def _contains(self, points: np.ndarray) -> np.ndarray:
        return np.asarray((points @ self.hull.normals.T <= self.hull.offsets()).all(axis=1))

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        return self.hull.farthest(direction)

    def flat_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Normals and distances of its faces."""
        return self.hull.normals, self.hull.offsets()


# Share of the largest coordinate by which heights of corners in one plane may differ: rounding and planes of Qhull are
# off by up to 1e-14 (measured, of noisy and lattice-like clouds).
LEVEL = 1e-12


def hull_data(hull: Hull) -> ShapeData:
    """HullData."""
    faces: dict[str, np.ndarray] = {"normals": hull.normals, "start": hull.start, "corner": hull.corner}
    corners = {"block": hull.block, "around": hull.around, "entry": hull.entry}
    facing = {"facing_start": hull.facing_start, "facing": hull.facing}
    return vertices_data(hull.vertices, {**faces, **corners, **facing}, len(hull.normals))


def cloud_data(vertices: np.ndarray) -> ShapeData:
    """HullData of points without faces."""
    none = np.empty(0, np.intc)
    faces: dict[str, np.ndarray] = {"normals": np.empty((0, 3)), "start": np.zeros(1, np.intc), "corner": none}
    tables = dict.fromkeys(("block", "around", "entry", "facing_start", "facing"), none)
    return vertices_data(np.ascontiguousarray(vertices), {**faces, **tables}, 0)


def vertices_data(vertices: np.ndarray, tables: Mapping[str, np.ndarray], n_faces: int) -> ShapeData:
    """HullData of corners, of faces between them, and of tables over directions."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    center = 0.5 * (high + low)
    radius = np.sqrt(((vertices - center) ** 2).sum(axis=1).max())
    numbers = {
        "level": LEVEL * float(np.abs(vertices).max()),
        "n_vertices": len(vertices),
        "n_faces": n_faces,
        "side": math.isqrt(len(tables["entry"]) // 6),
        "face_side": math.isqrt(len(tables["facing_start"]) // 6),
    }
    (cx, cy, cz), (x, y, z) = center.tolist(), (0.5 * (high - low)).tolist()
    return ShapeData("hull", {"vertices": vertices, **tables, **numbers}, float(radius), (cx, cy, cz), (x, y, z))
