"""Capsules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData, positive


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z capped by two half spheres.

    Parameters
    ----------
    radius : float
        Radius [m].
    height : float
        Distance between the centres of the two spheres [m].
    """

    kind: ClassVar[str] = "capsule"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        object.__setattr__(self, "height", positive(self.height, "height"))

    def data(self) -> ShapeData:
        """What compiled code is told: CapsuleData."""
        r, h = self.radius, 0.5 * self.height
        return ShapeData(self.kind, {"radius": r, "half_height": h}, h + r, box=(0.0, 0.0, h), ball=r)

    @property
    def volume(self) -> float:
        """pi r^2 (h + 4/3 r) [m^3]."""
        return math.pi * self.radius**2 * (self.height + 4.0 / 3.0 * self.radius)

    def inertia(self, mass: float) -> np.ndarray:
        """A cylinder and two half spheres of one density, (3, 3) [kg m^2], for `mass` [kg].

        About the capsule's centre, half spheres of mass m_s together add m_s (2/5 r^2 + h^2 / 4 + 3/8 h r):
        2/5 m_s r^2 about a half sphere's flat side, shifted by way of its centre of mass, 3/8 r away from there.
        """
        r, h = self.radius, self.height
        volume_c, volume_s = r * r * h, 4.0 / 3.0 * r**3
        m_c = mass * volume_c / (volume_c + volume_s)
        m_s = mass - m_c
        axial = 0.5 * m_c * r * r + 0.4 * m_s * r * r
        side = m_c * (3 * r * r + h * h) / 12.0 + m_s * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
        return np.diag([side, side, axial])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.capsule(self.radius, self.height, sides)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        axis = np.clip(points[:, 2], -0.5 * self.height, 0.5 * self.height)
        return np.asarray(np.linalg.norm(points - axis[:, None] * (0.0, 0.0, 1.0), axis=1) <= self.radius)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        end = np.array([0.0, 0.0, math.copysign(0.5 * self.height, direction[2])])
        return self.radius / np.linalg.norm(direction) * direction + end
