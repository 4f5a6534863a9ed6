"""Rows of arguments, checked and shared between threads, through the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import as_array, shown, whole
from rbdyn.arguments.values import choice
from rbdyn.batch.instruction_sets import isa, lanes_of
from rbdyn.errors import MechanismError, StateError

Array = NDArray[np.float64]
SHARE = 64  # rows that a thread is given at least
TURN = 8192  # rows that a thread does between two looks at signals
ERRORS = ("raise", "nan")
ABSENT = object()  # what a task does not take


def rows_of(x: Any, shape: tuple[int | None, int], name: str, checked: bool = True) -> Array:
    """C-contiguous finite float64 rows: the array itself if it is that; DLPack arrays of the CPU without a copy.

    Without `checked` they may hold what is not finite.
    """
    if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__"):
        if callable(resolve := getattr(x, "resolve_neg", None)):  # of torch, whose export forgets such a bit
            x = resolve()
        try:
            x = np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise StateError(f"{name} must be real numbers in memory that can be read here: {error}") from error
    if type(x) is np.ndarray and x.dtype == np.float64 and x.dtype.isnative and x.flags.c_contiguous:
        fits = x.ndim == 2 and x.shape[1] == shape[1] and shape[0] in (None, x.shape[0])
        if fits and x.flags.aligned and (not checked or np.isfinite(x).all()):
            return x
    return as_array(x, shape, name, error=StateError)


def check_model(model: Any) -> None:
    """StateError unless it is a Model, MechanismError unless it is of a tree."""
    if not hasattr(model, "capsule"):
        raise StateError(f"model must be a Model, got {shown(model)}")
    if model.has_loops:
        raise MechanismError(f"rbdyn.batch works on trees, and mechanism {model.mechanism.name!r} has loop joints")


def alone(
    task: str, model: Any, row: int, q: Array, v: Array | None, x: Array | None, size: int, spots: Array | None
) -> Array:
    """A row that the kernels would not do, looked at alone; an error says what is wrong with it, if anything is."""
    one = lanes_of("scalar").One(model.capsule())
    if one.first_far(q[None]) == 0:
        text = "q holds a quaternion, or a pair [sine, cosine], that is not of unit length, in row "
        raise StateError(f"{text}{row}")
    result = np.empty(size)
    place = one.row(task, q, v, x, result, spots)
    if len(place) == 2:
        joint = model.joint_names[place[0] - int(model.floating_base)]
        if task == "forward_dynamics_derivatives" and one.row("forward_dynamics", q, v, x, np.empty(model.nv)) == ():
            far = f"bodies are too far from the root for joint {joint!r}; let the root be nearer to them"
            raise StateError(f"row {row}: rounding leaves no digit of the derivatives: {far}")
        text = f"joint {joint!r} moves no inertia along its degree of freedom {place[1]} (none beyond rounding)"
        raise MechanismError(f"row {row}: the mass matrix is singular: {text}")
    if place:
        k = place[0]
        text = f"number {k} of the result came out as {result[k]}: the state, or an argument, is too large for float64"
        raise StateError(f"row {row}: {text}")
    return result


def check_out(out: Any, shape: tuple[int, ...], name: str = "out") -> None:
    """StateError unless results of that shape can be written into `out`, each number to a place of its own."""
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape and out.flags.writeable
    if not fits or any(step == 0 and size > 1 for step, size in zip(out.strides, shape, strict=True)):
        came = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
        raise StateError(f"{name} must be a writable float64 array of shape {shape}, of numpy, got {came}")


def run(
    task: str,
    model: Any,
    q: Any,
    v: Any = ABSENT,
    x: Any = ABSENT,
    name: str = "",
    *,
    shape: Sequence[int],
    spots: Array | None = None,
    out: Any = None,
    threads: int = 1,
    errors: str = "raise",
) -> Array:
    """A task of the kernels on all rows; `shape` is that of a result, `name` what x is called."""
    choice(errors, "errors", ERRORS, error=StateError)
    rows_q = rows_of(q, (None, model.nq), "q", checked=False)  # the kernels see what is not finite
    n = len(rows_q)
    rows_v = None if v is ABSENT else rows_of(v, (n, model.nv), "v", checked=False)
    rows_x = None if x is ABSENT else rows_of(x, (n, model.nv), name, checked=False)
    if out is not None:
        check_out(out, (n, *shape))
    flat = np.empty((n, int(np.prod(shape, dtype=np.int64))))

    def share(lanes: Any, first: int, end: int) -> int:
        given = [None if rows is None else rows[first:end] for rows in (rows_v, rows_x)]
        return first + int(lanes.rows(task, rows_q[first:end], *given, flat[first:end], spots))

    def work(lanes: Any, first: int, end: int) -> None:
        while (first := share(lanes, first, end)) < end:  # a block of lanes in which there may be a bad row
            if share(lanes, first, first + 1) == first:
                try:
                    look_at(first)
                except (StateError, MechanismError):
                    if errors == "raise":
                        raise
                    flat[first] = np.nan
            first += 1

    def look_at(row: int) -> None:
        """A row that the kernels would not do."""
        for rows, what in ((rows_q, "q"), (rows_v, "v"), (rows_x, name)):
            if rows is not None and not np.isfinite(rows[row]).all():
                as_array(rows, rows.shape, what, error=StateError)  # which says where it is not finite
        v_row, x_row = (None if rows is None else rows[row] for rows in (rows_v, rows_x))
        flat[row] = alone(task, model, row, rows_q[row], v_row, x_row, flat.shape[1], spots)

    in_shares(model, n, threads, work)
    result = flat.reshape((n, *shape))
    if out is None:
        return result
    out[...] = result
    return out


def in_shares(model: Any, n: int, threads: int, work: Callable[[Any, int, int], None]) -> None:
    """work(lanes, first, end) for shares of n rows, by so many threads, each with kernels of its own."""
    threads, module = whole(threads, "threads", least=1, most=1024), lanes_of(isa())
    parts = max(1, min(threads, n // SHARE))
    edges = [n * k // parts for k in range(parts + 1)]

    def part(k: int) -> None:
        lanes = module.Lanes(model.capsule())
        for first in range(edges[k], edges[k + 1], TURN):
            work(lanes, first, min(first + TURN, edges[k + 1]))

    if parts == 1:
        part(0)
    else:
        with ThreadPoolExecutor(parts) as pool:
            list(pool.map(part, range(parts)))
