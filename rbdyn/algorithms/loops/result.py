"""What `dynamics` returns."""

from __future__ import annotations

from dataclasses import dataclass

from rbdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class DynamicsResult:
    """Accelerations, and the forces that keep loops closed.

    Attributes
    ----------
    vd : (nv,) ndarray of float64
        Rate of v [rad/s^2 or m/s^2].
    multipliers : (num_constraints,) ndarray of float64
        Moments and forces [N m, N] that each loop joint exerts on its successor, at the after-frame's origin, along the
        rows of `loop_jacobian`; the opposite acts on its predecessor.
    rank : int
        How many rows of the loops are independent here; rows of loop joints' rotors are not counted.
    """

    vd: Array
    multipliers: Array
    rank: int
