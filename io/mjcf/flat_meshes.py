"""Meshes of which MuJoCo makes no convex hull, or nothing at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_AREA = 2e-15  # MuJoCo refuses meshes of less than 1e-15 [m^2]
ROUNDING = 4.0 * float(np.finfo(np.float32).eps)  # of the largest coordinate: MuJoCo's are of single precision


def is_flat(vertices: NDArray[np.float64]) -> bool:
    """Whether all points lie in a plane, up to the rounding of single precision."""
    points = vertices / (float(np.abs(vertices).max()) or 1.0)
    centred = points - points.mean(axis=0)
    normal = np.linalg.svd(centred, full_matrices=False)[2][-1]
    return len(points) < 4 or float(np.ptp(centred @ normal)) <= ROUNDING


def has_area(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> bool:
    """Whether the triangles have enough area for MuJoCo."""
    size = float(np.abs(vertices).max()) or 1.0  # without it the squares of large coordinates would overflow
    a, b, c = (vertices[faces[:, k]] / size for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) >= 2.0 * LEAST_AREA / size / size
