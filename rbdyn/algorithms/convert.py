"""Conventions of other libraries: the same configuration and velocity, laid out their way.

Joints keep their order.  What differs is the order of a quaternion and the frame of a velocity:

===================  ========================  =============================================
library              floating q                floating v
===================  ========================  =============================================
rbdyn                x, y, z, w, qx, qy, qz    linear, angular; both in the parent's axes
pinocchio            x, y, z, qx, qy, qz, w    linear, angular; both in the body's axes
mujoco               x, y, z, w, qx, qy, qz    linear in parent's, angular in body's axes
rdl                  x, y, z, qx, qy, qz; w    linear in parent's, angular in body's axes
rigidbodydynamics    w, qx, qy, qz, x, y, z    angular, linear; both in the body's axes
===================  ========================  =============================================

rdl keeps the w of every quaternion at the very end of q.  Spherical joints have their angular velocity in the body's
axes in all four; planar joints have theirs in the body's axes in pinocchio and rigidbodydynamics, and pinocchio's
planar q is x, y, cos(theta), sin(theta).

A SinCosRevolute joint has q = sin, cos in rbdyn and rigidbodydynamics, cos, sin in pinocchio, where it is an unbounded
revolute joint, and the plain angle in mujoco and rdl.  A SPQuatFloating joint has q = x, y, z, p in rbdyn, p, x, y, z
with a floating joint's v in rigidbodydynamics, and is a floating joint with a quaternion in the others.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import Error, StateError, unknown_name
from rbdyn.mechanism.joint_types import Fixed, Floating, JointType, Planar, SinCosRevolute, Spherical, SPQuatFloating
from rbdyn.model.model import Model
from rbdyn.spatial.rotations import Array, _shown, as_vector, matrix_from_quat, quat_from_stereographic, stereographic

LIBRARIES = ("pinocchio", "mujoco", "rdl", "rigidbodydynamics", "rbdyn")
FLOATING = Floating()


def convert(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    to: str = "rbdyn",
    source: str = "rbdyn",
) -> tuple[Array, Array]:
    """A configuration and velocity in another library's convention.

    Parameters
    ----------
    model : Model
        Whose joints, in the order of q.
    q : array_like of float
        Configuration in the convention `source`.
    v : array_like of float, optional
        Velocity in the convention `source`; zero by default.
    to, source : str
        "rbdyn", "pinocchio", "mujoco", "rdl" or "rigidbodydynamics".

    Returns
    -------
    q, v : ndarray of float64
        In the convention `to`.

    Raises
    ------
    UnknownNameError
        If a library is not one of these.
    StateError
        If a length is wrong or a number is not finite.
    """
    if not isinstance(model, Model):
        raise Error(f"model must be a Model, got {_shown(model)}")
    for name in (to, source):
        if not isinstance(name, str) or name not in LIBRARIES:
            raise unknown_name("library", name, LIBRARIES)
    model.check()
    types = [j.joint_type for j in model.mechanism.tree_joints if not isinstance(j.joint_type, Fixed)]
    widths = [_width(t, source) for t in types]
    try:
        q_in = as_vector(q, sum(widths), "q")
        v_in = as_vector(np.zeros(model.nv) if v is None else v, model.nv, "v")
    except Error as error:
        raise StateError(str(error)) from None
    blocks = _split(types, widths, q_in, source)
    native = []
    vi = 0
    for joint_type, block in zip(types, blocks, strict=True):
        n = joint_type.num_velocities
        native.append((joint_type, *_to_native(joint_type, block, v_in[vi : vi + n], source)))
        vi += n
    pieces = [(t, *_from_native(t, bq, bv, to)) for t, bq, bv in native]
    return _join(pieces, to)


def _width(joint_type: JointType, library: str) -> int:
    """How many numbers of the library's q a joint has."""
    if isinstance(joint_type, Planar):
        return 4 if library == "pinocchio" else 3
    if isinstance(joint_type, SinCosRevolute):
        return 1 if library in ("mujoco", "rdl") else 2
    if isinstance(joint_type, SPQuatFloating):
        return 7 if _turns(joint_type, library) else 6
    return joint_type.num_positions


def _turns(joint_type: JointType, library: str) -> bool:
    """Whether the joint has a quaternion there."""
    projected = isinstance(joint_type, SPQuatFloating) and library not in ("rbdyn", "rigidbodydynamics")
    return projected or joint_type.kind in ("spherical", "floating")


def _split(types: list[JointType], widths: list[int], q: Array, library: str) -> list[Array]:
    """q joint by joint; rdl's w is fetched from the end and put last in its block."""
    blocks = []
    start = 0
    w_at = len(q) - sum(_turns(t, library) for t in types)
    for joint_type, width in zip(types, widths, strict=True):
        if library == "rdl" and _turns(joint_type, library):
            blocks.append(np.append(q[start : start + width - 1], q[w_at]))
            start, w_at = start + width - 1, w_at + 1
        else:
            blocks.append(q[start : start + width])
            start += width
    return blocks


def _join(pieces: list[tuple[JointType, Array, Array]], library: str) -> tuple[Array, Array]:
    body = [bq[:-1] if library == "rdl" and _turns(t, library) else bq for t, bq, _ in pieces]
    tail = [bq[-1:] for t, bq, _ in pieces if library == "rdl" and _turns(t, library)]
    empty = np.zeros(0)
    return np.concatenate([empty, *body, *tail]), np.concatenate([empty, *(bv for _, _, bv in pieces)])


def _plane(theta: float) -> Array:
    return np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])


def _to_native(joint_type: JointType, q: Array, v: Array, library: str) -> tuple[Array, Array]:
    """One joint's q and v, from a library's convention to ours."""
    if library == "rbdyn":
        return q, v
    if isinstance(joint_type, Planar):
        if library == "pinocchio":
            q = np.array([q[0], q[1], math.atan2(q[3], q[2])])
        if library in ("pinocchio", "rigidbodydynamics"):
            v = np.append(_plane(q[2]) @ v[:2], v[2])
        return q, v
    if isinstance(joint_type, SinCosRevolute):
        if library == "rigidbodydynamics":
            return q, v
        return (np.array([math.sin(q[0]), math.cos(q[0])]) if len(q) == 1 else q[::-1]), v
    if isinstance(joint_type, SPQuatFloating):
        if library == "rigidbodydynamics":
            q = np.concatenate([quat_from_stereographic(q[:3]), q[3:]])
        q, v = _to_native(FLOATING, q, v, library)
        return np.concatenate([q[:3], stereographic(q[3:] / math.sqrt(float(q[3:] @ q[3:])))]), v
    if not _turns(joint_type, library):
        return q, v
    scalar_last = library in ("pinocchio", "rdl")
    if isinstance(joint_type, Spherical):
        quat = np.roll(q, 1) if scalar_last else q
        return quat, matrix_from_quat(quat) @ v
    if library == "rigidbodydynamics":
        R = matrix_from_quat(q[:4])
        return np.concatenate([q[4:], q[:4]]), np.concatenate([R @ v[3:], R @ v[:3]])
    quat = np.roll(q[3:], 1) if scalar_last else q[3:]
    R = matrix_from_quat(quat)
    linear = R @ v[:3] if library == "pinocchio" else v[:3]
    return np.concatenate([q[:3], quat]), np.concatenate([linear, R @ v[3:]])


def _from_native(joint_type: JointType, q: Array, v: Array, library: str) -> tuple[Array, Array]:
    """One joint's q and v, from our convention to a library's."""
    if library == "rbdyn":
        return q, v
    if isinstance(joint_type, Planar):
        if library in ("pinocchio", "rigidbodydynamics"):
            v = np.append(_plane(q[2]).T @ v[:2], v[2])
        if library == "pinocchio":
            q = np.array([q[0], q[1], math.cos(q[2]), math.sin(q[2])])
        return q, v
    if isinstance(joint_type, SinCosRevolute):
        if library == "rigidbodydynamics":
            return q, v
        return (q[::-1] if library == "pinocchio" else np.array([math.atan2(q[0], q[1])])), v
    if isinstance(joint_type, SPQuatFloating):
        q, v = _from_native(FLOATING, np.concatenate([q[:3], quat_from_stereographic(q[3:])]), v, library)
        return (np.concatenate([stereographic(q[:4]), q[4:]]) if library == "rigidbodydynamics" else q), v
    if not _turns(joint_type, library):
        return q, v
    scalar_last = library in ("pinocchio", "rdl")
    if isinstance(joint_type, Spherical):
        return (np.roll(q, -1) if scalar_last else q), matrix_from_quat(q).T @ v
    R = matrix_from_quat(q[3:])
    if library == "rigidbodydynamics":
        return np.concatenate([q[3:], q[:3]]), np.concatenate([R.T @ v[3:], R.T @ v[:3]])
    quat = np.roll(q[3:], -1) if scalar_last else q[3:]
    linear = R.T @ v[:3] if library == "pinocchio" else v[:3]
    return np.concatenate([q[:3], quat]), np.concatenate([linear, R.T @ v[3:]])
