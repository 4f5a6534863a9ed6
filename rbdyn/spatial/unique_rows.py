"""Rows of an array that are there several times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unique_rows(rows: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row comes first, in the order of the rows, and which of these each row is.

    The same as `numpy.unique` with ``axis=0``, in a fraction of its time: columns are sorted as numbers.

    Parameters
    ----------
    rows : (n, k) ndarray of numbers
        Finite.

    Returns
    -------
    first : (m,) ndarray of int
        rows[first] are the different rows, sorted.
    which : (n,) ndarray of int
        rows[first][which] are all of them.
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.empty(len(rows), dtype=bool)
    new[:1] = True
    np.any(ordered[1:] != ordered[:-1], axis=1, out=new[1:])
    which = np.empty(len(rows), dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    return order[new], which
