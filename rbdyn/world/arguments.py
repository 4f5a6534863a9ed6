"""What comes into a World beside arrays and numbers: names and orientations, checked."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from rbdyn.arguments import as_array, shown
from rbdyn.errors import Error, StateError, unknown_name
from rbdyn.spatial.rotations import Array, check_unit, quat_from_matrix
from rbdyn.spatial.transform import Transform


def option(value: Any, kind: str, known: Collection[str]) -> str:
    """One of the names `known`; UnknownNameError otherwise."""
    if isinstance(value, str) and value in known:
        return str(value)
    raise unknown_name(kind, value if isinstance(value, str) else shown(value), known)


def meant(robot: Any, thing: Any) -> Any:
    """What a handle of `robot` stands for; names, and things of its mechanism, as they are."""
    if not hasattr(type(thing), "stands_for"):
        return thing
    if thing.robot is not robot:
        raise Error(f"{shown(thing)} is a handle of another robot, not of {robot.name!r}")
    return thing.stands_for


def label(value: Any, name: str) -> str:
    """A name, as a plain str; Error naming the argument if it is empty or none."""
    if not isinstance(value, str) or not value:
        raise Error(f"{name} must be a non-empty string, got {shown(value)}")
    return str(value)


def orientation(value: Any, name: str = "orientation") -> Array:
    """A unit quaternion [w, x, y, z] from one within 1e-3 of that length, or from a rotation matrix (3, 3).

    A quaternion of unit length stays as it is to the bit, sign included.
    """
    try:
        given = np.array(value)
    except ValueError:
        given = np.zeros(0)
    if given.shape == (3, 3):
        return quat_from_matrix(Transform(rotation=as_array(given, (3, 3), name)).rotation)
    if given.shape != (4,):
        raise Error(f"{name} must be a quaternion [w, x, y, z] or a rotation matrix (3, 3), got {shown(value)}")
    quat = as_array(given, (4,), name)
    squared = check_unit(quat, name)
    return quat if abs(squared - 1.0) < 1e-15 else quat / math.sqrt(squared)


def effort_limits(lower: object, upper: object, nv: int, of: str = "") -> tuple[Array, Array]:
    """Limits (nv,) of actuators, lower <= 0 <= upper, from one number each or one for each degree of freedom.

    Errors say `of` what they are.
    """
    low, high = _limit(lower, f"lower{of}", nv), _limit(upper, f"upper{of}", nv)
    for name, wrong, a in (("lower", ~(low <= 0.0), low), ("upper", ~(high >= 0.0), high)):
        if wrong.any():
            k, side = int(wrong.argmax()), "at most" if name == "lower" else "at least"
            at = name if of and nv == 1 else f"{name}[{k}]"
            both = f" (both ways: lower={-a[k]:g}, upper={a[k]:g})" if name == "lower" and not of else ""
            raise StateError(f"{at}{of} must be {side} 0, an actuator can always give nothing; got {a[k]}{both}")
    return low, high


def _limit(value: object, name: str, nv: int) -> Array:
    try:
        return np.ascontiguousarray(np.broadcast_to(np.array(value, dtype=float), (nv,)))
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{name} must be a number or {nv} of them [N m or N], got {shown(value)}") from None
