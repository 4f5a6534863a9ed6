"""Convex hulls of vertex clouds, by Qhull, and their flat faces.

scipy.spatial takes a tenth of a second to import, so it is imported when a hull is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rbdyn.collision.shapes.climbing import blocks_of, climbing_table, edges_of, facing_table
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
    block : (m,) ndarray of int32
        Where the block of each corner begins in `around`.
    around : (k, 4) ndarray of float
        Each corner, and then its neighbours along edges of triangles: coordinates [m] and numbers (climbing.pyx).
    entry : (6 side side,) ndarray of int32
        Blocks of the corners from which to climb, by directions; empty where a scan is faster.
    facing_start : (6 face_side face_side + 1,) ndarray of int32
        Where the faces of each cell of directions begin in `facing`; empty where a scan is faster.
    facing : (facing_start[-1],) ndarray of int32
        Numbers of the faces that may look most along a direction of the cell, ascending.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    start: np.ndarray
    corner: np.ndarray
    block: np.ndarray
    around: np.ndarray
    entry: np.ndarray
    facing_start: np.ndarray
    facing: np.ndarray

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
    edges = edges_of(np.ascontiguousarray(triangles, dtype=np.intc), len(vertices))
    faces = flat_faces(vertices, triangles, edges)
    blocks = blocks_of(vertices, *edges)
    arrays = vertices, triangles, *faces, *blocks, climbing_table(*blocks), *facing_table(faces[0])
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


def flat_faces(
    vertices: np.ndarray, triangles: np.ndarray, edges: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`normals`, `start` and `corner` of a Hull: triangles in one plane joined, the largest first.

    `edges` are those of climbing.edges_of.
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    size = np.ptp(vertices, axis=0).max()
    taken = areas <= SLIVER * size * size
    if taken.all():
        raise CollisionError(f"the hull of {len(vertices)} vertices is too thin: all its triangles are slivers")
    normals /= np.where(taken, 1.0, areas)[:, None]
    kept, start, corner = grow_faces(
        np.ascontiguousarray(vertices),
        np.ascontiguousarray(normals),
        np.ascontiguousarray(triangles, dtype=np.intc),
        edges,
        np.argsort(-areas, kind="stable").astype(np.intc),
        taken,
        FLUSH * size,
    )
    return normals[kept], start, corner
