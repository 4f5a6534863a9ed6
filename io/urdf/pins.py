"""<constraints>: pins that close loops."""

from __future__ import annotations

from collections.abc import Sequence

from rbdyn.io.description import PinSpec
from rbdyn.io.numbers import shown
from rbdyn.io.urdf.node import Node


def read_constraints(roots: Sequence[Node]) -> tuple[str, tuple[float, ...] | None, list[PinSpec]]:
    """Where the element stands, its nominal configuration if it gives one, and the pins in it."""
    found = [node for node in (root.child("constraints") for root in roots) if node is not None]
    if not found:
        return roots[0].where, None, []
    if len(found) > 1:
        raise found[1].error(f"a second <constraints>; the first is at {found[0].where}")
    node = found[0]
    for item in node.children():
        if item.tag != "pin":
            raise item.error(
                f"<{item.tag[:100]}> in <constraints> is not supported yet, and without it this is another robot; "
                "choices: pin"
            )
    text = node.get("nominal_config")
    numbers = None if text is None else node.vector("nominal_config", len(text.split()))
    return node.where, numbers, [_read_pin(item) for item in node.children("pin")]


def _read_pin(node: Node) -> PinSpec:
    first, second = node.text("body1"), node.text("body2")
    if first == second:
        raise node.error(f"body1 and body2 are both {shown(first)}; a pin joins two links")
    return PinSpec(node.where, first, second, node.vector("anchor", 3))
