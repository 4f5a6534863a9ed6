"""What a contact solver remembers of an object's contacts."""

from __future__ import annotations

from collections.abc import Sequence

from rbdyn.contact import ContactSolver

CONTACT_SOURCE = 1  # Key.source of contacts, whose id_a and id_b are shapes: stepping/constraints/contacts.pxd


def forget_impulses(solver: ContactSolver, shape_ids: Sequence[int]) -> None:
    """Forget the impulses of all contacts of these shapes.

    When nothing is left, the direction of the sweeps begins anew too: no trace of the past remains.
    """
    state = solver.get_state()
    own = set(shape_ids)
    kept = [
        i
        for i, (source, a, b, _) in enumerate(state["key"].tolist())
        if source != CONTACT_SOURCE or (a not in own and b not in own)
    ]
    if not kept and not len(state["block_key"]):
        solver.reset()
    elif len(kept) < len(state["key"]):
        solver.set_state({**state, "key": state["key"][kept], "impulse": state["impulse"][kept]})
