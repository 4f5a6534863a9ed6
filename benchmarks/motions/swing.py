"""The pendulum's closed form: angles from the lowest point, by Jacobi's elliptic functions.

w^2 = w_0^2 - 4 n^2 sin^2(a / 2), where n^2 is m g l / I and w_0 the speed below.  With k = w_0 / (2 n):
sin(a / 2) = k sn(n t, k) if it swings to and fro (k < 1), else sn(k n t, 1 / k).  Whittaker, Analytical Dynamics, 44.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ellipj, ellipkinc


class Swing(NamedTuple):
    """A pendulum that passes its lowest point at time 0."""

    n: float  # [rad/s] of small swings
    fastest: float  # [rad/s] below

    @classmethod
    def through(cls, n: float, angle: float, rate: float) -> Swing:
        """The one that has this angle and rate at some time."""
        return cls(n, float(np.hypot(rate, 2.0 * n * np.sin(angle / 2))))

    @property
    def k(self) -> float:
        """Modulus: below 1 if it turns back."""
        return self.fastest / (2.0 * self.n)

    def turn(self) -> float:
        """The largest angle of one that turns back."""
        return 2.0 * float(np.arcsin(self.k))

    def time(self, angle: float) -> float:
        """When it is at an angle, on its way up."""
        half = np.sin(angle / 2)
        if self.k < 1.0:
            return float(ellipkinc(np.arcsin(np.clip(half / self.k, -1.0, 1.0)), self.k**2)) / self.n
        return float(ellipkinc(angle / 2, self.k**-2)) / (self.k * self.n)

    def angle(self, time: float) -> float:
        """At a time, which may be before 0."""
        if self.k < 1.0:
            return 2.0 * float(np.arcsin(self.k * ellipj(self.n * time, self.k**2)[0]))
        return 2.0 * float(ellipj(self.k * self.n * time, self.k**-2)[3])

    def rate(self, angle: float) -> float:
        """How fast it is at an angle."""
        return float(np.sqrt(max(0.0, self.fastest**2 - 4.0 * self.n**2 * np.sin(angle / 2) ** 2)))
