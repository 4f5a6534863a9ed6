"""Checked arrays for `Problem`: what came, what was needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.errors import ContactError

STATE_VERSION = 1  # of what ContactSolver.get_state returns


def numbers(value: Any, shape: tuple[int | None, ...], name: str, unit: str = "") -> np.ndarray:
    """A fresh float64 array of that shape (None: any length), finite, or ContactError naming it."""
    need = "(" + ", ".join("?" if k is None else str(k) for k in shape) + ("," if len(shape) == 1 else "") + ")"
    try:
        given = np.asarray(value)
    except ValueError:
        raise ContactError(f"{name} must be an array of shape {need} {unit}, got a ragged sequence") from None
    if given.dtype.kind not in "iuf" and given.size:
        raise ContactError(f"{name} must hold real numbers {unit}, got {given.dtype} values")
    if given.ndim != len(shape) or any(k is not None and k != m for k, m in zip(shape, given.shape, strict=True)):
        raise ContactError(f"{name} must have shape {need} {unit}, got {given.shape}")
    array = np.array(given, dtype=np.float64, order="C")
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ContactError(f"{name} must be finite {unit}, got {array[where]!r} at index {where}")
    return array


def indices(value: Any, n: int, bodies: int, name: str) -> np.ndarray:
    """(n,) C ints between -1 and bodies - 1; None means all -1."""
    if value is None:
        return np.full(n, -1, np.intc)
    array = numbers(value, (n,), name)
    if (array != np.round(array)).any() or (array < -1).any() or (array >= bodies).any():
        got = repr(array.tolist())[:200]
        raise ContactError(f"{name} must hold whole numbers from -1 (none) to {bodies - 1}, got {got}")
    return array.astype(np.intc)


def keys(value: Any, n: int) -> np.ndarray:
    """(n,) uint64; None means all 0."""
    if value is None:
        return np.zeros(n, np.uint64)
    given = np.asarray(value)
    if given.shape != (n,) or (n and given.dtype.kind not in "iu") or (given.dtype.kind == "i" and (given < 0).any()):
        raise ContactError(f"key must hold {n} whole numbers >= 0, got {value!r:.200}")
    return np.ascontiguousarray(given, dtype=np.uint64)


def common(v_free: Any, friction: Any, dt: Any, frame: Any, key: Any) -> dict[str, Any]:
    """The arrays that every problem has."""
    v = numbers(v_free, (None, 3), "v_free", "[m/s]")
    n = len(v)
    mu = numbers(np.full(n, friction) if np.ndim(friction) == 0 else friction, (n,), "friction")
    if (mu < 0).any():
        raise ContactError(f"friction must be >= 0, got {float(mu.min())!r}")
    R = numbers(np.tile(np.eye(3), (n, 1, 1)) if frame is None else frame, (n, 3, 3), "frame")
    if n and np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() > 1e-9:
        raise ContactError("frame must hold orthonormal axes: rows t1, t2, normal of each contact")
    step = float(numbers(dt, (), "dt", "[s]"))
    if step <= 0.0:
        raise ContactError(f"dt must be positive [s], got {step!r}")
    arrays = {"n": n, "v_free": v, "friction": mu, "frame": R, "dt": step, "key": keys(key, n)}
    return arrays | {"impulse": np.zeros((n, 3))}


def from_delassus(delassus: Any, v_free: Any, friction: Any, dt: Any, frame: Any, key: Any) -> dict[str, Any]:
    """Arrays of a problem given by its matrix."""
    arrays = common(v_free, friction, dt, frame, key)
    n = arrays["n"]
    Y = factor(numbers(delassus, (3 * n, 3 * n), "delassus", "[1/kg]"))
    arrays |= bodies([], np.zeros((0, 3, 3))) | sides(n, 0, None, None, None, None)
    return arrays | rows_of(Y.reshape(n, 3, Y.shape[1]))


def from_bodies(inverse_mass: Any, inverse_inertia: Any, frame: Any, v_free: Any, friction: Any, single_a: Any,
                arm_a: Any, single_b: Any, arm_b: Any, rows: Any, dt: Any, key: Any) -> dict[str, Any]:
    """Arrays of a problem given by its bodies."""
    arrays = common(v_free, friction, dt, frame, key)
    n = arrays["n"]
    y = np.zeros((n, 3, 0)) if rows is None else numbers(rows, (n, 3, None), "rows", "[kg^-1/2]")
    arrays |= bodies(inverse_mass, inverse_inertia)
    return arrays | sides(n, len(arrays["inverse_mass"]), single_a, arm_a, single_b, arm_b) | rows_of(y)


def bodies(inverse_mass: Any, inverse_inertia: Any) -> dict[str, np.ndarray]:
    """inverse_mass (m,) and inverse_inertia (m, 6)."""
    mass = numbers(inverse_mass, (None,), "inverse_mass", "[1/kg]")
    inertia = numbers(inverse_inertia, (len(mass), 3, 3), "inverse_inertia", "[1/(kg m^2)]")
    scale = np.abs(inertia).max(axis=(1, 2), initial=0.0)
    if (mass < 0).any():
        raise ContactError(f"inverse_mass must be >= 0 [1/kg], got {float(mass.min())!r}")
    if (np.abs(inertia - inertia.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > 1e-9 * scale).any():
        raise ContactError("inverse_inertia must be symmetric [1/(kg m^2)]")
    if len(mass) and (np.linalg.eigvalsh(inertia).min(axis=1) < -1e-9 * scale).any():
        raise ContactError("inverse_inertia must be positive semi-definite [1/(kg m^2)]")
    packed = inertia[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return {"inverse_mass": mass, "inverse_inertia": np.ascontiguousarray(packed)}


def sides(n: int, m: int, single_a: Any, arm_a: Any, single_b: Any, arm_b: Any) -> dict[str, np.ndarray]:
    """Which body and which arm on either side of each contact."""
    zeros = np.zeros((n, 3))
    return {
        "single_a": indices(single_a, n, m, "single_a"),
        "single_b": indices(single_b, n, m, "single_b"),
        "arm_a": numbers(zeros if arm_a is None else arm_a, (n, 3), "arm_a", "[m]"),
        "arm_b": numbers(zeros if arm_b is None else arm_b, (n, 3), "arm_b", "[m]"),
    }


def rows_of(Y: np.ndarray) -> dict[str, Any]:
    """The nonzero columns of each contact's (3, k) block."""
    used = [np.flatnonzero(block.any(axis=0)) for block in Y]
    columns = [block[:, k].T for block, k in zip(Y, used, strict=True)]
    start = np.concatenate([[0], np.cumsum([len(k) for k in used])]).astype(np.intc)
    return {
        "n_coordinates": Y.shape[2],
        "row_start": start,
        "coordinate": np.concatenate([np.zeros(0, np.intc), *used]).astype(np.intc),
        "columns": np.ascontiguousarray(np.concatenate([np.zeros((0, 3)), *columns])),
    }


def factor(G: np.ndarray) -> np.ndarray:
    """Y (3n, rank) with G = Y Y^T, by Cholesky with diagonal pivoting (Higham, Accuracy and Stability, 10.3).

    ContactError if G is not symmetric and positive semi-definite to 1e-9 of its largest entry.
    """
    scale = float(np.abs(G).max(initial=0.0))
    if np.abs(G - G.T).max(initial=0.0) > 1e-9 * scale:
        raise ContactError("delassus must be symmetric [1/kg]")
    S = 0.5 * (G + G.T)
    Y = np.zeros((len(G), len(G)))
    rank = 0
    while rank < len(G):
        k = int(np.argmax(S.diagonal()))
        if S[k, k] <= 1e-14 * len(G) * scale:
            break
        Y[:, rank] = S[:, k] / np.sqrt(S[k, k])
        S -= np.outer(Y[:, rank], Y[:, rank])
        S[k, :] = S[:, k] = 0.0
        rank += 1
    if np.abs(S).max(initial=0.0) > 1e-9 * scale:
        raise ContactError("delassus must be positive semi-definite [1/kg]")
    return Y[:, :rank]


def checked_state(state: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """(key, impulse, parity) of a solver state, or ContactError."""
    if not isinstance(state, dict) or state.get("version") != STATE_VERSION:
        raise ContactError(f"state must be a dict made by get_state() with version {STATE_VERSION}, got {state!r:.200}")
    parity = state.get("parity")
    try:
        key = np.array(state["key"], dtype=np.uint64, order="C")
        impulse = np.array(state["impulse"], dtype=np.float64, order="C")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ContactError(f"state['key'] and state['impulse'] must be arrays of numbers: {error!r}") from None
    if type(parity) is not int or parity not in (0, 1):
        raise ContactError(f"state['parity'] must be 0 or 1, got {parity!r}")
    if key.ndim != 1 or impulse.shape != (len(key), 3) or not np.isfinite(impulse).all():
        raise ContactError(f"state['key'] (m,) and state['impulse'] (m, 3) must be finite and of one length, "
                           f"got shapes {key.shape} and {impulse.shape}")
    if len(key) and (key[0] == 0 or (key[1:] <= key[:-1]).any()):
        raise ContactError("state['key'] must ascend and hold no 0")
    return key, impulse, parity
