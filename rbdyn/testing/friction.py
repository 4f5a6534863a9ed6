"""The friction of one contact, judged from impulse and velocity alone."""

from __future__ import annotations

import numpy as np


def cone_excess(lam: np.ndarray, friction: float | np.ndarray) -> np.ndarray:
    """|lam_t| - mu lam_n [N s], of (..., 3) impulses."""
    return np.hypot(lam[..., 0], lam[..., 1]) - friction * lam[..., 2]


def slip_error(block: np.ndarray, mu: float, lam: np.ndarray, v: np.ndarray, law: str, small: float) -> float:
    """How far the slip of a contact is from its law [m/s]: zero inside the cone, against friction on its surface.

    `block` is its own (3, 3) part of the matrix [1/kg].
    """
    r, slip = float(np.hypot(*lam[:2])), float(np.hypot(*v[:2]))
    if lam[2] * block[2, 2] <= small or mu == 0.0:
        return 0.0  # open, or free to slide
    if (mu * lam[2] - r) * block[2, 2] > small or r == 0.0:
        return slip
    e = lam[:2] / r
    if law == "raisim":  # least energy on the sliding curve: slip against G_nn e + mu G_tn
        e = block[2, 2] * e + mu * block[:2, 2]
        e = e / np.linalg.norm(e)
    along = float(v[:2] @ e)
    return max(abs(float(v[0] * e[1] - v[1] * e[0])), along)
