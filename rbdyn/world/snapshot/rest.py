"""What is in a snapshot beside the memory of the scene, as JSON can say it: materials, schedules, random numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.errors import SnapshotError

GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def noted(inside: Any, materials: MaterialTable) -> dict[str, Any]:
    """All of it."""
    said = {
        "materials": inside.materials_said(materials),
        "scheduler": None if inside.scheduler is None else inside.scheduler.noted(),
        "random": None if inside.random is None else _unless_new(_plain(inside.random.bit_generator.state)),
    }
    notes = {name: note for name, extra in (inside.extras or {}).items() if (note := extra.noted())}
    return said | {"extras": notes} if notes else said


def kept_extras(inside: Any) -> dict[str, Any]:
    """Objects of packages above that a snapshot of this World keeps alive, by the names of `extras`."""
    return {name: extra.kept() for name, extra in (inside.extras or {}).items()}


def fitting_extras(rest: dict[str, Any], inside: Any) -> dict[str, Any]:
    """Those of this World that bear the names of another World's snapshot; SnapshotError if they are not here."""
    fitting = {}
    for name, note in rest.get("extras", {}).items():
        if name not in (inside.extras or {}):
            raise SnapshotError(f"the snapshot does not fit this World: it has {name}, and this World has none")
        fitting[name] = inside.extras[name].fitting(note)
    return fitting


def said(table: MaterialTable) -> dict[str, Any]:
    """A table of materials in lists."""
    pairs = sorted([a, b, list(pair.numbers)] for (a, b), pair in table.pairs().items())
    return {"default": list(table.default.numbers), "pairs": pairs}


def _plain(value: Any) -> Any:
    """The state of a bit generator, its arrays as lists."""
    if isinstance(value, dict):
        return {name: _plain(x) for name, x in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def fitting_schedules(rest: dict[str, Any], inside: Any) -> list[Any]:
    """The schedules of this World that bear the names of a snapshot's; SnapshotError if they are others."""
    present = {} if inside.scheduler is None else {one.name: one for one in inside.scheduler.schedules}
    names = [] if rest["scheduler"] is None else [entry[0] for entry in rest["scheduler"]["schedules"]]
    for name in names:
        if name not in present:
            raise SnapshotError(
                f"the snapshot does not fit this World: its schedule {shown(name)} is not in this World"
            )
    return [present[name] for name in names]


def put_back(
    rest: dict[str, Any], inside: Any, materials: MaterialTable, schedules: list[Any], extras: dict[str, Any]
) -> None:
    """As it was noted."""
    if rest["materials"] != inside.materials_said(materials):
        materials._put(
            MaterialPair(*rest["materials"]["default"]),
            {(a, b): MaterialPair(*numbers) for a, b, numbers in rest["materials"]["pairs"]},
        )
    if rest["scheduler"] is not None:
        inside.scheduler.put_back(rest["scheduler"], schedules)
    elif inside.scheduler is not None:
        for one in tuple(inside.scheduler.schedules):
            one.cancel()
    put_random(rest["random"], inside)
    for name, extra in (inside.extras or {}).items():
        extra.put_back(rest.get("extras", {}).get(name, {}), extras.get(name))


def _unless_new(state: dict[str, Any]) -> dict[str, Any] | None:
    """The state of a generator; None for the one that a World has from the first, as long as nothing was drawn."""
    return None if state == _new() else state


@cache
def _new() -> Any:
    return _plain(np.random.default_rng(0).bit_generator.state)


def put_random(state: dict[str, Any] | None, inside: Any) -> None:
    """The random generator in this state; None: nothing was drawn from it yet."""
    if state is None and inside.random is None:
        return
    if state is None:
        state = _new()
    kind = state["bit_generator"]
    if kind not in GENERATORS:
        raise SnapshotError(f"the random generator must be one of {', '.join(GENERATORS)}, got {shown(kind)}")
    if inside.random is None or inside.random.bit_generator.state["bit_generator"] != kind:
        inside.random = np.random.Generator(getattr(np.random, kind)())
    inside.random.bit_generator.state = state
