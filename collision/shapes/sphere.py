"""Spheres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, positive


@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere about the origin, solid.

    Parameters
    ----------
    radius : float
        Radius [m].
    """

    kind: ClassVar[str] = "sphere"
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))

    def data(self) -> ShapeData:
        """What compiled code is told: SphereData."""
        return ShapeData(self.kind, {"radius": self.radius}, self.radius, ball=self.radius)

    @property
    def volume(self) -> float:
        """4/3 pi r^3 [m^3]."""
        return 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self, mass: float) -> np.ndarray:
        """2/5 m r^2 about every axis through the centre, (3, 3) [kg m^2], for `mass` [kg]."""
        return 0.4 * mass * self.radius**2 * np.eye(3)

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        vertices, faces = drawn.ball(sides)
        return self.radius * vertices, faces

    def _contains(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(points, axis=1) <= self.radius)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        return self.radius / np.linalg.norm(direction) * direction
