"""Kinematics of many states of one model: poses and Jacobians."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rbdyn.arguments import as_vector, shown
from rbdyn.batch.running import Array, check_model, run
from rbdyn.errors import StateError

ANY_TURN = 3.0


def forward_kinematics(model: Any, q: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """World poses of all bodies at each configuration.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m]; quaternions are made of unit length, as by `State.set`.
    out : (n, n_bodies, 4, 4) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work; results do not depend on it.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    poses : (n, n_bodies, 4, 4) ndarray of float64
        Homogeneous, in the order of `Model.body_names`; each row has the bits of `rbdyn.forward_kinematics`.

    Raises
    ------
    StateError
        If a shape is wrong, a number not finite, or a quaternion far from unit length; the row is named.
    """
    check_model(model)
    return _poses(model, q, model.placement_rows(), out, threads, errors)


def frame_poses(
    model: Any, q: Any, frames: Iterable[Any], *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """World poses of some bodies or frames, merged bodies included, at each configuration.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    frames : sequence of str, RigidBody or CartesianFrame
        Which, k of them.
    out : (n, k, 4, 4) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    poses : (n, k, 4, 4) ndarray of float64

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    StateError
        As `forward_kinematics` does.
    """
    check_model(model)
    if isinstance(frames, (str, bytes)) or not isinstance(frames, Iterable):
        raise StateError(f"frames must be a sequence of bodies or frames, got {shown(frames)}")
    spots = model.placement_rows(list(frames))
    spots[:, 1:3] = ANY_TURN, 1.0  # as of a single state: products, whatever the turn
    return _poses(model, q, spots, out, threads, errors)


def _poses(model: Any, q: Any, spots: Array, out: Any, threads: int, errors: str) -> Array:
    return run("frame_poses", model, q, shape=(len(spots), 4, 4), spots=spots, out=out, threads=threads, errors=errors)


def point_jacobian(
    model: Any, q: Any, body: Any, point: Any = None, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """Jacobian of a point fixed to a body at each configuration.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.
    out : (n, 3, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    J : (n, 3, nv) ndarray of float64
        J v is the point's velocity in world axes [m/s]; each row has the bits of `rbdyn.point_jacobian`.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    StateError
        As `forward_kinematics` does.
    """
    return _jacobian("point_jacobian", 3, model, q, body, point, out, threads, errors)


def point_jacobian_6d(
    model: Any, q: Any, body: Any, point: Any = None, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """Jacobian of a frame at a point fixed to a body, with the world's axes, at each configuration.

    Parameters
    ----------
    model, q, body, point, out, threads, errors
        As for `point_jacobian`; `out` has shape (n, 6, nv).

    Returns
    -------
    J : (n, 6, nv) ndarray of float64
        J v is the body's angular velocity and the point's linear velocity, in world axes [rad/s, m/s].
    """
    return _jacobian("point_jacobian_6d", 6, model, q, body, point, out, threads, errors)


def body_spatial_jacobian(
    model: Any, q: Any, body: Any, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """Jacobian of a body's twist, in the body's frame at its origin, at each configuration.

    Parameters
    ----------
    model, q, body, out, threads, errors
        As for `point_jacobian`; `out` has shape (n, 6, nv).

    Returns
    -------
    J : (n, 6, nv) ndarray of float64
        J v is the body's twist relative to the world, angular part first, in the body's axes [rad/s, m/s].
    """
    return _jacobian("body_spatial_jacobian", 6, model, q, body, None, out, threads, errors)


def _jacobian(
    task: str, rows: int, model: Any, q: Any, body: Any, point: Any, out: Any, threads: int, errors: str
) -> Array:
    check_model(model)
    place = np.zeros(3) if point is None else as_vector(point, 3, "point", "[m]", error=StateError)
    spots = model.placement_rows([body], place)
    return run(task, model, q, shape=(rows, model.nv), spots=spots, out=out, threads=threads, errors=errors)
