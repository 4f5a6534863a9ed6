"""What a snapshot and a World do not have in common, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rbdyn.errors import SnapshotError

Entry = tuple[str, str, list[Any]]


def check_same(wanted: Iterable[Entry], present: Iterable[Entry]) -> None:
    """SnapshotError that names the first difference between two descriptions of who is in a World."""
    then, now = list(map(_entry, wanted)), list(map(_entry, present))
    if then == now:
        return
    names_then, names_now = [entry[:2] for entry in then], [entry[:2] for entry in now]
    for what, name in names_then:
        if (what, name) not in names_now:
            raise SnapshotError(_no(f"its {what} {name!r} is not in this World"))
    for what, name in names_now:
        if (what, name) not in names_then:
            raise SnapshotError(_no(f"this World has the {what} {name!r}, and it has not"))
    for before, after in zip(then, now, strict=True):
        if before != after:
            raise SnapshotError(_no(_difference(before, after)))


def _difference(before: Entry, after: Entry) -> str:
    """Between two members that are in the same place."""
    if before[0] == after[0] == "setting":
        return f"{after[1]} are others there than here"
    if before[:2] != after[:2]:
        return f"its {before[0]} {before[1]!r} came where {after[1]!r} came here: build Worlds in the same order"
    if before[2][0] != after[2][0]:
        return f"{after[1]!r} was a {before[2][0]} there, and is a {after[2][0]} here"
    return f"the bodies, joints, shapes or numbers of {after[1]!r} are others there than here"


def _entry(given: Any) -> Entry:
    what, name, details = given
    return what, name, list(details)


def _no(why: str) -> str:
    return f"the snapshot does not fit this World: {why}"
