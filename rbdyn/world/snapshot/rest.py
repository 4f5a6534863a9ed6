"""What is in a snapshot beside the memory of the scene: materials and the random generator, as JSON can say them."""

from __future__ import annotations

from typing import Any

from rbdyn.contact import MaterialPair, MaterialTable


def noted(inside: Any, materials: MaterialTable) -> dict[str, Any]:
    """All of it."""
    return {"materials": inside.materials_said(materials)}


def said(table: MaterialTable) -> dict[str, Any]:
    """A table of materials in lists."""
    pairs = sorted([a, b, list(pair.numbers)] for (a, b), pair in table.pairs().items())
    return {"default": list(table.default.numbers), "pairs": pairs}


def put_back(rest: dict[str, Any], inside: Any, materials: MaterialTable) -> None:
    """As it was noted."""
    if rest["materials"] != noted(inside, materials)["materials"]:
        materials.replace(
            MaterialPair(*rest["materials"]["default"]),
            {(a, b): MaterialPair(*numbers) for a, b, numbers in rest["materials"]["pairs"]},
        )
