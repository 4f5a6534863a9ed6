"""Momentum, energies and centres of mass of many states of one model."""

from __future__ import annotations

from typing import Any

from rbdyn.batch.running import Array, check_model, run
from rbdyn.errors import MechanismError


def center_of_mass(model: Any, q: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Centre of mass of all moving bodies at each configuration.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m]; quaternions are made of unit length, as by `State.set`.
    out : (n, 3) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work; results do not depend on it.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    com : (n, 3) ndarray of float64
        World frame [m]; each row has the bits of `rbdyn.center_of_mass`.

    Raises
    ------
    MechanismError
        If the moving bodies have no mass.
    StateError
        If a shape is wrong, a number not finite, or a quaternion far from unit length; the row is named.
    """
    check_model(model)
    if not model.total_mass > 0.0:
        raise MechanismError(f"mechanism {model.mechanism.name!r} has no moving mass, so no centre of mass")
    return run("center_of_mass", model, q, shape=(3,), out=out, threads=threads, errors=errors)


def momentum(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Spatial momentum of all moving bodies about the world's origin, of each state.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v : (n, nv) array_like
        Velocities.
    out : (n, 6) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    h : (n, 6) ndarray of float64
        Angular momentum [kg m^2/s], then linear [kg m/s]; world axes.  Rotors not included.

    Raises
    ------
    StateError
        As `center_of_mass` does.
    """
    check_model(model)
    return run("momentum", model, q, v, shape=(6,), out=out, threads=threads, errors=errors)


def kinetic_energy(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Kinetic energy v^T M(q) v / 2 of each state, spinning rotors included.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    v : (n, nv) array_like
        Velocities.
    out : (n,) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    energy : (n,) ndarray of float64
        [J].

    Raises
    ------
    StateError
        As `center_of_mass` does.
    """
    check_model(model)
    return run("kinetic_energy", model, q, v, shape=(), out=out, threads=threads, errors=errors)


def potential_energy(model: Any, q: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """Potential energy of each configuration in the gravity of the model.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Configurations [rad or m].
    out : (n,) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    energy : (n,) ndarray of float64
        [J], zero with all mass at the world's origin.

    Raises
    ------
    StateError
        As `center_of_mass` does.
    """
    check_model(model)
    return run("potential_energy", model, q, shape=(), out=out, threads=threads, errors=errors)
