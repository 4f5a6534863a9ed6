"""What a contact solver remembers of an object's contacts."""

from __future__ import annotations

from collections.abc import Sequence

from rbdyn.contact import ContactSolver

SHAPE = 0xFFFFFF  # bits of a shape's id, plus one, in a contact's key: stepping/assemble.pyx


def forget_impulses(solver: ContactSolver, shape_ids: Sequence[int]) -> None:
    """Forget the impulses of all contacts of these shapes.

    When nothing is left, the direction of the sweeps begins anew too: no trace of the past remains.
    """
    state = solver.get_state()
    own = {shape_id + 1 for shape_id in shape_ids}
    kept = [i for i, key in enumerate(state["key"].tolist()) if key >> 40 not in own and key >> 16 & SHAPE not in own]
    if not kept:
        solver.reset()
    elif len(kept) < len(state["key"]):
        solver.set_state({**state, "key": state["key"][kept], "impulse": state["impulse"][kept]})
