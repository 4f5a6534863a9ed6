"""Convex hulls of vertex clouds, by Qhull, and their flat faces.

scipy.spatial takes a tenth of a second to import, so it is imported when a hull is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

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
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    try:
        hull = Qhull(points)
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

    def of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of some rows, one after the other, and for each value which of `rows` it came from."""
        count = self.start[rows + 1] - self.start[rows]
        source = np.repeat(np.arange(len(rows)), count)
        first = np.repeat(self.start[rows] - np.cumsum(count) + count, count)
        return self.value[first + np.arange(len(source))], source


def flat_faces(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`normals`, `start` and `corner` of a Hull: triangles in one plane joined, the largest first.

    The corners that are flush with a face's plane hang together along edges, since the polyhedron is convex: each face
    is grown from its largest triangle, and most triangles of a curved surface are faces of their own.
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
    kept: list[int] = []
    rings: list[np.ndarray] = []
    single = sort_triangles(vertices, triangles, normals)
    seen = np.full(len(vertices), -1)
    for k in np.argsort(-areas, kind="stable").tolist():
        if taken[k]:
            continue
        ring = single[k]
        if not alone[k]:
            ring = grow(vertices, a[k], normals[k], np.sort(ring), around, FLUSH * size)
            seen[ring] = k
            near = owner.of(ring)[0]
            taken[near[(seen[triangles[near]] == k).all(axis=1)]] = True
            ring = sort_ring(vertices, ring, normals[k], b[k] - a[k])
        kept.append(k)
        rings.append(ring)
    start = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype(np.int32)
    return normals[kept], start, np.concatenate(rings).astype(np.int32)


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


def grow(
    vertices: np.ndarray, origin: np.ndarray, normal: np.ndarray, corners: np.ndarray, around: Rows, tolerance: float
) -> np.ndarray:
    """All corners flush with a plane that hang together with some of them along edges, ascending."""
    found = front = corners
    while len(front):
        candidates = np.setdiff1d(around.of(front)[0], found)
        front = candidates[np.abs((vertices[candidates] - origin) @ normal) < tolerance]
        found = np.union1d(found, front)
    return found


def sort_ring(vertices: np.ndarray, ring: np.ndarray, normal: np.ndarray, first: np.ndarray) -> np.ndarray:
    """A face's corners counter-clockwise by their angle about the normal, from -pi about the direction `first`."""
    out = vertices[ring] - vertices[ring].mean(axis=0)
    u = first / np.linalg.norm(first)
    return ring[np.argsort(np.arctan2(out @ np.cross(normal, u), out @ u), kind="stable")]


def sort_triangles(vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """`sort_ring` of every triangle, its first edge the direction, (k, 3)."""
    corners = vertices[triangles]
    out = corners - corners.mean(axis=1, keepdims=True)
    u = corners[:, 1] - corners[:, 0]
    v = np.cross(normals, u)
    angle = np.arctan2(np.einsum("tij,tj->ti", out, v), np.einsum("tij,tj->ti", out, u))
    return np.take_along_axis(triangles, np.argsort(angle, axis=1, kind="stable"), axis=1)
