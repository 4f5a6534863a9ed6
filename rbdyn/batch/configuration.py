"""Moving many configurations of one model on their manifold."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.arguments import number
from rbdyn.arguments.values import choice
from rbdyn.batch.instruction_sets import lanes_of
from rbdyn.batch.running import ERRORS, Array, check_model, check_out, in_shares, rows_of
from rbdyn.errors import StateError


def integrate(
    model: Any, q: Any, v: Any, dt: float = 1.0, *, out: Any = None, threads: int = 1, errors: str = "raise"
) -> Array:
    """The configuration after moving with constant v for a time dt, of each row.

    Parameters
    ----------
    model : Model
        Of a tree.
    q : (n, nq) array_like
        Where to start; quaternions [w, x, y, z] and pairs [sine, cosine] of unit length.
    v : (n, nv) array_like
        Velocities.
    dt : float
        Duration [s].
    out : (n, nq) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work; results do not depend on it.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    q_next : (n, nq) ndarray of float64
        Each row has the bits of `rbdyn.integrate`.

    Raises
    ------
    StateError
        If a shape is wrong, a number not finite, or a quaternion not of unit length; the row is named.
    """
    check_model(model)
    step = number(dt, "dt", unit="[s]", error=StateError)
    checked = choice(errors, "errors", ERRORS, error=StateError) == "raise"
    start = rows_of(q, (None, model.nq), "q", checked)
    speed = rows_of(v, (len(start), model.nv), "v", checked)
    far = _far(model, start, "q", checked)
    result = np.empty_like(start)

    def work(lanes: Any, first: int, end: int) -> None:
        lanes.integrated(start[first:end], speed[first:end], step, result[first:end])

    in_shares(model, len(start), threads, work)
    _check_finite(result, far, checked)
    return _written(result, out)


def difference(model: Any, q0: Any, q1: Any, *, out: Any = None, threads: int = 1, errors: str = "raise") -> Array:
    """The velocity that leads from q0 to q1 in unit time, of each row.

    Parameters
    ----------
    model : Model
        Of a tree.
    q0, q1 : (n, nq) array_like
        From, to.
    out : (n, nv) ndarray of float64, optional
        Written and returned.
    threads : int
        How many work.
    errors : {"raise", "nan"}
        Whether a bad row raises, or is NaN in the results.

    Returns
    -------
    v : (n, nv) ndarray of float64
        Each row has the bits of `rbdyn.difference`.

    Raises
    ------
    StateError
        As `integrate` does.
    """
    check_model(model)
    checked = choice(errors, "errors", ERRORS, error=StateError) == "raise"
    a = rows_of(q0, (None, model.nq), "q0", checked)
    b = rows_of(q1, (len(a), model.nq), "q1", checked)
    far = _far(model, a, "q0", checked) + _far(model, b, "q1", checked)
    result = np.empty((len(a), model.nv))

    def work(lanes: Any, first: int, end: int) -> None:
        lanes.differences(a[first:end], b[first:end], result[first:end])

    in_shares(model, len(a), threads, work)
    _check_finite(result, far, checked)
    return _written(result, out)


def _far(model: Any, q: Array, name: str, checked: bool) -> list[int]:
    """Rows with a quaternion that is not of unit length; with `checked`, StateError that names the first."""
    lanes, found, row = lanes_of("scalar").Lanes(model.capsule()), [], -1
    while (row := row + 1 + lanes.first_far(q[row + 1 :])) < len(q):
        if checked:
            text = "holds a quaternion, or a pair [sine, cosine], that is not of unit length, in row"
            raise StateError(f"{name} {text} {row}")
        found.append(row)
    return found


def _check_finite(result: Array, far: list[int], checked: bool) -> None:
    """StateError for a result that is not finite; or such rows, and those of `far`, become NaN."""
    bad = ~np.isfinite(result).all(axis=1)
    if checked and bad.any():
        row, k = np.argwhere(~np.isfinite(result))[0].tolist()
        came = f"number {k} of the result came out as {result[row, k]}"
        raise StateError(f"row {row}: {came}: the state, or an argument, is too large for float64")
    result[bad] = result[far] = np.nan


def _written(result: Array, out: Any) -> Array:
    if out is None:
        return result
    check_out(out, result.shape)
    out[...] = result
    return out
