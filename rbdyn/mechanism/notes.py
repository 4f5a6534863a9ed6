"""What a mechanism says of its bodies and joints, noted and put back, for snapshots of Worlds with edited robots."""

from __future__ import annotations

from typing import Any

from rbdyn.mechanism.mechanism import Mechanism


class Note:
    """The attributes of all bodies and joints of one mechanism at one revision.

    Values of attributes are not changed but exchanged; only lists of shapes are copied.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.structure = mechanism, mechanism._structure
        self.counter = mechanism._revision
        self.revision = self.counter.value
        self.edges = mechanism._edges
        self.parts: list[tuple[Any, dict[str, Any], list[Any]]] = []
        for part in (*mechanism.bodies, *mechanism.joints):
            values = dict(part.__dict__)
            shapes = [(values[name], list(values[name])) for name in ("collision", "visual") if name in values]
            self.parts.append((part, values, shapes))


def noted(mechanism: Mechanism) -> Note:
    """A note of it."""
    return Note(mechanism)


def are_noted(note: Note) -> bool:
    """Whether the mechanism still says what was noted."""
    return note.counter.value == note.revision


def can_be_put_back(note: Note) -> bool:
    """Whether it has the same bodies and joints."""
    return note.mechanism._structure == note.structure


def put_back(note: Note) -> None:
    """Let it say so again; that is an edit like any other."""
    if are_noted(note):
        return
    for part, values, shapes in note.parts:
        part.__dict__.clear()
        part.__dict__.update(values)
        for held, items in shapes:
            held._items[:] = items
    note.mechanism._edges = note.edges
    note.counter.value += 1
    note.revision = note.counter.value
