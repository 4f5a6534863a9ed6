"""What was measured beside what is exact, over many phases of the same event within a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.samples import Array

G = 9.81  # [m/s^2]
LONGEST = 5e-3  # [s] the longest time step of all: phases are spread over it
PHASES = 40


class Compared(NamedTuple):
    """A quantity of the closed form, and the mean size of the errors, in the same unit."""

    exact: float
    error: float


def compare(measured: Array | float, exact: Array | float) -> Compared:
    """Means over all phases."""
    right = np.asarray(exact, dtype=float)
    return Compared(float(right.mean()), float(np.abs(np.asarray(measured, dtype=float) - right).mean()))


def phases(count: int) -> Array:
    """Times within the longest step, by the golden ratio: evenly over shorter steps, too."""
    spread: Array = LONGEST * (np.arange(count) * (0.5 * (np.sqrt(5.0) - 1.0)) % 1.0)
    return spread
