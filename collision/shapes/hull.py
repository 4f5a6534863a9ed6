"""Convex hulls of vertex clouds, by Qhull, and their flat faces.

scipy.spatial takes a tenth of a second to import, so it is imported when a hull is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rbdyn.collision.shapes.flat_faces import grow_faces
from rbdyn.collision.shapes.quickhull import quickhull
from rbdyn.errors import CollisionError

SLIVER = 1e-12  # triangles of a smaller area, in units of the hull's size squared, have no normal
FLUSH = 1e-6  # corners nearer to a face's plane, in units of the hull's size, belong to it


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex polyhedron; all arrays are read-only.

    Parameters
    ----------
    vertices : (m, 3) ndarray of float
        Its corners [m].
    triangles : (k, 3) ndarray of int
        Corner numbers, counter-clockwise seen from outside.
    normals : (n, 3) ndarray of float
        Outward unit normals of its flat faces: triangles in one plane are joined.
    start : (n + 1,) ndarray of int32
        Where each face begins in `corner`.
    corner : (start[n],) ndarray of int32
        Corner numbers of the faces, counter-clockwise seen from outside.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    start: np.ndarray
    corner: np.ndarray

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The corner farthest along a direction, (3,) [m]."""
        return self.vertices[np.argmax(self.vertices @ direction)]

    def offsets(self) -> np.ndarray:
        """Distances of the faces' planes from the origin, (n,) [m]."""
        return np.einsum("ij,ij->i", self.normals, self.vertices[self.corner[self.start[:-1]]])


def hull_of(points: np.ndarray) -> Hull:
    """The hull of points, (n, 3) [m]; equal clouds share it while it is among the last 256."""
    return _hull_of_bytes(np.ascontiguousarray(points, dtype=np.float64).tobytes())


@lru_cache(maxsize=256)
def _hull_of_bytes(raw: bytes) -> Hull:
    vertices, triangles = convex_hull(np.frombuffer(raw).reshape(-1, 3))
    arrays = vertices, triangles, *flat_faces(vertices, triangles)
    for array in arrays:
        array.flags.writeable = False
    return Hull(*arrays)


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners and triangles of the convex hull of points.

    Source: C. Barber, D. Dobkin, H. Huhdanpaa, The Quickhull Algorithm (ACM TOMS 22, 1996).

    Parameters
    ----------
    points : (n, 3) ndarray of float
        The cloud [m].

    Returns
    -------
    vertices : (m, 3) ndarray of float
        Its extreme points, in the given order [m].
    triangles : (k, 3) ndarray of int
        Counter-clockwise seen from outside.

    Raises
    ------
    CollisionError
        If the points lie in one plane, or nearly so.
    """
    from scipy.spatial import QhullError

    try:
        hull = quickhull(points)
    except (QhullError, ValueError):
        raise CollisionError(f"the {len(points)} vertices lie in one plane: they have no convex hull") from None
    kept = np.sort(hull.vertices)
    number = np.zeros(len(points), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return np.ascontiguousarray(points[kept]), number[faces]


class Rows:
    """For each number of one kind those of another that belong to it: rows of different lengths in one array."""

    def __init__(self, row: np.ndarray, value: np.ndarray, n: int) -> None:
        order = np.argsort(row, kind="stable")
        self.value = value[order]
        self.start = np.searchsorted(row[order], np.arange(n + 1))

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets of the rows, and their values."""
        return self.start.astype(np.intc), self.value.astype(np.intc)

    def of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of some rows, one after the other, and for each value which of `rows` it came from."""
        count = self.start[rows + 1] - self.start[rows]
        source = np.repeat(np.arange(len(rows)), count)
        first = np.repeat(self.start[rows] - np.cumsum(count) + count, count)
        return self.value[first + np.arange(len(source))], source


def flat_faces(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`normals`, `start` and `corner` of a Hull: triangles in one plane joined, the largest first.

    Most triangles of a curved surface are faces of their own; the others are grown (flat_faces.pyx).
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    size = np.ptp(vertices, axis=0).max()
    taken = areas <= SLIVER * size * size
    if taken.all():
        raise CollisionError(f"the hull of {len(vertices)} vertices is too thin: all its triangles are slivers")
    normals /= np.where(taken, 1.0, areas)[:, None]
    ends = np.concatenate([triangles[:, [k, (k + step) % 3]] for k in range(3) for step in (1, 2)])
    around = Rows(ends[:, 0], ends[:, 1], len(vertices))
    owner = Rows(triangles.ravel(), np.repeat(np.arange(len(triangles)), 3), len(vertices))
    alone = stand_alone(vertices, triangles, normals, around, FLUSH * size)
    single = sort_triangles(vertices, triangles, normals)
    kept, start, corner = grow_faces(
        np.ascontiguousarray(vertices),
        np.ascontiguousarray(normals),
        np.ascontiguousarray(triangles, dtype=np.intc),
        around.arrays(),
        owner.arrays(),
        np.argsort(-areas, kind="stable").astype(np.intc),
        np.where(alone[:, None], single, -1).astype(np.intc),
        taken,
        FLUSH * size,
    )
    return normals[kept], start, corner


def stand_alone(
    vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray, around: Rows, tolerance: float
) -> np.ndarray:
    """Which triangles have no corner around theirs that is flush with their plane, (k,) bool."""
    alone = np.ones(len(triangles), dtype=bool)
    for begin in range(0, len(triangles), 20_000):  # in parts, for memory
        part = np.arange(begin, min(begin + 20_000, len(triangles)))
        for k in range(3):
            neighbour, source = around.of(triangles[part, k])
            t = part[source]
            other = (neighbour[:, None] != triangles[t]).all(axis=1)
            neighbour, t = neighbour[other], t[other]
            height = np.einsum("ij,ij->i", vertices[neighbour] - vertices[triangles[t, 0]], normals[t])
            alone[t[np.abs(height) < tolerance]] = False
    return alone


def sort_triangles(vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Every triangle's corners counter-clockwise by their angle about the normal, from -pi about its first edge."""
    corners = vertices[triangles]
    out = corners - corners.mean(axis=1, keepdims=True)
    u = corners[:, 1] - corners[:, 0]
    v = np.cross(normals, u)
    angle = np.arctan2(np.einsum("tij,tj->ti", out, v), np.einsum("tij,tj->ti", out, u))
    return np.take_along_axis(triangles, np.argsort(angle, axis=1, kind="stable"), axis=1)
