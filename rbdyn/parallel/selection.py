"""Which Worlds a call is about."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, plain_array, shown
from rbdyn.errors import Error
from rbdyn.spatial.rotations import Array

Where = Any
"""None for all, a mask (n,) of bool, a number, or numbers of Worlds, each once."""


def chosen(where: Where, n: int) -> list[int]:
    """The numbers of the Worlds, in the order given; Error for what is no choice of them."""
    if where is None:
        return list(range(n))
    if isinstance(where, (int, np.integer)) and not isinstance(where, bool):
        return [_number(where, n)]
    given = plain_array(where, "where")
    if given.dtype == bool:
        if given.shape != (n,):
            raise Error(f"where must be a mask of shape ({n},), or numbers of Worlds, got shape {given.shape}")
        return [int(k) for k in np.flatnonzero(given)]
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise Error(f"where must be None, a mask of shape ({n},), or numbers of Worlds, got {shown(where)}")
    numbers = [_number(k, n) for k in given.tolist()]
    if len(set(numbers)) < len(numbers):
        raise Error(f"where must name each World once, got {shown(where)}")
    return numbers


def _number(value: Any, n: int) -> int:
    """One of them, counted from the end if negative."""
    k = operator.index(value)
    if not -n <= k < n:
        raise Error(f"where must be a number from {-n} to {n - 1}, as there are {n} Worlds, got {k}")
    return k % n


def rows_of(value: ArrayLike, m: int, shape: tuple[int, ...], name: str, *, error: type[Error] = Error) -> Array:
    """(m, *shape) numbers, a row for each of m Worlds: given so, or once for all, (*shape)."""
    if plain_array(value, name, error=error).ndim == len(shape):
        return np.ascontiguousarray(np.broadcast_to(as_array(value, shape, name, error=error), (m, *shape)))
    return as_array(value, (m, *shape), name, error=error)
