"""What joint types of one axis share."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector
from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints.joint_type import Axis, JointType
from rbdyn.spatial.rotations import Array, rotation_to_z


def unit_axis(axis: ArrayLike, name: str) -> Axis:
    """`axis` normalised; MechanismError if it is (nearly) zero, or so long that its square overflows."""
    a = as_vector(axis, 3, name)
    x, y, z = a.tolist()
    if not max(abs(x), abs(y), abs(z)) <= 1e150:
        raise MechanismError(f"{name} must be a direction, and not as long as {a.tolist()}")
    norm = math.sqrt(float(a @ a))
    if norm < 1e-9:
        raise MechanismError(f"{name} must not be zero, got {a.tolist()}")
    if abs(norm - 1.0) < 1e-15:
        norm = 1.0
    return x / norm, y / norm, z / norm


def angle_about(axis: ArrayLike, rotation: Array) -> float:
    """The angle about `axis` whose rotation R(angle) is nearest to `rotation`: it maximises tr(R^T rotation) [rad]."""
    a, R = np.asarray(axis), rotation
    sine = a @ (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return math.atan2(float(sine), float(R.trace() - a @ R @ a))


@dataclass(frozen=True)
class OneAxis(JointType):
    """A joint type with one axis, kept at unit length, and one degree of freedom."""

    axis: Axis = (0.0, 0.0, 1.0)
    num_velocities: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "axis"))

    @classmethod
    def _random_parameters(cls, axes: Array, rng: np.random.Generator) -> dict[str, Any]:
        return {"axis": axes[0]}

    @property
    def main_axis(self) -> Axis:
        """The axis."""
        return self.axis

    @property
    def series(self) -> tuple[tuple[str, JointType], ...]:
        return (("", self),) if self.has_coordinates else ()

    def canonical_rotation(self) -> Array:
        return rotation_to_z(self.axis)

    def flipped(self) -> OneAxis:
        x, y, z = self.axis
        return replace(self, axis=(0.0 - x, 0.0 - y, 0.0 - z))  # no -0.0

    def _flipped_configuration(self, q: Array) -> Array:
        return q
