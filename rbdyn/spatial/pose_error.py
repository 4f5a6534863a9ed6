"""How far one pose is from another, as a motion."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.spatial.rotations import Array, quat_from_matrix
from rbdyn.spatial.transform import Transform


def pose_error(T: Transform | ArrayLike, T_ref: Transform | ArrayLike) -> Array:
    """How far a pose is from a reference, as the motion of one second that leads from the reference to it.

    The logarithm of T T_ref^-1, taken of its rotation and of the way of the origin apart: the rotation vector of
    R R_ref^T, and p - p_ref.  To first order it is J dq with the Jacobian of the frame in world axes
    (`point_jacobian_6d`, `BodyRef.jacobian`), so that v = -k J^+ pose_error(T, T_ref) leads T there.

    Parameters
    ----------
    T, T_ref : Transform or (4, 4) array_like
        Poses in one frame, the world say.

    Returns
    -------
    error : (6,) ndarray of float64
        Angular part first [rad, m], in the axes of that frame; an angle of pi at most.

    Raises
    ------
    Error
        If one of them is no pose.

    Examples
    --------
    >>> pose_error(Transform(rpy=(0, 0, 0.5), translation=(1, 0, 0)), Transform()).round(6).tolist()
    [0.0, 0.0, 0.5, 1.0, 0.0, 0.0]
    """
    here, reference = (x if isinstance(x, Transform) else Transform.from_matrix(x) for x in (T, T_ref))
    w, x, y, z = quat_from_matrix(here.rotation @ reference.rotation.T)
    sine = math.sqrt(x * x + y * y + z * z)
    share = 2.0 * math.atan2(sine, w) / sine if sine > 1e-8 else 2.0 / w
    return np.concatenate([share * np.array([x, y, z]), here.translation - reference.translation])
