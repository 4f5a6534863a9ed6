"""Algorithms on many states of one model: arrays with a row for each, by the widest kernels that the processor has."""

from __future__ import annotations

import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import as_array, shown, whole
from rbdyn.batch.processor import instructions
from rbdyn.errors import Error, MechanismError, StateError

Array = NDArray[np.float64]
MODULES = {"avx512": "lanes8_avx512", "avx2": "lanes4_avx2", "base": "lanes4", "scalar": "lanes1"}
SHARE = 64  # rows that a thread is given at least


def available() -> tuple[str, ...]:
    """Instruction sets that can be used here, the one that is used first.

    Returns
    -------
    names : tuple of str
        Of "avx512", "avx2", "base" and "scalar".
    """
    there = [*(name for name in instructions() if name != "base"), "scalar", "base"]
    return tuple(name for name in there if _has(name))


def _has(name: str) -> bool:
    return importlib.util.find_spec(f"rbdyn.batch.{MODULES[name]}") is not None


def isa() -> str:
    """Which instruction set is used: the widest there is, or what RBDYN_ISA says; results do not differ."""
    there, forced = available(), os.environ.get("RBDYN_ISA")
    if forced is None:
        return there[0]
    if forced not in there:
        raise Error(f"RBDYN_ISA must be one of {', '.join(there)} on this machine, got {shown(forced)}")
    return forced


@cache
def _lanes(name: str) -> Any:
    return importlib.import_module(f"rbdyn.batch.{MODULES[name]}")


def inverse_dynamics(model: Any, q: Any, v: Any, vd: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    tau : (n, nv) ndarray of float64
        [N m or N].  Each row has the bits of `rbdyn.inverse_dynamics` of that state.

    Raises
    ------
    StateError
        If a shape is wrong, a number not finite, or a quaternion far from unit length; the row is named.
    """
    return _run("inverse_dynamics", model, q, v, vd, "vd", out, threads)


def forward_dynamics(model: Any, q: Any, v: Any, tau: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    vd : (n, nv) ndarray of float64
        [rad/s^2 or m/s^2].

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    return _run("forward_dynamics", model, q, v, tau, "tau", out, threads)


def bias_forces(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    h : (n, nv) ndarray of float64
        [N m or N].

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    return _run("inverse_dynamics", model, q, v, None, "", out, threads)


def mass_matrix(model: Any, q: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    M : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    return _run("mass_matrix", model, q, None, None, "", out, threads)


def inverse_mass_matrix(model: Any, q: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    M_inverse : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    return _run("inverse_mass_matrix", model, q, None, None, "", out, threads)


def coriolis_matrix(model: Any, q: Any, v: Any, *, out: Any = None, threads: int = 1) -> Array:
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

    Returns
    -------
    C : (n, nv, nv) ndarray of float64

    Raises
    ------
    StateError
        As `inverse_dynamics` does.
    """
    return _run("coriolis_matrix", model, q, v, None, "", out, threads)


def _rows(x: Any, shape: tuple[int | None, int], name: str) -> Array:
    """C-contiguous finite float64 rows: the array itself if it is that; DLPack arrays of the CPU without a copy."""
    if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__"):
        x = np.from_dlpack(x)
    if type(x) is np.ndarray and x.dtype == np.float64 and x.dtype.isnative and x.flags.c_contiguous:
        fits = x.ndim == 2 and x.shape[1] == shape[1] and shape[0] in (None, x.shape[0])
        if fits and x.flags.aligned and np.isfinite(x).all():
            return x
    return as_array(x, shape, name, error=StateError)


def _run(task: str, model: Any, q: Any, v: Any, x: Any, name: str, out: Any, threads: int) -> Array:
    """A task on all rows."""
    if not hasattr(model, "capsule"):
        raise StateError(f"model must be a Model, got {shown(model)}")
    if model.has_loops:
        raise MechanismError(f"rbdyn.batch works on trees, and mechanism {model.mechanism.name!r} has loop joints")
    threads, module = whole(threads, "threads", least=1, most=1024), _lanes(isa())
    rows_q = _rows(q, (None, model.nq), "q")
    n, nv = len(rows_q), model.nv
    rows_v = None if v is None else _rows(v, (n, nv), "v")
    rows_x = None if x is None else _rows(x, (n, nv), name)
    shape = (n, nv) if task.endswith("dynamics") else (n, nv, nv)
    flat = np.empty((n, int(np.prod(shape[1:]))))
    parts = max(1, min(threads, n // SHARE))
    edges = [n * k // parts for k in range(parts + 1)]


    def share(lanes: Any, some: slice) -> int:
        given = [None if rows is None else rows[some] for rows in (rows_v, rows_x)]
        return int(lanes.rows(task, rows_q[some], *given, flat[some]))

    def work(k: int) -> None:
        lanes = module.Lanes(model.capsule())
        done = share(lanes, slice(edges[k], edges[k + 1]))
        if done < edges[k + 1] - edges[k]:
            row = edges[k] + done  # of the block of lanes in which there is a bad one
            while row < n and share(lanes, slice(row, row + 1)):
                row += 1
            text = "q holds a quaternion, or a pair [sine, cosine], that is not of unit length, in row "
            raise StateError(f"{text}{row}")

    if parts == 1:
        work(0)
    else:
        with ThreadPoolExecutor(parts) as pool:
            list(pool.map(work, range(parts)))
    result = flat.reshape(shape)
    if out is None:
        return result
    if not (isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape and out.flags.writeable):
        raise StateError(f"out must be a writable float64 array of shape {shape}")
    out[...] = result
    return out
