"""Many rotation matrices as quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def quats_from_matrices(R: Array) -> Array:
    """Unit quaternions [w, x, y, z], w >= 0, (n, 4), of rotations (n, 3, 3).

    Source: M. D. Shuster, G. A. Natanson, Quaternion computation from a geometric point of view, Journal of the
    Astronautical Sciences 41 (1993): of the four rows of 4 q q^T the one with the largest diagonal entry.
    """
    n = len(R)
    d = np.diagonal(R, axis1=1, axis2=2)
    Q = np.empty((n, 4, 4))
    Q[:, 0, 0] = 1.0 + d.sum(axis=1)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        Q[:, i + 1, i + 1] = 1.0 + d[:, i] - d[:, j] - d[:, k]
        Q[:, 0, i + 1] = Q[:, i + 1, 0] = R[:, k, j] - R[:, j, k]
        Q[:, j + 1, k + 1] = Q[:, k + 1, j + 1] = R[:, k, j] + R[:, j, k]
    best = np.diagonal(Q, axis1=1, axis2=2).argmax(axis=1)
    q = Q[np.arange(n), best]
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.where(q[:, :1] < 0.0, -q, q)
