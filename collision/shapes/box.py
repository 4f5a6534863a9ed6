"""Boxes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, check_ratio, three_lengths


@dataclass(frozen=True)
class Box(Shape):
    """A box about the origin, with its edges along the axes.

    Parameters
    ----------
    size : (3,) sequence of float
        Full side lengths along x, y and z [m], within a ratio of 1e6 of one another.
    """

    kind: ClassVar[str] = "box"
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", three_lengths(self.size, "size", "side lengths"))
        check_ratio(self.kind, self.size)

    def data(self) -> ShapeData:
        """What compiled code is told: BoxData."""
        x, y, z = (0.5 * side for side in self.size)
        return ShapeData(self.kind, {"half": (x, y, z)}, math.sqrt(x * x + y * y + z * z), box=(x, y, z))

    @property
    def volume(self) -> float:
        """x y z [m^3]."""
        return self.size[0] * self.size[1] * self.size[2]

    def inertia(self, mass: float) -> np.ndarray:
        """m (y^2 + z^2) / 12 about x, and so on, (3, 3) [kg m^2], for `mass` [kg]."""
        a, b, c = (s * s for s in self.size)
        return mass / 12.0 * np.diag([b + c, a + c, a + b])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.box(self.size)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        return np.asarray((np.abs(points) <= 0.5 * np.array(self.size)).all(axis=1))

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        return np.copysign(0.5 * np.array(self.size), direction)

    def flat_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Normals and distances of its six sides."""
        return np.vstack([np.eye(3), -np.eye(3)]), 0.5 * np.array([*self.size, *self.size])
