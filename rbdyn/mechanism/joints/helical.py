"""Helical: a screw, rotation about an axis and translation along it in proportion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rbdyn.arguments import number
from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints.convention import Convention, missing
from rbdyn.mechanism.joints.one_axis import Axis, OneAxis, angle_about
from rbdyn.spatial.rotations import Array, matrix_from_rotvec
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
class Helical(OneAxis):
    """A screw: rotation about an axis by q [rad], and translation along it by pitch times q.

    Its effort is a moment [N m]; a rotor's inertia is that about the axis.  MuJoCo and RigidBodyDynamics.jl have no
    such joint.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    pitch : float
        Advance per angle [m/rad], h / (2 pi) for h in a turn; negative for a left-hand thread.  With 0 it is a hinge.

    Raises
    ------
    MechanismError
        If the axis is zero, or the pitch is not a number from -1e9 to 1e9.
    """

    axis: Axis = (0.0, 0.0, 1.0)
    pitch: float = 0.0
    num_positions: ClassVar[int] = 1
    kind: ClassVar[str] = "helical"
    num_plain: ClassVar[int] = 1
    kernel_kind: ClassVar[int] = 6
    conventions: ClassVar[Mapping[str, Convention]] = {
        "mujoco": missing("MuJoCo", "helical"),
        "rigidbodydynamics": missing("RigidBodyDynamics.jl", "helical"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", number(self.pitch, "pitch", low=-1e9, high=1e9, error=MechanismError))

    @classmethod
    def _random_parameters(cls, axes: Array, rng: np.random.Generator) -> dict[str, Any]:
        return {"axis": axes[0], "pitch": rng.uniform(-0.5, 0.5)}

    @property
    def kernel_parameter(self) -> float:
        """The pitch."""
        return self.pitch

    def _random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.pi, math.pi, 1)

    def _pose(self, q: Array) -> Transform:
        axis = np.asarray(self.axis)
        return Transform(rotation=matrix_from_rotvec(q[0] * axis), translation=self.pitch * q[0] * axis)

    def _motion_subspace(self, q: Array) -> Array:
        axis = np.asarray(self.axis)
        return np.concatenate([axis, self.pitch * axis])[:, None]

    def _velocity(self, q: Array, twist: Array) -> Array:
        return super()._velocity(q, twist) / (1.0 + self.pitch**2)  # S^T S, in rad and m alike

    def _configuration(self, pose: Transform) -> Array:
        """The angle's whole turns are those that come nearest to the translation."""
        angle = angle_about(self.axis, pose.rotation)
        if self.pitch == 0.0:
            return np.array([angle])
        along = float(np.dot(self.axis, pose.translation)) / self.pitch
        return np.array([angle + 2.0 * math.pi * np.rint((along - angle) / (2.0 * math.pi))])
