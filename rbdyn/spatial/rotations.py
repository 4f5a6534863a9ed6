"""Rotations as numpy arrays: matrices, quaternions [w, x, y, z], roll-pitch-yaw, rotation vectors."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_array, as_vector, shown
from rbdyn.errors import Error

Array = NDArray[np.float64]

__all__ = [
    "matrix_from_quat",
    "matrix_from_rotvec",
    "matrix_from_rpy",
    "quat_from_matrix",
    "quat_from_stereographic",
    "random_quat",
    "random_rotation",
    "rotation_to_z",
    "rpy_from_matrix",
    "skew",
    "stereographic",
]


def skew(a: ArrayLike) -> Array:
    """The matrix ax with ax @ b = cross(a, b), shape (3, 3)."""
    x, y, z = as_vector(a, 3, "a")
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def check_unit(quat: Array, name: str) -> float:
    """The squared length of a quaternion; Error naming it if its length is not within 1e-3 of 1."""
    length = math.hypot(*quat.tolist())  # whose squares do not overflow
    if not abs(length - 1.0) < 1e-3:
        raise Error(f"{name} must be a quaternion [w, x, y, z] of length 1 (within 0.001), got length {length:.6g}")
    return float(quat @ quat)


def matrix_from_quat(quat: ArrayLike) -> Array:
    """Rotation matrix (3, 3) of a quaternion [w, x, y, z] of length 1, or within 1e-3 of it: it is normalised first."""
    q = as_vector(quat, 4, "quat")
    return _matrix_of(q / math.sqrt(check_unit(q, "quat")))


def _matrix_of(quat: Array) -> Array:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quat_from_matrix(rotation: ArrayLike) -> Array:
    """Unit quaternion [w, x, y, z], w >= 0, of a rotation matrix.

    Takes the largest of the four components first (Shepperd 1978), so that no square root loses digits.
    """
    R = as_array(rotation, (3, 3), "rotation")
    t = np.array([R.trace(), R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(t))
    if k == 0:
        q = np.array([1 + t[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        q = np.empty(4)
        q[0] = R[m, j] - R[j, m]
        q[1 + i] = 1 + R[i, i] - R[j, j] - R[m, m]
        q[1 + j] = R[j, i] + R[i, j]
        q[1 + m] = R[m, i] + R[i, m]
    q /= math.sqrt(float(q @ q))
    return -q if q[0] < 0 else q


def matrix_from_rpy(rpy: ArrayLike) -> Array:
    """Rotation matrix Rz(yaw) Ry(pitch) Rx(roll) of URDF's (roll, pitch, yaw) [rad]."""
    r, p, y = as_vector(rpy, 3, "rpy", "[rad]")
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_matrix(rotation: ArrayLike) -> Array:
    """(roll, pitch, yaw) [rad] of a rotation matrix; at gimbal lock roll is 0."""
    R = as_array(rotation, (3, 3), "rotation")
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) < 1e-15:
        return np.array([0.0, pitch, math.atan2(-R[0, 1], R[1, 1])])
    roll = math.atan2(R[2, 1], R[2, 2])
    c, s = math.cos(roll), math.sin(roll)  # the yaw that this very roll leaves: near gimbal lock their errors cancel
    return np.array([roll, pitch, math.atan2(R[0, 2] * s - R[0, 1] * c, R[1, 1] * c - R[1, 2] * s)])


def matrix_from_rotvec(rotvec: ArrayLike) -> Array:
    """Rotation matrix of a rotation vector (axis times angle [rad]): Rodrigues' formula."""
    v = as_vector(rotvec, 3, "rotvec", "[rad]")
    if np.abs(v).max() > 1e150:  # whole turns beyond counting: what is left of the angle is noise
        raise Error(f"rotvec must not be longer than 1e150 rad, got {v.tolist()}")
    angle = math.sqrt(float(v @ v))
    K = skew(v)
    if angle < 1e-8:
        return np.eye(3) + K + 0.5 * K @ K
    return np.eye(3) + math.sin(angle) / angle * K + (1 - math.cos(angle)) / angle**2 * K @ K


def rotation_to_z(axis: ArrayLike) -> Array:
    """The rotation that takes the unit vector `axis` to z; exact entries when the axis is a coordinate axis.

    For a coordinate axis it permutes axes cyclically, elsewhere it is the shortest rotation.
    """
    a = as_vector(axis, 3, "axis")
    coordinates = a.tolist()
    if coordinates == [1, 0, 0]:
        return np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    if coordinates == [0, 1, 0]:
        return np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    if coordinates == [0, 0, 1]:
        return np.eye(3)
    if a[2] < 0:  # turn to -z, then half a turn about x, which is far from degenerate
        return np.diag([1.0, -1.0, -1.0]) @ rotation_to_z(-a)
    v = np.array([a[1], -a[0], 0.0])  # a x z
    K = skew(v)
    return np.eye(3) + K + K @ K / (1.0 + a[2])


def stereographic(quat: ArrayLike) -> Array:
    """The stereographic projection (x, y, z) / (1 + w) of a unit quaternion, its sign chosen for w >= 0, (3,)."""
    q = as_vector(quat, 4, "quat")
    w, p = (q[0], q[1:]) if q[0] >= 0.0 else (-q[0], -q[1:])
    return p / (1.0 + w)


def quat_from_stereographic(p: ArrayLike) -> Array:
    """The unit quaternion [w, x, y, z] whose stereographic projection is p, (4,)."""
    p = as_vector(p, 3, "p")
    n = float(p @ p)
    return np.array([1.0 - n, *(2.0 * p)]) / (1.0 + n)


def random_rotation(rng: np.random.Generator) -> Array:
    """A uniformly distributed rotation matrix, (3, 3), drawn from `rng`."""
    return _matrix_of(random_quat(rng))


def random_quat(rng: np.random.Generator) -> Array:
    """A uniformly distributed unit quaternion [w, x, y, z]."""
    if not isinstance(rng, np.random.Generator):
        raise Error(f"rng must be a numpy.random.Generator, got {shown(rng)}")
    q = rng.normal(size=4)
    return q / math.sqrt(float(q @ q))
