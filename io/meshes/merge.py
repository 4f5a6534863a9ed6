"""Vertices that are exactly equal become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]  # (n, 3) [m]
Faces = NDArray[np.int32]  # (m, 3)
Notes = list[tuple[int, str]]  # lines of a mesh file, and what was left out there


def merge_vertices(corners: Vertices) -> tuple[Vertices, Faces]:
    """Turn a triangle soup into a mesh.

    Parameters
    ----------
    corners : (3 m, 3) ndarray of float64
        Three corners for each triangle, finite [m].

    Returns
    -------
    vertices : (n, 3) ndarray of float64
        The different corners, in the order of their first appearance.
    faces : (m, 3) ndarray of int32
        Indices into `vertices`.
    """
    order = np.lexsort(corners.T)
    ordered = corners[order]
    is_new = np.ones(len(corners), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.empty(len(corners), dtype=np.int64)
    group[order] = np.cumsum(is_new) - 1
    first = order[is_new]  # lexsort is stable: the first of each group comes earliest in the file
    rank = np.argsort(first, kind="stable")
    position = np.empty(len(first), dtype=np.int32)
    position[rank] = np.arange(len(first), dtype=np.int32)
    return corners[first[rank]], position[group].reshape(-1, 3)
