"""Bytes per State of chains of every length."""

from __future__ import annotations

import rbdyn
from benchmarks import table
from benchmarks.chains import chain
from benchmarks.resources.heap import bytes_in_use

SIZES = (10, 100, 1000, 10000)


def run(quick: bool) -> None:
    """Print the table of this section: what a State takes from the heap."""
    rows = []
    for count in SIZES[:3] if quick else SIZES:
        size = _state_bytes(count)
        if size is None:
            print("\nbytes per State: needs glibc's mallinfo2, skipped")
            return
        rows.append([str(count), f"{size:.0f}", f"{size / count:.0f}"])
    table.show("memory of a State (linear: the last column is flat)", ["bodies", "bytes", "bytes per body"], rows)


def _state_bytes(count: int) -> float | None:
    """Bytes of a State of `count` bodies, the mean over several that live at once."""
    model = rbdyn.Model(chain(count))
    states = [rbdyn.State(model)]  # whatever the first one caches is not counted
    before = bytes_in_use()
    states += [rbdyn.State(model) for _ in range(max(1, 1000 // count))]
    after = bytes_in_use()
    return None if before is None or after is None else (after - before) / (len(states) - 1)
