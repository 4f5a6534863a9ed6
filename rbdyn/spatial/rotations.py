"""Rotations as numpy arrays: matrices, quaternions [w, x, y, z], roll-pitch-yaw, rotation vectors."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_array, as_vector
from rbdyn.errors import Error

Array = NDArray[np.float64]


def skew(a: ArrayLike) -> Array:
    """The matrix ax with ax @ b = cross(a, b), shape (3, 3)."""
    x, y, z = as_vector(a, 3, "a")
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def matrix_from_quat(quat: ArrayLike) -> Array:
    """Rotation matrix (3, 3) of a quaternion [w, x, y, z]; it is normalised first."""
    q = as_vector(quat, 4, "quat")
    norm = math.sqrt(float(q @ q))
    if norm < 1e-12:
        raise Error("quat must not be zero")
    w, x, y, z = q / norm
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
    if math.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return np.array([0.0, pitch, math.atan2(-R[0, 1], R[1, 1])])
    return np.array([math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])])


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


def stereographic(quat: Array) -> Array:
    """The stereographic projection (x, y, z) / (1 + w) of a unit quaternion, its sign chosen for w >= 0, (3,)."""
    w, p = (quat[0], quat[1:]) if quat[0] >= 0.0 else (-quat[0], -quat[1:])
    return p / (1.0 + w)


def quat_from_stereographic(p: Array) -> Array:
    """The unit quaternion [w, x, y, z] whose stereographic projection is p, (4,)."""
    n = float(p @ p)
    return np.array([1.0 - n, *(2.0 * p)]) / (1.0 + n)


def random_quat(rng: np.random.Generator) -> Array:
    """A uniformly distributed unit quaternion [w, x, y, z]."""
    q = rng.normal(size=4)
    return q / math.sqrt(float(q @ q))
