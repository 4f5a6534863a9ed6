"""Convex hulls."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.collision.shapes.quickhull import quickhull
from rbdyn.errors import MeshError
from rbdyn.io.meshes.merge import Faces, Vertices


def convex_hull(points: ArrayLike) -> tuple[Vertices, Faces]:
    """The corners and faces of the convex hull of points: Quickhull (Barber, Dobkin, Huhdanpaa 1996).

    Parameters
    ----------
    points : (n, 3) array_like of float
        At least four points, not in one plane, finite [m].

    Returns
    -------
    vertices : (k, 3) ndarray of float64
        The corners of the hull, in the order of `points`.
    faces : (m, 3) ndarray of int32
        Triangles, counter-clockwise seen from outside.

    Raises
    ------
    MeshError
        If there are too few points, one is not finite, or they lie in a plane.

    Examples
    --------
    >>> vertices, faces = convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)])
    >>> vertices.shape, faces.shape
    ((4, 3), (4, 3))
    """
    from scipy.spatial import QhullError  # 0.1 s to import: only when it is needed

    try:
        cloud = np.array(points, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise MeshError("points must be an (n, 3) array of numbers [m]") from None
    if cloud.ndim != 2 or cloud.shape[1] != 3 or len(cloud) < 4:
        raise MeshError(f"points must be an (n, 3) array [m] with n >= 4, got shape {cloud.shape}")
    if not np.isfinite(cloud).all():
        raise MeshError("points must be finite [m]")
    try:
        hull = quickhull(cloud)
    except QhullError:
        raise MeshError(f"the {len(cloud)} points lie in a plane, on a line or in a point: they have no hull") from None
    corners = np.sort(hull.vertices)
    position = np.full(len(cloud), -1, dtype=np.int32)
    position[corners] = np.arange(len(corners), dtype=np.int32)
    return cloud[corners], position[_outward(cloud, hull.simplices, hull.equations[:, :3])]


def _outward(cloud: Vertices, faces: Faces, normals: Vertices) -> Faces:
    """`faces` with the corner order turned where it disagrees with the outward `normals`."""
    a, b, c = (cloud[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0
    faces = faces.copy()
    faces[inward] = faces[inward][:, ::-1]
    return faces
