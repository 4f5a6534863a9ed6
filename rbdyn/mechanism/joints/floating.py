"""Floating: free motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.mechanism.joints.convention import Convention
from rbdyn.mechanism.joints.joint_type import JointType
from rbdyn.spatial.rotations import Array, matrix_from_quat, quat_from_matrix, random_quat
from rbdyn.spatial.transform import Transform


def free_motion(rotation: Array) -> Array:
    """S of a joint that moves freely, v = [linear, angular] in the before-frame's axes."""
    S = np.zeros((6, 6))
    S[3:, :3] = S[:3, 3:] = rotation.T
    return S


def _from_mujoco(q: Array, v: Array) -> tuple[Array, Array]:
    return q, np.concatenate([v[:3], matrix_from_quat(q[3:]) @ v[3:]])


def _to_mujoco(q: Array, v: Array) -> tuple[Array, Array]:
    return q, np.concatenate([v[:3], matrix_from_quat(q[3:]).T @ v[3:]])


def _scalar_first(q: Array) -> Array:
    return np.concatenate([q[:3], np.roll(q[3:], 1)])


def _scalar_last(q: Array) -> Array:
    return np.concatenate([q[:3], np.roll(q[3:], -1)])


def _from_rdl(q: Array, v: Array) -> tuple[Array, Array]:
    return _from_mujoco(_scalar_first(q), v)


def _to_rdl(q: Array, v: Array) -> tuple[Array, Array]:
    q, v = _to_mujoco(q, v)
    return _scalar_last(q), v


def _from_pinocchio(q: Array, v: Array) -> tuple[Array, Array]:
    q = _scalar_first(q)
    R = matrix_from_quat(q[3:])
    return q, np.concatenate([R @ v[:3], R @ v[3:]])


def _to_pinocchio(q: Array, v: Array) -> tuple[Array, Array]:
    R = matrix_from_quat(q[3:])
    return _scalar_last(q), np.concatenate([R.T @ v[:3], R.T @ v[3:]])


def _from_rigidbodydynamics(q: Array, v: Array) -> tuple[Array, Array]:
    R = matrix_from_quat(q[:4])
    return np.concatenate([q[4:], q[:4]]), np.concatenate([R @ v[3:], R @ v[:3]])


def _to_rigidbodydynamics(q: Array, v: Array) -> tuple[Array, Array]:
    R = matrix_from_quat(q[3:])
    return np.concatenate([q[3:], q[:3]]), np.concatenate([R.T @ v[3:], R.T @ v[:3]])


@dataclass(frozen=True)
class Floating(JointType):
    """Free motion.  q = [x, y, z, qw, qx, qy, qz]; v = [linear, angular], both in the parent-side joint frame.

    MuJoCo has the angular velocity in the body's axes, RDL too, with q = [x, y, z, qx, qy, qz] and qw at the end;
    Pinocchio has both in the body's axes and qw last; RigidBodyDynamics.jl has both there and the angular part first.
    """

    num_positions: ClassVar[int] = 7
    num_velocities: ClassVar[int] = 6
    kind: ClassVar[str] = "floating"
    num_translations: ClassVar[int] = 3
    num_plain: ClassVar[int] = 3
    normalised: ClassVar[slice | None] = slice(3, 7)
    kernel_kind: ClassVar[int] = 4
    conventions: ClassVar[Mapping[str, Convention]] = {
        "pinocchio": Convention(7, _from_pinocchio, _to_pinocchio),
        "mujoco": Convention(7, _from_mujoco, _to_mujoco),
        "rdl": Convention(7, _from_rdl, _to_rdl, at_end=1),
        "rigidbodydynamics": Convention(7, _from_rigidbodydynamics, _to_rigidbodydynamics),
    }

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def _random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), random_quat(rng)])

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=q[3:], translation=q[:3])

    def _motion_subspace(self, q: Array) -> Array:
        return free_motion(matrix_from_quat(q[3:]))

    def _configuration(self, pose: Transform) -> Array:
        return np.concatenate([pose.translation, quat_from_matrix(pose.rotation)])
