"""Prismatic: translation along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.mechanism.joints.one_axis import OneAxis
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
class Prismatic(OneAxis):
    """Translation along an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 1
    kind: ClassVar[str] = "prismatic"
    num_translations: ClassVar[int] = 1
    num_plain: ClassVar[int] = 1
    kernel_kind: ClassVar[int] = 1

    def _pose(self, q: Array) -> Transform:
        return Transform(translation=q[0] * np.asarray(self.axis))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[0.0, 0.0, 0.0, *self.axis]]).T

    def _configuration(self, pose: Transform) -> Array:
        return np.array([float(np.dot(self.axis, pose.translation))])
