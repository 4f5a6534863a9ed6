"""Planar: translation in a plane and rotation about its normal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints.convention import Convention
from rbdyn.mechanism.joints.joint_type import Axis, JointType
from rbdyn.mechanism.joints.one_axis import angle_about, unit_axis
from rbdyn.mechanism.joints.prismatic import Prismatic
from rbdyn.mechanism.joints.revolute import Revolute
from rbdyn.spatial.rotations import Array, matrix_from_quat, matrix_from_rotvec, rotation_to_z
from rbdyn.spatial.transform import Transform


def _plane(theta: float) -> Array:
    return np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])


def _from_body_axes(q: Array, v: Array) -> tuple[Array, Array]:
    """From a velocity in the successor's axes to one in the predecessor's."""
    return q, np.append(_plane(q[2]) @ v[:2], v[2])


def _to_body_axes(q: Array, v: Array) -> tuple[Array, Array]:
    return q, np.append(_plane(q[2]).T @ v[:2], v[2])


def _from_pinocchio(q: Array, v: Array) -> tuple[Array, Array]:
    return _from_body_axes(np.array([q[0], q[1], math.atan2(q[3], q[2])]), v)


def _to_pinocchio(q: Array, v: Array) -> tuple[Array, Array]:
    _, v = _to_body_axes(q, v)
    return np.array([q[0], q[1], math.cos(q[2]), math.sin(q[2])]), v


def _shortest_from_z(axis: Array) -> Array:
    """The shortest rotation that takes z to a unit vector; half a turn about x to -z, (3, 3).

    Source: `rotation_between` of Rotations.jl.
    """
    w = 1.0 + axis[2]
    if abs(w) < 100.0 * np.finfo(float).eps:
        return np.diag([1.0, -1.0, -1.0])
    q = np.array([w, -axis[1], axis[0], 0.0])
    return matrix_from_quat(q / math.sqrt(float(q @ q)))


def _rigidbodydynamics(turn: float) -> Convention:
    """Position along axes that are turned by `turn` [rad] about the normal, velocity in the successor's axes."""
    back, there = _plane(turn), _plane(-turn)

    def read(q: Array, v: Array) -> tuple[Array, Array]:
        return _from_body_axes(np.append(back @ q[:2], q[2]), np.append(back @ v[:2], v[2]))

    def write(q: Array, v: Array) -> tuple[Array, Array]:
        q, v = _to_body_axes(q, v)
        return np.append(there @ q[:2], q[2]), np.append(there @ v[:2], v[2])

    return Convention(3, read, write)


@dataclass(frozen=True)
class Planar(JointType):
    """Translation in a plane and rotation about its normal.

    q = [x, y, theta]: the successor's frame sits at x x_axis + y y_axis, turned by theta about x_axis cross y_axis.
    Pinocchio writes the cosine and the sine of theta; it and RigidBodyDynamics.jl have v in the successor's axes.  Of a
    normal alone, as in a URDF file, RigidBodyDynamics.jl makes axes of its own: see `convention`.

    Parameters
    ----------
    x_axis, y_axis : (3,) array_like
        Orthogonal axes that span the plane, in the joint frame; normalised.
    """

    x_axis: Axis = (1.0, 0.0, 0.0)
    y_axis: Axis = (0.0, 1.0, 0.0)
    num_positions: ClassVar[int] = 3
    num_velocities: ClassVar[int] = 3
    kind: ClassVar[str] = "planar"
    num_translations: ClassVar[int] = 2
    num_plain: ClassVar[int] = 3
    kernel_kind: ClassVar[int] = 3
    conventions: ClassVar[Mapping[str, Convention]] = {
        "pinocchio": Convention(4, _from_pinocchio, _to_pinocchio),
    }

    def __post_init__(self) -> None:
        x, y = unit_axis(self.x_axis, "x_axis"), unit_axis(self.y_axis, "y_axis")
        if abs(float(np.dot(x, y))) > 1e-9:
            raise MechanismError(f"x_axis and y_axis must be orthogonal, got {x} and {y}")
        object.__setattr__(self, "x_axis", x)
        object.__setattr__(self, "y_axis", y)

    @classmethod
    def _random_parameters(cls, axes: Array, rng: np.random.Generator) -> dict[str, Any]:
        return {"x_axis": axes[0], "y_axis": axes[1]}

    @property
    def series(self) -> tuple[tuple[str, JointType], ...]:
        return ("_x", Prismatic(self.x_axis)), ("_y", Prismatic(self.y_axis)), ("_theta", Revolute(self.normal))

    def canonical_rotation(self) -> Array:
        return np.array([self.x_axis, self.y_axis, np.cross(self.x_axis, self.y_axis)])

    def _random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, math.pi)

    def convention(self, library: str) -> Convention:
        """Return how `library` writes the q and v of such a joint.

        URDF gives the normal n alone.  RigidBodyDynamics.jl's reader takes the axes that the shortest rotation from z
        to n makes of x and y; that of rbdyn takes `rotation_to_z(n)`.  A joint with the axes that rbdyn's reader takes
        is converted to the other reader's axes.  Any other joint has its axes on both sides.
        """
        known = super().convention(library)
        if library != "rigidbodydynamics":
            return known
        x, y, normal = self.canonical_rotation()
        if not np.array_equal(rotation_to_z(normal), (x, y, normal)):
            return _rigidbodydynamics(0.0)
        theirs = _shortest_from_z(normal)[:, 0]
        return _rigidbodydynamics(math.atan2(float(y @ theirs), float(x @ theirs)))

    @property
    def normal(self) -> Axis:
        """x_axis cross y_axis: the axis of theta, in the joint frame."""
        return tuple(np.cross(self.x_axis, self.y_axis).tolist())

    @property
    def main_axis(self) -> Axis:
        """The plane's normal."""
        return self.normal

    def _pose(self, q: Array) -> Transform:
        rotation = matrix_from_rotvec(q[2] * np.asarray(self.normal))
        return Transform(rotation, translation=q[0] * np.asarray(self.x_axis) + q[1] * np.asarray(self.y_axis))

    def _motion_subspace(self, q: Array) -> Array:
        S = np.zeros((6, 3))
        S[3:, :2] = self._pose(q).rotation.T @ np.array([self.x_axis, self.y_axis]).T
        S[:3, 2] = self.normal
        return S

    def _configuration(self, pose: Transform) -> Array:
        x, y = np.dot(self.x_axis, pose.translation), np.dot(self.y_axis, pose.translation)
        return np.array([x, y, angle_about(self.normal, pose.rotation)])
