"""Cylinders."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, check_ratio, positive


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z, about its centre.

    Parameters
    ----------
    radius : float
        Radius [m].
    height : float
        Full height along z [m], within a ratio of 1e6 of the radius.
    """

    kind: ClassVar[str] = "cylinder"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        object.__setattr__(self, "height", positive(self.height, "height"))
        check_ratio(self.kind, (self.radius, self.height))

    def data(self) -> ShapeData:
        """What compiled code is told: CylinderData."""
        r, h = self.radius, 0.5 * self.height
        sizes: dict[str, object] = {"radius": r, "half_height": h}
        return ShapeData(self.kind, sizes, math.sqrt(r * r + h * h), box=(0.0, 0.0, h), ellipsoid=(r, r, 0.0))

    @property
    def volume(self) -> float:
        """pi r^2 h [m^3]."""
        return math.pi * self.radius**2 * self.height

    def inertia(self, mass: float) -> np.ndarray:
        """m r^2 / 2 about z, m (3 r^2 + h^2) / 12 about x and y, (3, 3) [kg m^2], for `mass` [kg]."""
        side = mass * (3 * self.radius**2 + self.height**2) / 12.0
        return np.diag([side, side, 0.5 * mass * self.radius**2])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.revolved(np.full(2, self.radius), np.array([0.5, -0.5]) * self.height, sides)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        x, y, z = points.T
        return np.asarray((np.hypot(x, y) <= self.radius) & (np.abs(z) <= 0.5 * self.height))

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        x, y, z = direction
        rim = self.radius / max(math.hypot(x, y), 1e-300)
        return np.array([rim * x, rim * y, math.copysign(0.5 * self.height, z)])

    def flat_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Normals and distances of its two caps."""
        return np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), np.full(2, 0.5 * self.height)
