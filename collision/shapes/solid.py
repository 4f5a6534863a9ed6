"""Volume, centroid and inertia of what triangles enclose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbdyn.errors import CollisionError


@dataclass(frozen=True, eq=False)
class Solid:
    """What closed triangles enclose, of density 1.

    Parameters
    ----------
    volume : float
        [m^3].
    centroid : (3,) ndarray of float
        Its centre [m].
    inertia : (3, 3) ndarray of float
        About the origin [m^5].
    """

    volume: float
    centroid: np.ndarray
    inertia: np.ndarray


def solid_of(vertices: np.ndarray, triangles: np.ndarray, what: str) -> Solid:
    """Sums over the tetrahedra of the origin and each triangle, counter-clockwise seen from outside.

    Source: D. Eberly, Polyhedral mass properties (revisited), 2002.  CollisionError if the triangles enclose nothing.
    """
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]).astype(np.int64)
    n = len(vertices)
    there, back = edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0]
    if not np.array_equal(np.sort(there), np.sort(back)):
        raise CollisionError(f"the {what} is not closed: it has no volume; give its inertia, or use a ConvexHull")
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))  # sums are of small numbers
    a, b, c = (vertices[triangles[:, k]] - middle for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(six.sum() / 6.0)
    size = float(np.ptp(vertices, axis=0).max())
    if not volume > 1e-12 * size**3:
        raise CollisionError(
            f"the {what} has a volume of {volume:.3g} m^3: its triangles must be counter-clockwise seen from outside, "
            "and enclose something"
        )
    total = a + b + c
    away = (six[:, None] * total).sum(axis=0) / (24.0 * volume)
    second = sum(np.einsum("i,ij,ik->jk", six, x, x) for x in (a, b, c, total)) / 120.0
    inertia = np.trace(second) * np.eye(3) - second
    centroid = middle + away
    inertia = inertia + volume * (_shift(centroid) - _shift(away))
    return Solid(volume, centroid, inertia)


def _shift(r: np.ndarray) -> np.ndarray:
    """What a mass of 1 at r adds to an inertia."""
    shift: np.ndarray = r @ r * np.eye(3) - np.outer(r, r)
    return shift
