"""Transform: a rigid motion, rotation then translation."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import UNREADABLE, as_array, as_vector, shown
from rbdyn.errors import Error
from rbdyn.spatial.frozen import Frozen
from rbdyn.spatial.rotations import (
    Array,
    matrix_from_quat,
    matrix_from_rpy,
    quat_from_matrix,
    rpy_from_matrix,
)

UNTURNED = np.eye(3)
UNTURNED.setflags(write=False)


class Transform(Frozen):
    """A rigid transform p -> rotation @ p + translation; as a pose, where a frame sits in its reference.

    Parameters
    ----------
    rotation : (3, 3) array_like, optional
        Rotation matrix.  At most one of `rotation`, `quat` and `rpy` may be given; none means identity.
    quat : (4,) array_like, optional
        Quaternion [w, x, y, z] within 1e-3 of unit length; normalised.
    rpy : (3,) array_like, optional
        Roll, pitch, yaw as in URDF: Rz(yaw) Ry(pitch) Rx(roll) [rad].
    translation : (3,) array_like
        Translation [m].

    Raises
    ------
    Error
        If a shape is wrong, a number is not finite or the matrix is not a rotation to 1e-6.

    Examples
    --------
    >>> T = Transform(rpy=(0, 0, 3.141592653589793 / 2), translation=(1, 0, 0))
    >>> (T @ (1, 0, 0)).round(6).tolist()
    [1.0, 1.0, 0.0]
    """

    __slots__ = ("rotation", "translation")
    rotation: Array
    translation: Array

    def __init__(
        self,
        rotation: ArrayLike | None = None,
        quat: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        translation: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        if (rotation is not None) + (quat is not None) + (rpy is not None) > 1:
            given = [name for name, x in (("rotation", rotation), ("quat", quat), ("rpy", rpy)) if x is not None]
            raise Error(f"give one of rotation, quat and rpy, got {' and '.join(given)}")
        if quat is not None:
            R = matrix_from_quat(quat)
        elif rpy is not None:
            R = matrix_from_rpy(rpy)
        elif rotation is not None:
            R = as_array(rotation, (3, 3), "rotation")
            if np.abs(R).max() > 2.0 or np.abs(R.T @ R - UNTURNED).max() > 1e-6 or np.linalg.det(R) < 0:
                raise Error(f"rotation must be orthonormal with determinant +1, got {R.tolist()}")
        else:
            R = UNTURNED
        p = as_vector(translation, 3, "translation", "[m]")
        self._set(rotation=R, translation=p)

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Transform:
        """The transform of a homogeneous (4, 4) matrix."""
        M = as_array(matrix, (4, 4), "matrix")
        if np.abs(M[3] - (0, 0, 0, 1)).max() > 1e-9:
            raise Error(f"matrix must have the last row 0 0 0 1, got {M[3].tolist()}")
        return cls(rotation=M[:3, :3], translation=M[:3, 3])

    @property
    def matrix(self) -> Array:
        """Homogeneous matrix, (4, 4)."""
        M = np.eye(4)
        M[:3, :3] = self.rotation
        M[:3, 3] = self.translation
        return M

    @property
    def quat(self) -> Array:
        """Unit quaternion [w, x, y, z] with w >= 0."""
        return quat_from_matrix(self.rotation)

    @property
    def rpy(self) -> Array:
        """Roll, pitch, yaw [rad]."""
        return rpy_from_matrix(self.rotation)

    def inverse(self) -> Transform:
        """The transform that undoes this one."""
        return _proper(self.rotation.T.copy(), -self.rotation.T @ self.translation)

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    @overload
    def __matmul__(self, other: ArrayLike) -> Array: ...
    def __matmul__(self, other: Transform | ArrayLike) -> Transform | Array:
        """Compose with a Transform, or act on a point (3,) or points (n, 3)."""
        if isinstance(other, Transform):
            return _proper(self.rotation @ other.rotation, self.rotation @ other.translation + self.translation)
        points = as_array(other, (None, 3) if _rows(other) else (3,), "points")
        return points @ self.rotation.T + self.translation

    def is_identity(self) -> bool:
        """Whether this is exactly the identity."""
        return bool((self.rotation == UNTURNED).all() and (self.translation == 0).all())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Transform)
            and np.array_equal(self.rotation, other.rotation)
            and np.array_equal(self.translation, other.translation)
        )

    def __hash__(self) -> int:
        return hash((self.rotation.tobytes(), self.translation.tobytes()))

    def __repr__(self) -> str:
        return f"Transform(quat={self.quat.round(6).tolist()}, translation={self.translation.round(6).tolist()})"

    def __deepcopy__(self, memo: dict[int, object]) -> Transform:
        """Itself: it cannot change."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.rotation.copy(), self.translation.copy())


def _rows(points: object) -> bool:
    """Whether these are points (n, 3), and not one."""
    try:
        return np.ndim(points) == 2  # type: ignore[arg-type]
    except UNREADABLE:  # ragged, or no array at all: as_array says so
        return False


def _proper(rotation: Array, translation: Array) -> Transform:
    """A Transform of what follows from others: a rotation it is, but sums may have grown beyond all numbers."""
    x, y, z = translation.tolist()
    if not math.isfinite(x + y + z):
        raise Error(f"translation must be finite, got {translation}")
    new = object.__new__(Transform)
    new._set(rotation=rotation, translation=translation)
    return new


def check_pose(pose: object, name: str = "pose") -> None:
    """Error unless it is a Transform."""
    if not isinstance(pose, Transform):
        raise Error(f"{name} must be a Transform, got {shown(pose)}")


def _restore(rotation: Array, translation: Array) -> Transform:
    return Transform(rotation=rotation, translation=translation)
