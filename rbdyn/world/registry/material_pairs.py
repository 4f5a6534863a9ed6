"""Pairs of materials, from a table by names to rows by numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import shown
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.errors import ContactError

Arrays = tuple[NDArray[np.intc], NDArray[np.intc], NDArray[np.intc], NDArray[np.float64]]


def pair_arrays(table: MaterialTable, number: Mapping[str, int]) -> Arrays:
    """The arrays of MaterialPairs (stepping/scene.pxd) for the materials that `number` numbers from 0.

    Only pairs that were set get rows: a table of all pairs of ten thousand materials would take 4 GB.
    """
    properties = [_properties(table.default)]
    rows: list[list[tuple[int, int]]] = [[] for _ in number]
    for (a, b), pair in table.pairs().items():
        if a in number and b in number:
            rows[number[a]].append((number[b], len(properties)))
            if a != b:
                rows[number[b]].append((number[a], len(properties)))
            properties.append(_properties(pair))
    start = np.zeros(len(rows) + 1, np.intc)
    start[1:] = np.cumsum([len(row) for row in rows])
    entries = np.array([entry for row in rows for entry in sorted(row)], np.intc).reshape(-1, 2)
    return start, entries[:, 0].copy(), entries[:, 1].copy(), np.array(properties)


def _properties(pair: MaterialPair) -> tuple[float, ...]:
    """The numbers of PairProperties."""
    if not isinstance(pair, MaterialPair):
        raise ContactError(f"materials must hold MaterialPair values, got {shown(pair)}")
    return pair.numbers
