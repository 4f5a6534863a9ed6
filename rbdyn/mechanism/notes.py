"""What a mechanism is, noted and put back, for snapshots of Worlds whose robots are edited, docked and cut."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from rbdyn.mechanism._owner import owner_of
from rbdyn.mechanism._parameter import Change
from rbdyn.mechanism._revision import put_all
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.editing import Editing, editing
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.docking import emptying
from rbdyn.mechanism.surgery.undo import Kept


class Note:
    """The bodies and joints of one mechanism at one revision, how they hang together, and all that they say.

    Values of attributes are not changed but exchanged; only lists and dicts are copied.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.kept = mechanism, Kept(mechanism)
        self.counter = mechanism._revision
        self.structure, self.revision, self.frames = mechanism._structure, self.counter.value, self.counter.frames


def noted(mechanism: Mechanism) -> Note:
    """A note of it."""
    return Note(mechanism)


def are_noted(note: Note) -> bool:
    """Whether the mechanism still is what was noted."""
    return note.counter.value == note.revision and note.counter.frames == note.frames


def alone(notes: Sequence[Note]) -> Editing:
    """Keep other threads from editing mechanisms whose graph is to be put back; BusyError if one does already."""
    return editing(*(note.mechanism for note in regrouped(notes)))


def regrouped(notes: Sequence[Note]) -> list[Note]:
    """Those of mechanisms of which the graph is another one now."""
    return [note for note in notes if note.mechanism._structure != note.structure]


def hindrance(notes: Sequence[Note], known: Collection[object]) -> str | None:
    """Why the mechanisms cannot be put back: a part is in one that is neither of these nor `known`; None if they can.

    Parts are taken from a mechanism that is `known`, which keeps nothing but its root.
    """
    wanted = regrouped(notes)
    own = {note.mechanism for note in wanted}
    for note in wanted:
        for part, *_ in note.kept.parts:
            owner = owner_of(part)
            if owner is not None and owner not in own and owner not in known:
                kind = "body" if isinstance(part, RigidBody) else "joint"
                return f"{kind} {part.name!r}, which it had, is part of mechanism {owner.name!r} now"
    return None


def put_back(notes: Sequence[Note]) -> None:
    """Let the mechanisms be so again; that is an edit like any other.  There is no `hindrance`.

    Frames that were added since stay where the graph is the same.
    """
    changed = [note for note in notes if not are_noted(note)]
    changes = _regrouping(regrouped(changed))
    for note in changed:
        kept, here = note.kept, note.mechanism.__dict__
        changes += [(here, name, kept.lists[name].copy()) for name in ("_edges", "_ignored")]
        changes += [(here, name, kept.plain[name]) for name in ("_gravity", "_self_collision")]
        changes += [*kept.said(), (note.counter, None, None)]
    known = [(note.mechanism._structure, note.counter.value) for note in changed]
    put_all(changes)
    for note, (structure, revision) in zip(changed, known, strict=True):  # if this comes to nothing, nothing is noted
        again = note.structure != structure
        note.structure, note.revision = structure + again, revision + again + 1
        if note.counter.frames != note.frames:
            note.kept.keep_frames()
            note.frames = note.counter.frames


def put_counts(counts: Sequence[tuple[Note, int, int]]) -> None:
    """Let as many edits be counted as when (note, revision, structure) were: those since came to nothing."""
    changes: list[Change] = []
    for note, revision, structure in counts:
        own = {"revision": revision, "structure": structure}
        changes += [(note.counter, None, revision), (note.mechanism.__dict__, "_structure", structure)]
        changes += [(note.__dict__, name, value) for name, value in own.items()]
    put_all(changes)


def _regrouping(notes: Sequence[Note]) -> list[Change]:
    """Changes that let bodies and joints be in the mechanisms in which they were; those that give some up are empty."""
    own = {note.mechanism for note in notes}
    owners = {owner_of(part) for note in notes for part, *_ in note.kept.parts} - own - {None}
    changes = [change for owner in owners for change in emptying(cast(Mechanism, owner))]
    changes += [change for note in notes for change in note.kept.letting_go()]
    for note in notes:
        changes += [*note.kept.graph(), *note.mechanism._changes()]
    return changes
