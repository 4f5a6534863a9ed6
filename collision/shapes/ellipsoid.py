"""Ellipsoids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, check_ratio, three_lengths


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """A solid ellipsoid about the origin, with its semi-axes along the axes.

    Parameters
    ----------
    radii : (3,) sequence of float
        Semi-axes along x, y and z [m], within a ratio of 1e6 of one another.
    """

    kind: ClassVar[str] = "ellipsoid"
    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", three_lengths(self.radii, "radii", "semi-axes"))
        check_ratio(self.kind, self.radii)

    def data(self) -> ShapeData:
        """What compiled code is told: EllipsoidData."""
        return ShapeData(self.kind, {"radii": self.radii}, max(self.radii), ellipsoid=self.radii)

    @property
    def volume(self) -> float:
        """4/3 pi a b c [m^3]."""
        return 4.0 / 3.0 * math.pi * self.radii[0] * self.radii[1] * self.radii[2]

    def inertia(self, mass: float) -> np.ndarray:
        """m (b^2 + c^2) / 5 about x, and so on, (3, 3) [kg m^2], for `mass` [kg]."""
        a, b, c = (r * r for r in self.radii)
        return mass / 5.0 * np.diag([b + c, a + c, a + b])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        vertices, faces = drawn.ball(sides)
        return np.array(self.radii) * vertices, faces

    def _contains(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(points / np.array(self.radii), axis=1) <= 1.0)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        scaled = np.array(self.radii) * direction
        return np.array(self.radii) * scaled / np.linalg.norm(scaled)
