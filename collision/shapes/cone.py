"""Cones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, check_ratio, positive


@dataclass(frozen=True)
class Cone(Shape):
    """A cone along z, about the middle of its height: the apex is at +z.

    Its centre of mass is a quarter of the height above the base, not the origin.

    Parameters
    ----------
    radius : float
        Of its base [m].
    height : float
        From the base to the apex [m], within a ratio of 1e6 of the radius.
    """

    kind: ClassVar[str] = "cone"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        object.__setattr__(self, "height", positive(self.height, "height"))
        check_ratio(self.kind, (self.radius, self.height))

    def data(self) -> ShapeData:
        """What compiled code is told: ConeData."""
        r, h = self.radius, 0.5 * self.height
        sizes: dict[str, object] = {"radius": r, "half_height": h}
        return ShapeData(self.kind, sizes, math.sqrt(r * r + h * h), box=(0.0, 0.0, h), ellipsoid=(r, r, 0.0))

    @property
    def volume(self) -> float:
        """pi r^2 h / 3 [m^3]."""
        return math.pi * self.radius**2 * self.height / 3.0

    @property
    def centroid(self) -> np.ndarray:
        """Centre of its volume, (3,) [m]."""
        return np.array([0.0, 0.0, -0.25 * self.height])

    def inertia(self, mass: float) -> np.ndarray:
        """3/10 m r^2 about z, m (3/20 r^2 + 1/10 h^2) about x and y, (3, 3) [kg m^2], for `mass` [kg].

        About the origin, that is: 3/80 m h^2 about the centre of mass, and m (h / 4)^2.
        """
        r2, h2 = self.radius**2, self.height**2
        side = mass * (0.15 * r2 + 0.1 * h2)
        return np.diag([side, side, 0.3 * mass * r2])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.revolved(np.array([0.0, self.radius]), np.array([0.5, -0.5]) * self.height, sides)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        x, y, z = points.T
        below = 0.5 - z / self.height  # share of the height under the apex
        return np.asarray((np.hypot(x, y) <= self.radius * below) & (below >= 0.0) & (below <= 1.0))

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]: the apex, or a point of the rim."""
        x, y, z = direction
        across = math.hypot(x, y)
        if z * self.height > self.radius * across:
            return np.array([0.0, 0.0, 0.5 * self.height])
        rim = self.radius / max(across, 1e-300)
        return np.array([rim * x, rim * y, -0.5 * self.height])

    def flat_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Normal and distance of its base."""
        return np.array([[0.0, 0.0, -1.0]]), np.array([0.5 * self.height])
