"""SinCosRevolute: rotation about an axis, by the sine and the cosine of its angle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.arguments import as_vector, plain_array, shown
from rbdyn.errors import Error
from rbdyn.mechanism.joints.convention import Convention
from rbdyn.mechanism.joints.one_axis import OneAxis, angle_about
from rbdyn.spatial.rotations import Array, matrix_from_rotvec
from rbdyn.spatial.transform import Transform


def _from_angle(q: Array, v: Array) -> tuple[Array, Array]:
    return np.array([math.sin(q[0]), math.cos(q[0])]), v


def _to_angle(q: Array, v: Array) -> tuple[Array, Array]:
    return np.array([math.atan2(q[0], q[1])]), v


def _exchanged(q: Array, v: Array) -> tuple[Array, Array]:
    return q[::-1], v


ANGLE = Convention(1, _from_angle, _to_angle)


def _pair(limits: object) -> tuple[float, float]:
    """A lower and an upper limit [rad], alone or as the only pair of a sequence."""
    ends = plain_array(limits, "limits", np.float64)
    if ends.size != 2:
        raise Error(f"limits must be one pair (lower, upper) [rad], got {shown(limits)}")
    lower, upper = ends.ravel().tolist()
    return lower, upper


@dataclass(frozen=True)
class SinCosRevolute(OneAxis):
    """Rotation about an axis, q = [sin, cos] of the angle: no jump where the angle comes round.  v = rate of the angle.

    Pinocchio has q = [cos, sin] (an unbounded revolute joint), MuJoCo and RDL the angle.  Position limits are those of
    the angle, of all its turns the one nearest to the middle between the limits; both are finite, and less than a turn
    apart.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 2
    kind: ClassVar[str] = "sincosrevolute"
    normalised: ClassVar[slice | None] = slice(0, 2)
    kernel_kind: ClassVar[int] = 0
    representation: ClassVar[int] = 1
    conventions: ClassVar[Mapping[str, Convention]] = {
        "pinocchio": Convention(2, _exchanged, _exchanged),
        "mujoco": ANGLE,
        "rdl": ANGLE,
    }

    @property
    def motion(self) -> str:
        return "revolute"

    @property
    def has_limits(self) -> bool:
        return True

    def limits_needed(self, limits: tuple[float, float]) -> str:
        lower, upper = _pair(limits)
        return "" if upper - lower < 2.0 * math.pi else "finite, and less than a turn apart,"

    def coordinates(self, q: Array, limits: Sequence[tuple[float, float]]) -> Array:
        lower, upper = _pair(limits)
        middle = 0.5 * (lower + upper) if math.isfinite(upper - lower) else 0.0
        sine, cosine = as_vector(q, 2, "q").tolist()
        angle = math.atan2(sine, cosine)
        return np.array([angle - 2.0 * math.pi * math.floor((angle - middle) / (2.0 * math.pi) + 0.5)])

    def from_coordinates(self, coordinates: Array) -> Array:
        (angle,) = as_vector(coordinates, 1, "coordinates").tolist()
        return np.array([math.sin(angle), math.cos(angle)])

    def neutral(self) -> Array:
        return np.array([0.0, 1.0])

    def _random(self, rng: np.random.Generator) -> Array:
        angle = rng.uniform(-math.pi, math.pi)
        return np.array([math.sin(angle), math.cos(angle)])

    def _pose(self, q: Array) -> Transform:
        return Transform(rotation=matrix_from_rotvec(math.atan2(q[0], q[1]) * np.asarray(self.axis)))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def _configuration(self, pose: Transform) -> Array:
        angle = angle_about(self.axis, pose.rotation)
        return np.array([math.sin(angle), math.cos(angle)])
