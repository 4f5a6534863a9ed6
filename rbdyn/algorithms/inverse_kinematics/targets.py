"""Target poses: what `inverse_kinematics` accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdyn.arguments import as_vector, plain_array, shown
from rbdyn.errors import Error
from rbdyn.mechanism.body import RigidBody
from rbdyn.model.model import Model
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

Body = str | RigidBody | CartesianFrame


@dataclass(frozen=True)
class Target:
    """Where one frame shall be: a body's axes, with the origin at a point of the body.

    Parameters
    ----------
    body : str, RigidBody or CartesianFrame
        Which body or frame.
    point : (3,) ndarray
        Origin of the frame that is aimed, in the body's frame [m].
    position : (3,) ndarray, optional
        Where its origin shall be in the world [m]; anywhere if None.
    rotation : (3, 3) ndarray, optional
        The rotation from its axes to the world's that it shall have; any if None.
    weights : (2,) ndarray
        What a metre and what a radian of error count for.
    """

    body: Body
    point: Array
    position: Array | None
    rotation: Array | None
    weights: Array


def read_targets(model: Model, bodies: Any, points: Any, targets: Any, weights: Any) -> list[Target]:
    """What a user gives: one body with its point and target, or as many of each."""
    if isinstance(bodies, (str, RigidBody, CartesianFrame)):
        bodies, points, targets = [bodies], [points], [targets]
        weights = None if weights is None else [weights]
    names = _listed(bodies, None, "bodies")
    n = len(names)
    if not n:
        raise Error("bodies must name at least one body, got none")
    point_list = [None] * n if points is None else _listed(points, n, "points")
    target_list = _listed(targets, n, "targets")
    weight_list = [1.0] * n if weights is None else _listed(weights, n, "weights")
    return [
        _target(model, *item, k) for k, item in enumerate(zip(names, point_list, target_list, weight_list, strict=True))
    ]


def _listed(x: Any, n: int | None, name: str) -> list[Any]:
    """`x` as a list, of n items if n is given."""
    if isinstance(x, (str, bytes, dict, set, Transform)) or not hasattr(x, "__len__") or getattr(x, "ndim", 1) == 0:
        raise Error(f"{name} must be a sequence, one item for each body, got {shown(x)}")
    items = list(x)
    if n is not None and len(items) != n:
        raise Error(f"{name} must have {n} items, one for each body, got {len(items)}")
    return items


def _target(model: Model, body: Any, point: Any, target: Any, weight: Any, k: int) -> Target:
    model.body_of(body)  # UnknownNameError if there is no such body
    at = np.zeros(3) if point is None else as_vector(point, 3, f"points[{k}]", "[m]")
    position, rotation = _pose(target, f"targets[{k}]")
    return Target(body, at, position, rotation, _weights(weight, f"weights[{k}]"))


def _weights(x: Any, name: str) -> Array:
    """One number, or one for position and one for rotation."""
    pair = as_vector([x, x] if plain_array(x, name).ndim == 0 else x, 2, name)
    if not (pair > 0.0).all():
        raise Error(f"{name} must be positive, got {pair.tolist()}")
    return pair


def _pose(x: Any, name: str) -> tuple[Array | None, Array | None]:
    """Position and rotation that a target asks for."""
    if isinstance(x, Transform):
        return x.translation, x.rotation
    try:
        shape = np.shape(x)
    except ValueError:
        shape = (-1,)
    if shape == (3,):
        return as_vector(x, 3, name, "[m]"), None
    if shape not in ((3, 3), (4, 4)):
        kinds = "a position (3,), a rotation (3, 3), a pose (4, 4) or a Transform"
        raise Error(f"{name} must be {kinds}, got {shown(x)}")
    matrix = np.asarray(x)
    try:
        if shape == (3, 3):
            return None, Transform(rotation=matrix).rotation
        if matrix.dtype.kind in "fiu" and np.abs(matrix[3] - (0, 0, 0, 1)).max() > 1e-9:
            raise Error(f"the last row must be 0, 0, 0, 1, got {matrix[3].tolist()}")
        pose = Transform(rotation=matrix[:3, :3], translation=matrix[:3, 3])
    except Error as error:
        raise Error(f"{name}: {error}") from None
    return pose.translation, pose.rotation
