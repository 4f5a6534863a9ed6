"""Revolute: rotation about an axis, by its angle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.mechanism.joints.one_axis import OneAxis, angle_about
from rbdyn.spatial.rotations import Array, matrix_from_rotvec
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
class Revolute(OneAxis):
    """Rotation about an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 1
    kind: ClassVar[str] = "revolute"
    num_plain: ClassVar[int] = 1
    periodic: ClassVar[bool] = True
    kernel_kind: ClassVar[int] = 0

    def _random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.pi, math.pi, 1)

    def _pose(self, q: Array) -> Transform:
        return Transform(rotation=matrix_from_rotvec(q[0] * np.asarray(self.axis)))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def _configuration(self, pose: Transform) -> Array:
        return np.array([angle_about(self.axis, pose.rotation)])
