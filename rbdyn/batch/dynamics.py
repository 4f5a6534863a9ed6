"""Dynamics of many states of one model."""

from __future__ import annotations

from typing import Any

from rbdyn.batch.running import Array, check_model, run


def inverse_dynamics(
    model: Any, q: Any, v: Any, vd: Any, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """Forces that accelerate each state: M(q) vd + h(q, v), by RNEA.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m]; quaternions are made of unit length, as by `State.set`.
    v, vd : (n, nv) array_like
        Velocities and accelerations.
    out : (n, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work; results do not depend on it.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    tau : (n, nv) ndarray of float64
        [N m or N].  Each row has the bits of `rbdyn.inverse_dynamics` of that state.

    Raises
    ------
    StateError
        If a shape is wrong, a number not finite, or a quaternion far from unit length; the row is named.
    """
    check_model(model)
    return run("inverse_dynamics", model, q, v, vd, "vd", shape=(model.nv,), out=out, threads=threads, errors=errors)


def forward_dynamics(
    model: Any, q: Any, v: Any, tau: Any, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """Accelerations of each state under forces, by ABA.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v, tau : (n, nv) array_like
        Velocities, and forces [N m or N].
    out : (n, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    vd : (n, nv) ndarray of float64
        [rad/s^2 or m/s^2].

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    MechanismError
        If forces move a joint that no inertia is on, at some row; the row and the joint are named.
    """
    check_model(model)
    return run("forward_dynamics", model, q, v, tau, "tau", shape=(model.nv,), out=out, threads=threads, errors=errors)


def bias_forces(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Coriolis, centrifugal and gravity forces h(q, v) of each state.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v : (n, nv) array_like
        Velocities.
    out : (n, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    h : (n, nv) ndarray of float64
        [N m or N].

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    check_model(model)
    return run("inverse_dynamics", model, q, v, shape=(model.nv,), out=out, threads=threads, errors=errors)


def mass_matrix(model: Any, q: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Mass matrix of each state, by CRBA.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    out : (n, nv, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    M : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    check_model(model)
    return run("mass_matrix", model, q, shape=(model.nv, model.nv), out=out, threads=threads, errors=errors)


def inverse_mass_matrix(model: Any, q: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Inverse of the mass matrix of each state.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    out : (n, nv, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    M_inverse : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    MechanismError
        If forces move a joint that no inertia is on, at some row; the row and the joint are named.
    """
    check_model(model)
    return run("inverse_mass_matrix", model, q, shape=(model.nv, model.nv), out=out, threads=threads, errors=errors)


def coriolis_matrix(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """C(q, v) of each state, with the rate of M less 2 C skew.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v : (n, nv) array_like
        Velocities.
    out : (n, nv, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    C : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    check_model(model)
    return run("coriolis_matrix", model, q, v, shape=(model.nv, model.nv), out=out, threads=threads, errors=errors)
