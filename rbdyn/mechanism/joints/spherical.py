"""Spherical: rotation about a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.mechanism.joints.convention import Convention
from rbdyn.mechanism.joints.joint_type import JointType
from rbdyn.spatial.rotations import Array, matrix_from_quat, quat_from_matrix, random_quat
from rbdyn.spatial.transform import Transform


def _from_body_axes(q: Array, v: Array) -> tuple[Array, Array]:
    return q, matrix_from_quat(q) @ v


def _to_body_axes(q: Array, v: Array) -> tuple[Array, Array]:
    return q, matrix_from_quat(q).T @ v


def _from_scalar_last(q: Array, v: Array) -> tuple[Array, Array]:
    return _from_body_axes(np.roll(q, 1), v)


def _to_scalar_last(q: Array, v: Array) -> tuple[Array, Array]:
    q, v = _to_body_axes(q, v)
    return np.roll(q, -1), v


@dataclass(frozen=True)
class Spherical(JointType):
    """Rotation about a point.  q = quaternion [w, x, y, z]; v = angular velocity in the parent-side joint frame.

    All other libraries have v in the successor's axes; Pinocchio's and RDL's w is the last number of the quaternion,
    and RDL's stands at the end of q.
    """

    num_positions: ClassVar[int] = 4
    num_velocities: ClassVar[int] = 3
    kind: ClassVar[str] = "spherical"
    normalised: ClassVar[slice | None] = slice(0, 4)
    kernel_kind: ClassVar[int] = 2
    conventions: ClassVar[Mapping[str, Convention]] = {
        "pinocchio": Convention(4, _from_scalar_last, _to_scalar_last),
        "mujoco": Convention(4, _from_body_axes, _to_body_axes),
        "rdl": Convention(4, _from_scalar_last, _to_scalar_last, at_end=1),
        "rigidbodydynamics": Convention(4, _from_body_axes, _to_body_axes),
    }

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def _random(self, rng: np.random.Generator) -> Array:
        return random_quat(rng)

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=q)

    def _motion_subspace(self, q: Array) -> Array:
        return np.vstack([matrix_from_quat(q).T, np.zeros((3, 3))])

    def _configuration(self, pose: Transform) -> Array:
        return quat_from_matrix(pose.rotation)

    def limits_needed(self, limits: tuple[float, float]) -> str:
        return "" if tuple(limits)[:1] == (0.0,) else "(0, largest angle)"
