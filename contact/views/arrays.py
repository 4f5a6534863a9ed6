"""Checked arrays for `Problem`: what came, what was needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.contact.laws import LAW_NAMES
from rbdyn.errors import ContactError

STATE_VERSION = 2  # of what ContactSolver.get_state returns

Block = tuple[str, int, float, float, float, int]
KEY = np.dtype([("source", np.uint32), ("id_a", np.uint32), ("id_b", np.uint32), ("feature", np.uint32)])


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
    """(n,) of KEY; None means all zero; whole numbers below 2^64 fill id_a and id_b."""
    packed = np.zeros(n, KEY)
    if value is None:
        return packed
    given = np.asarray(value)
    if given.shape == (n,) and given.dtype == KEY:
        return given.copy()
    if given.shape != (n,) or (n and given.dtype.kind not in "iu") or (given.dtype.kind == "i" and (given < 0).any()):
        raise ContactError(f"key must hold {n} whole numbers >= 0, or records of {KEY.names}, got {value!r:.200}")
    number = given.astype(np.uint64)
    packed["id_a"], packed["id_b"] = number >> np.uint64(32), number & np.uint64(0xFFFFFFFF)
    return packed


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
    if step < 0.0:
        raise ContactError(f"dt must be >= 0 [s], 0 for a problem that is no step of a simulation, got {step!r}")
    arrays = {"n": n, "n_cones": n, "n_rows": 3 * n, "v_free": v.ravel(), "frame": R, "dt": step}
    return arrays | {"blocks": [("cone", 3, float(m), 0.0, 0.0, -1) for m in mu], "key": keys(key, n)} | no_lines(0)


def with_target(arrays: dict[str, Any], target: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    """The same and the targets that v_free is less of, of its shape."""
    value = np.zeros(shape) if target is None else numbers(target, shape, "target", "[m/s]")
    return arrays | {"target": np.ascontiguousarray(value).ravel()}


def no_lines(rows: int) -> dict[str, Any]:
    """Rows that are no cone's, without bodies or entries."""
    start = np.zeros(rows + 1, np.intc)
    return {"entry_start": start, "entry_coordinate": np.zeros(0, np.intc), "entry_y": np.zeros(0)}


def from_blocks(blocks: Any, delassus: Any, v_free: Any, dt: Any, key: Any) -> dict[str, Any]:
    """Arrays of a problem of any laws, given by its matrix."""
    rows = len(numbers(v_free, (None,), "v_free", "[m/s]"))
    return from_rows(blocks, factor(numbers(delassus, (rows, rows), "delassus", "[1/kg]")), v_free, dt, key)


def from_rows(blocks: Any, columns: Any, v_free: Any, dt: Any, key: Any) -> dict[str, Any]:
    """Arrays of a problem of any laws, given by its rows."""
    checked = [block_of(value, i) for i, value in enumerate(blocks)]
    cones = sum(law == "cone" for law, *_ in checked)
    if any(law != "cone" for law, *_ in checked[:cones]):
        raise ContactError("blocks: cones come first, then the blocks of other laws")
    check_discs(checked, cones)
    rows = sum(block[1] for block in checked)
    arrays = common(np.zeros((cones, 3)), 0.0, dt, None, None)
    v = numbers(v_free, (rows,), "v_free", "[m/s]")
    Y = numbers(columns, (rows, None), "rows", "[kg^-1/2]")
    arrays |= {"n": len(checked), "n_rows": rows, "blocks": checked, "key": keys(key, len(checked)), "v_free": v}
    arrays |= bodies([], np.zeros((0, 3, 3))) | sides(cones, 0, None, None, None, None)
    arrays |= rows_of(Y[: 3 * cones].reshape(cones, 3, Y.shape[1]))
    return arrays | lines_of(Y[3 * cones :])


def check_discs(blocks: list[Block], cones: int) -> None:
    """ContactError unless discs come last, and have a cone as their partner."""
    for i, (law, rows, *_, partner) in enumerate(blocks):
        if law != "disc" and i > 0 and blocks[i - 1][0] == "disc":
            raise ContactError("blocks: discs come last, behind the blocks of all other laws")
        if law == "disc" and not (0 <= partner < cones and rows <= 2):
            raise ContactError(f"blocks[{i}], a disc: rows must be 1 or 2, partner one of the {cones} cones, got rows "
                               f"{rows}, partner {partner}")


def lines_of(Y: np.ndarray) -> dict[str, Any]:
    """The nonzero entries of each row."""
    used = [np.flatnonzero(row) for row in Y]
    return {
        "entry_start": np.concatenate([[0], np.cumsum([len(k) for k in used])]).astype(np.intc),
        "entry_coordinate": np.concatenate([np.zeros(0, np.intc), *used]).astype(np.intc),
        "entry_y": np.concatenate([np.zeros(0), *(row[k] for row, k in zip(Y, used, strict=True))]),
    }


def block_of(value: Any, i: int) -> Block:
    """(law, rows, a, b, compliance, partner) of blocks[i], a dict."""
    allowed = {"cone": {"friction"}, "unilateral": {"rows"}, "bilateral": {"rows"}, "box": {"rows", "low", "high"}}
    allowed["disc"] = {"rows", "friction", "partner"}
    if not isinstance(value, dict) or value.get("law") not in LAW_NAMES:
        raise ContactError(f"blocks[{i}] must be a dict with 'law', one of {LAW_NAMES}, got {value!r:.200}")
    law = value["law"]
    if wrong := set(value) - {"law", "compliance"} - allowed[law]:
        known = sorted({*allowed[law], "compliance"})
        raise ContactError(f"blocks[{i}], a {law}, has {sorted(map(str, wrong))}; known: {known}")
    rows = 3 if law == "cone" else value.get("rows", 1)
    if type(rows) is not int or not 1 <= rows <= 6:
        raise ContactError(f"blocks[{i}]: rows must be a whole number from 1 to 6, got {rows!r:.100}")
    a, b = (float(numbers(value.get(k, 0.0), (), f"blocks[{i}]: {k}")) for k in ("low", "high"))
    if law in ("cone", "disc"):
        a = float(numbers(value.get("friction", 0.0), (), f"blocks[{i}]: friction"))
    soft = float(numbers(value.get("compliance", 0.0), (), f"blocks[{i}]: compliance", "[1/kg]"))
    if soft < 0.0 or (law in ("cone", "disc") and a < 0.0) or (law == "box" and not a <= 0.0 <= b):
        raise ContactError(f"blocks[{i}]: compliance and friction must be >= 0, low <= 0 <= high, got {value!r:.200}")
    partner = value.get("partner", -1)
    if type(partner) is not int:
        raise ContactError(f"blocks[{i}]: partner must be the number of a cone, got {partner!r:.100}")
    return law, rows, a, b, soft, partner


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


def checked_state(state: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """(key, impulse, block_key, block_rows, row_impulse, parity) of a solver state, or ContactError."""
    if not isinstance(state, dict) or state.get("version") != STATE_VERSION:
        raise ContactError(f"state must be a dict made by get_state() with version {STATE_VERSION}, got {state!r:.200}")
    parity = state.get("parity")
    try:
        key, block_key = np.array(state["key"], KEY, order="C"), np.array(state["block_key"], KEY, order="C")
        impulse = np.array(state["impulse"], dtype=np.float64, order="C")
        rows = np.array(state["block_rows"], dtype=np.intc, order="C")
        row_impulse = np.array(state["row_impulse"], dtype=np.float64, order="C")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ContactError(f"state['key'], ['impulse'], ['block_key'], ['block_rows'] and ['row_impulse'] must be "
                           f"arrays as get_state() makes them: {error!r:.200}") from None
    if type(parity) is not int or parity not in (0, 1):
        raise ContactError(f"state['parity'] must be 0 or 1, got {parity!r:.100}")
    if key.ndim != 1 or impulse.shape != (len(key), 3) or not np.isfinite(impulse).all():
        raise ContactError(f"state['key'] (m,) and state['impulse'] (m, 3) must be finite and of one length, "
                           f"got shapes {key.shape} and {impulse.shape}")
    sound = block_key.ndim == 1 and rows.shape == block_key.shape and (rows > 0).all()
    if not (sound and row_impulse.shape == (int(rows.sum(dtype=np.int64)),) and np.isfinite(row_impulse).all()):
        raise ContactError("state['block_key'] and ['block_rows'] must be of one length, ['row_impulse'] hold as many "
                           "finite numbers as these rows")
    for name, keys_ in (("key", key), ("block_key", block_key)):
        listed = [tuple(int(x) for x in k) for k in keys_]
        if any(not any(k) for k in listed) or any(a >= b for a, b in zip(listed, listed[1:], strict=False)):
            raise ContactError(f"state['{name}'] must ascend and hold no 0")
    return key, impulse, block_key, rows, row_impulse, parity
