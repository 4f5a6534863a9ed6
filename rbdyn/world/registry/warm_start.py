"""What a contact solver remembers of an object's contacts."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from rbdyn.contact import ContactSolver

CONTACT_SOURCE = 1  # Key.source of contacts, whose id_a and id_b are shapes: constraints/contact/contacts.pxd
ROLLING_SOURCES = (30, 31)  # of torsional and rolling friction, keys as of contacts: constraints/contact/rolling.pxd
LINK_SOURCES = (8, 11, 12, 13)  # of constraints between objects, whose id_a is their number: constraints/bodies
SYSTEM_SOURCES = (2, 3, 4, 5, 6, 7, 10)  # of joints and loops, whose id_a is a system's body handle


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
