"""Normals of a surface of triangles, for smooth shading: round where it is round, sharp at its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdyn.spatial.unique_rows import unique_rows

Vertices = NDArray[np.float64]  # (n, 3) [m]
Faces = NDArray[np.int32]  # (m, 3)

CREASE = np.cos(np.radians(35.0))  # triangles that meet at a larger angle make an edge that is seen
CROWD = 64  # so many triangles around a corner, and more, are shaded flat there: pairs of them are too many


def split_at_creases(vertices: Vertices, faces: Faces) -> tuple[Vertices, Vertices, Faces]:
    """The same surface, its corners divided where it has edges, each with a unit normal.

    A corner's normal is the mean of those triangles around it that meet its own at less than 35 degrees, weighted by
    their angles there.  Source: G. Thuermer, C. A. Wuethrich, Computing vertex normals from polygonal facets, Journal
    of Graphics Tools 3 (1998).

    Parameters
    ----------
    vertices : (n, 3) ndarray of float64
        Corners [m].
    faces : (m, 3) ndarray of int
        Corner numbers of triangles, counter-clockwise seen from outside.

    Returns
    -------
    vertices, normals : (k, 3) ndarray of float64
        Corners, and unit normals there.
    faces : (m', 3) ndarray of int32
        Triangles without those of no area.
    """
    place = unique_rows(vertices)[1]  # equal corners are one
    flat, area = face_normals(vertices, faces)
    faces, flat = faces[area > 0.0], flat[area > 0.0]
    corner = place[faces].reshape(-1)  # of corner 3 f + k of face f
    normals = _smoothed(corner, np.repeat(flat, 3, axis=0), _angles(vertices, faces).reshape(-1))
    key = np.column_stack([faces.reshape(-1).astype(np.int64), np.round(normals * 1e4).astype(np.int64)])
    first, which = unique_rows(key)
    return vertices[faces.reshape(-1)[first]], normals[first], which.reshape(-1, 3).astype(np.int32)


def face_normals(vertices: Vertices, faces: Faces) -> tuple[Vertices, NDArray[np.float64]]:
    """Unit normals (m, 3), zero without an area, and areas (m,) [m^2] of triangles."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    return normal / np.where(length > 0.0, length, 1.0)[:, None], 0.5 * length


def _angles(vertices: Vertices, faces: Faces) -> NDArray[np.float64]:
    """Of each triangle at its corners, (m, 3) [rad]."""
    points = vertices[faces]
    sides = np.roll(points, -1, axis=1) - points
    sides /= np.maximum(np.linalg.norm(sides, axis=2), 1e-300)[..., None]
    return np.arccos(np.clip(-(sides * np.roll(sides, 1, axis=1)).sum(axis=2), -1.0, 1.0))


def _smoothed(corner: NDArray[np.intp], flat: Vertices, weight: NDArray[np.float64]) -> Vertices:
    """Normals of all corners of triangles: `corner` says where each is, `flat` its triangle's normal."""
    order = np.argsort(corner, kind="stable")
    start = np.flatnonzero(np.diff(corner[order], prepend=-1))
    count = np.diff(start, append=len(order))
    normals = flat.copy()
    for size in np.unique(count[(count > 1) & (count < CROWD)]):  # all places where so many triangles meet, at once
        group = order[start[count == size][:, None] + np.arange(size)]
        own = flat[group]
        near = (own @ own.transpose(0, 2, 1)) > CREASE
        normals[group] = (near * weight[group][:, None, :]) @ own
    length = np.linalg.norm(normals, axis=1)
    return np.where((length > 1e-12)[:, None], normals / np.maximum(length, 1e-300)[:, None], flat)
