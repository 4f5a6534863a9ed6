"""What a contact solver remembers of an object's contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdyn.contact import ContactSolver

SHAPE = np.uint64(0xFFFFFF)  # bits of a shape's id, plus one, in a contact's key: stepping/assemble.pyx


def forget_impulses(solver: ContactSolver, shape_ids: Sequence[int]) -> None:
    """Forget the impulses of all contacts of these shapes.

    When nothing is left, the direction of the sweeps begins anew too: no trace of the past remains.
    """
    state = solver.get_state()
    key, own = state["key"], np.array(shape_ids, np.uint64) + np.uint64(1)
    gone = np.isin((key >> np.uint64(40)) & SHAPE, own) | np.isin((key >> np.uint64(16)) & SHAPE, own)
    if gone.all():
        solver.reset()
    elif gone.any():
        solver.set_state({**state, "key": key[~gone], "impulse": state["impulse"][~gone]})
