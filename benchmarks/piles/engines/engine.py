"""What a contest asks of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Motion:
    """Where the centres of all things are and how they move, in the order of the list."""

    position: Array  # (n, 3) [m]
    orientation: Array  # (n, 4) quaternions w, x, y, z
    velocity: Array  # (n, 3) [m/s]
    spin: Array  # (n, 3) angular velocity, world axes [rad/s]

    @classmethod
    def empty(cls, n: int) -> Motion:
        return cls(np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), np.zeros((n, 3)), np.zeros((n, 3)))


class Engine(Protocol):
    """A scene in motion."""

    def step(self) -> None:
        """Advance by one step."""

    def motion(self) -> Motion:
        """Of all things; not timed."""
