"""Derivatives of the dynamics of many states of one model."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.batch.running import Array, check_model, check_out, run
from rbdyn.errors import StateError


def inverse_dynamics_derivatives(
    model: Any, q: Any, v: Any, vd: Any, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> tuple[Array, Array, Array]:
    """Derivatives of `inverse_dynamics` with respect to configuration, velocity and acceleration, at each state.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m]; quaternions are made of unit length, as by `State.set`.
    v, vd : (n, nv) array_like
        Velocities and accelerations.
    out : tuple of three (n, nv, nv) ndarrays of float64, optional
        Written and returned.
    threads : int
        How many work; results do not depend on it.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    dtau_dq, dtau_dv, dtau_dvd : (n, nv, nv) ndarrays of float64
        dtau_dq is along `integrate`; dtau_dvd is the mass matrix.  Each row has the bits of
        `rbdyn.inverse_dynamics_derivatives`.

    Raises
    ------
    StateError
        If a shape is wrong, a number not finite, or a quaternion far from unit length; the row is named.
    """
    return _three("inverse_dynamics_derivatives", model, q, v, vd, "vd", out, threads, errors)


def forward_dynamics_derivatives(
    model: Any, q: Any, v: Any, tau: Any, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> tuple[Array, Array, Array]:
    """Derivatives of `forward_dynamics` with respect to configuration, velocity and forces, at each state.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v, tau : (n, nv) array_like
        Velocities, and forces [N m or N].
    out : tuple of three (n, nv, nv) ndarrays of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    dvd_dq, dvd_dv, dvd_dtau : (n, nv, nv) ndarrays of float64
        dvd_dtau is the inverse of the mass matrix.

    Raises
    ------
    StateError
        As `inverse_dynamics_derivatives` does; also where rounding leaves no digit, far from the root.
    MechanismError
        If forces move a joint that no inertia is on, at some row; the row and the joint are named.
    """
    return _three("forward_dynamics_derivatives", model, q, v, tau, "tau", out, threads, errors)


def _three(
    task: str, model: Any, q: Any, v: Any, x: Any, name: str, out: Any, threads: int, errors: str
) -> tuple[Array, Array, Array]:
    check_model(model)
    nv = model.nv
    if out is not None and not (isinstance(out, tuple) and len(out) == 3):
        raise StateError(f"out must be a tuple of three arrays, got {shown(out)}")
    made = run(task, model, q, v, x, name, shape=(3, nv, nv), threads=threads, errors=errors)
    if out is None:
        return made[:, 0], made[:, 1], made[:, 2]
    for k, one in enumerate(out):
        check_out(one, (len(made), nv, nv), f"out[{k}]")
    if any(np.shares_memory(out[j], out[k]) for j, k in ((0, 1), (0, 2), (1, 2))):
        raise StateError("out must be three arrays that do not overlap")
    for k, one in enumerate(out):
        one[...] = made[:, k]
    return out
