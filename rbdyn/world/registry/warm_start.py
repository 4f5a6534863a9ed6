"""What a contact solver remembers of the joints of systems that were exchanged for others."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from rbdyn.contact import ContactSolver

BALL_SOURCE, LOOP_SOURCE = 6, 10  # id_b is BALL_ENDS times the first dof, and which end; the number of the loop joint
BALL_ENDS = 4
SYSTEM_SOURCES = (2, 3, 4, 5, 6, 7, 10)  # of joints and loops, whose id_a is a system's body handle


def renumber_impulses(
    solver: ContactSolver,
    systems: AbstractSet[int],
    dofs: Mapping[tuple[int, int], tuple[int, int]],
    loops: Mapping[tuple[int, int], tuple[int, int]],
) -> dict[str, Any] | None:
    """Let what acted at joints and in loops of the systems of these body handles be that of others.

    `dofs` and `loops` say which degree of freedom, and which loop joint, of which handle is which one now; what they do
    not name is forgotten.  Returns the state as it was, None if nothing changed.
    """
    state = solver.get_state()
    old = state["block_key"]
    if not any(source in SYSTEM_SOURCES and a in systems for source, a, _, _ in old.tolist()):
        return None
    keys, order = [], []
    for i, (source, a, b, feature) in enumerate(old.tolist()):
        now: tuple[int, int] | None = (a, b)
        if source in SYSTEM_SOURCES and a in systems:
            if source == LOOP_SOURCE:
                now = loops.get((a, b))
            else:
                ends = BALL_ENDS if source == BALL_SOURCE else 1
                found = dofs.get((a, b // ends))
                now = None if found is None else (found[0], found[1] * ends + b % ends)
        if now is not None:
            keys.append((source, *now, feature))
            order.append(i)
    first = np.concatenate([[0], np.cumsum(state["block_rows"])])
    blocks = sorted(range(len(keys)), key=keys.__getitem__)      # a system that was exchanged comes behind all others
    rows = [np.arange(first[order[k]], first[order[k] + 1]) for k in blocks]
    solver.set_state(
        {
            **state,
            "block_key": np.array([keys[k] for k in blocks], dtype=old.dtype),
            "block_rows": state["block_rows"][[order[k] for k in blocks]],
            "row_impulse": state["row_impulse"][np.concatenate([np.empty(0, dtype=int), *rows])],
        }
    )
    return state
