"""Convex hulls of vertex clouds, by Qhull.

scipy.spatial takes a tenth of a second to import, so it is imported when a hull is first needed.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbdyn.collision.shapes import ConvexHull, Mesh
from rbdyn.errors import CollisionError


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
    faces : (k, 3) ndarray of int
        Triangles, counter-clockwise seen from outside.

    Raises
    ------
    CollisionError
        If the points lie in one plane, or nearly so.
    """
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    try:
        hull = Qhull(points)
    except QhullError:
        raise CollisionError(f"the {len(points)} vertices lie in one plane: they have no convex hull") from None
    kept = np.sort(hull.vertices)
    number = np.zeros(len(points), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return np.ascontiguousarray(points[kept]), number[faces]


@lru_cache(maxsize=256)
def hull_of(shape: ConvexHull | Mesh) -> tuple[np.ndarray, np.ndarray]:
    """`convex_hull` of a shape's vertices, read-only; equal shapes share it."""
    vertices, faces = convex_hull(shape.vertices)
    vertices.flags.writeable = False
    faces.flags.writeable = False
    return vertices, faces


@lru_cache(maxsize=256)
def hull_faces(shape: ConvexHull | Mesh) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The flat faces of a shape's convex hull, triangles in one plane joined.

    Parameters
    ----------
    shape : ConvexHull or Mesh
        The shape.

    Returns
    -------
    normals : (n, 3) ndarray of float
        Outward unit normals.
    start : (n + 1,) ndarray of int32
        Where each face begins in `corner`.
    corner : (start[n],) ndarray of int32
        Vertex numbers, counter-clockwise seen from outside.
    """
    vertices, triangles = hull_of(shape)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    order = np.argsort(-areas, kind="stable")
    size = np.ptp(vertices, axis=0).max()
    kept: list[np.ndarray] = []
    corners: list[np.ndarray] = []
    taken = areas <= 1e-12 * size * size  # slivers
    for k in order:
        if taken[k]:
            continue
        n = normals[k] / areas[k]
        height = (vertices - a[k]) @ n
        flush = np.abs(height) < 1e-6 * size
        taken |= flush[triangles].all(axis=1)
        ring = np.flatnonzero(flush)
        out = vertices[ring] - vertices[ring].mean(axis=0)
        u = (b[k] - a[k]) / np.linalg.norm(b[k] - a[k])
        kept.append(n)
        corners.append(ring[np.argsort(np.arctan2(out @ np.cross(n, u), out @ u), kind="stable")])
    start = np.concatenate([[0], np.cumsum([len(ring) for ring in corners])]).astype(np.int32)
    result = np.ascontiguousarray(kept), start, np.concatenate(corners).astype(np.int32)
    for array in result:
        array.flags.writeable = False
    return result


def hull_vertices(shape: ConvexHull | Mesh) -> np.ndarray:
    """The corners of a shape's convex hull, (m, 3) [m], read-only."""
    return hull_of(shape)[0]
