"""Universal: rotation about an axis on the predecessor's side, then about one on the successor's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints.convention import Convention, missing
from rbdyn.mechanism.joints.joint_type import Axis, JointType
from rbdyn.mechanism.joints.one_axis import unit_axis
from rbdyn.mechanism.joints.revolute import Revolute
from rbdyn.spatial.rotations import Array, matrix_from_rotvec, quat_from_matrix
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
class Universal(JointType):
    """Rotation about two perpendicular axes, one after the other: a Cardan joint, whose cross has no mass.

    q = [angle, angle]: the successor is turned by the first one about `axis1`, which is fixed in the predecessor, then
    by the second one about `axis2`, which is fixed in the successor; v are their rates.  It moves as two Revolute
    joints in series (`Mechanism.attach_in_series`), which take any two axes.  RigidBodyDynamics.jl has no such joint.

    Parameters
    ----------
    axis1, axis2 : (3,) array_like
        Perpendicular axes in the joint frames, which coincide at q = 0; normalised.

    Raises
    ------
    MechanismError
        If an axis is zero, or the axes are not perpendicular.

    Examples
    --------
    >>> import rbdyn
    >>> shaft = rbdyn.Mechanism(rbdyn.RigidBody("frame"))
    >>> body = rbdyn.RigidBody("shaft", rbdyn.SpatialInertia(1.0, inertia=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.02]]))
    >>> joint = rbdyn.Joint("cardan", rbdyn.Universal((1, 0, 0), (0, 1, 0)), position_limits=[(-1.0, 1.0), (-0.5, 0.5)])
    >>> _ = shaft.attach(shaft.root_body, body, joint)
    >>> rbdyn.Model(shaft).nv
    2
    """

    axis1: Axis = (1.0, 0.0, 0.0)
    axis2: Axis = (0.0, 1.0, 0.0)
    num_positions: ClassVar[int] = 2
    num_velocities: ClassVar[int] = 2
    kind: ClassVar[str] = "universal"
    num_plain: ClassVar[int] = 2
    kernel_kind: ClassVar[int] = 7
    conventions: ClassVar[Mapping[str, Convention]] = {
        "rigidbodydynamics": missing("RigidBodyDynamics.jl", "universal"),
    }

    def __post_init__(self) -> None:
        first, second = unit_axis(self.axis1, "axis1"), unit_axis(self.axis2, "axis2")
        if abs(float(np.dot(first, second))) > 1e-9:
            raise MechanismError(
                f"axis1 and axis2 must be perpendicular, got {first} and {second}; for others attach two Revolute "
                "joints in series (Mechanism.attach_in_series)"
            )
        object.__setattr__(self, "axis1", first)
        object.__setattr__(self, "axis2", second)

    @classmethod
    def _random_parameters(cls, axes: Array, rng: np.random.Generator) -> dict[str, Any]:
        return {"axis1": axes[0], "axis2": axes[1]}

    @property
    def series(self) -> tuple[tuple[str, JointType], ...]:
        return ("_1", Revolute(self.axis1)), ("_2", Revolute(self.axis2))

    def canonical_rotation(self) -> Array:
        return np.array([self.axis1, self.axis2, np.cross(self.axis1, self.axis2)])

    def _random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.pi, math.pi, 2)

    def _pose(self, q: Array) -> Transform:
        first = matrix_from_rotvec(q[0] * np.asarray(self.axis1))
        return Transform(rotation=first @ matrix_from_rotvec(q[1] * np.asarray(self.axis2)))

    def _motion_subspace(self, q: Array) -> Array:
        S = np.zeros((6, 2))
        S[:3, 0] = matrix_from_rotvec(-q[1] * np.asarray(self.axis2)) @ np.asarray(self.axis1)
        S[:3, 1] = self.axis2
        return S

    def _configuration(self, pose: Transform) -> Array:
        """The best approximation of rank 1 to the quaternion as [[w, y], [x, z]], which the joint's are.

        In the canonical axes they are the products of (cos, sin) of half of both angles.
        """
        turn = self.canonical_rotation()
        w, x, y, z = quat_from_matrix(turn @ pose.rotation @ turn.T)
        half_sum, half_difference = math.atan2(x + y, w - z), math.atan2(x - y, w + z)
        return np.array([_within_turn(half_sum + half_difference), _within_turn(half_sum - half_difference)])

    def flipped(self) -> Universal:
        """Both axes negated and exchanged: the same motion has its angles exchanged."""
        (a, b, c), (d, e, f) = self.axis2, self.axis1
        return Universal((0.0 - a, 0.0 - b, 0.0 - c), (0.0 - d, 0.0 - e, 0.0 - f))  # no -0.0

    def _flipped_configuration(self, q: Array) -> Array:
        return q[::-1].copy()

    def flipped_limits(self, limits: Any) -> Any:
        return None if limits is None else limits[::-1]


def _within_turn(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    return angle - 2.0 * math.pi * math.ceil((angle - math.pi) / (2.0 * math.pi))
