"""Boxes of shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import ConvexHull, HalfSpace, HeightMap, Mesh, Shape

SIGNS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])


def corners(shape: Shape) -> NDArray[np.float64]:
    """Of its box, in its frame, (8, 3) [m]; the origin of what is without end."""
    if isinstance(shape, HalfSpace):
        return np.zeros((8, 3))
    if isinstance(shape, (Mesh, ConvexHull)):  # without the hull that farthest points ask for
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    elif isinstance(shape, HeightMap):
        half = 0.5 * np.array(shape.size)
        low, high = np.append(-half, shape.heights.min()), np.append(half, shape.heights.max())
    else:
        low, high = shape.bounding_box()
    return np.asarray(low + SIGNS * (high - low))
