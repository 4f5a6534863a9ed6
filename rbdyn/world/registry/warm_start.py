"""What a contact solver remembers of an object's contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from rbdyn.contact import ContactSolver

CONTACT_SOURCE = 1  # Key.source of contacts, whose id_a and id_b are shapes: constraints/contact/contacts.pxd
ROLLING_SOURCES = (30, 31)  # of torsional and rolling friction, keys as of contacts: constraints/contact/rolling.pxd
LINK_SOURCES = (8, 11, 12, 13)  # of constraints between objects, whose id_a is their number: constraints/bodies
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
    keys, kept = [], []
    for source, a, b, feature in old.tolist():
        now: tuple[int, int] | None = (a, b)
        if source in SYSTEM_SOURCES and a in systems:
            if source == LOOP_SOURCE:
                now = loops.get((a, b))
            else:
                ends = BALL_ENDS if source == BALL_SOURCE else 1
                found = dofs.get((a, b // ends))
                now = None if found is None else (found[0], found[1] * ends + b % ends)
        kept.append(now is not None)
        if now is not None:
            keys.append((source, *now, feature))
    rows = np.repeat(np.array(kept, dtype=bool), state["block_rows"])
    solver.set_state(
        {
            **state,
            "block_key": np.array(keys, dtype=old.dtype),
            "block_rows": state["block_rows"][np.array(kept, dtype=bool)],
            "row_impulse": state["row_impulse"][rows],
        }
    )
    return state


def forget_impulses(
    solver: ContactSolver, shape_ids: Sequence[int], system: int | None, links: AbstractSet[int], anew: bool
) -> None:
    """Forget what acted in contacts of these shapes, at limits and motors of the system of this body handle, in links.

    `links` are numbers of constraints between bodies.

    When nothing is left and `anew` is true, since all has been moved, the direction of the sweeps begins anew too: no
    trace of the past remains.  What was not moved goes on as it would have.
    """
    state = solver.get_state()
    own = set(shape_ids)
    cones = [source != CONTACT_SOURCE or (a not in own and b not in own) for source, a, b, _ in state["key"].tolist()]
    blocks = [
        not (
            (source in SYSTEM_SOURCES and a == system)
            or (source in LINK_SOURCES and a in links)
            or (source in ROLLING_SOURCES and (a in own or b in own))
        )
        for source, a, b, _ in state["block_key"].tolist()
    ]
    if anew and not any(cones) and not any(blocks):
        solver.reset()
    elif not (all(cones) and all(blocks)):
        rows = np.repeat(np.array(blocks, dtype=bool), state["block_rows"])
        solver.set_state(
            {
                **state,
                "key": state["key"][np.array(cones, dtype=bool)],
                "impulse": state["impulse"][np.array(cones, dtype=bool)],
                "block_key": state["block_key"][np.array(blocks, dtype=bool)],
                "block_rows": state["block_rows"][np.array(blocks, dtype=bool)],
                "row_impulse": state["row_impulse"][rows],
            }
        )
