"""What a mechanism is, noted and put back, for snapshots of Worlds whose robots are edited, docked and cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import cast

from rbdyn.mechanism._owner import owner_of
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.editing import editing
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.docking import empty
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


@contextmanager
def alone(notes: Sequence[Note]) -> Iterator[None]:
    """Keep other threads from editing mechanisms whose graph is to be put back; BusyError if one does already."""
    with ExitStack() as stack:
        for note in regrouped(notes):
            stack.enter_context(editing(note.mechanism))
        yield


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
    _regroup(regrouped(changed))
    for note in changed:
        mechanism, kept = note.mechanism, note.kept
        kept.restore_parts()
        mechanism._edges, mechanism._gravity = kept.lists["_edges"].copy(), kept.plain["_gravity"]
        mechanism._ignored, mechanism._self_collision = kept.lists["_ignored"], kept.plain["_self_collision"]
        if note.counter.frames != note.frames:
            kept.keep_frames()
            note.frames = note.counter.frames
        note.counter.value += 1
        note.revision = note.counter.value


def _regroup(notes: Sequence[Note]) -> None:
    """Let bodies and joints be in the mechanisms in which they were; those that must give some up are left empty."""
    own = {note.mechanism for note in notes}
    for part in [part for note in notes for part, *_ in note.kept.parts]:
        owner = owner_of(part)
        if owner is not None and owner not in own:
            empty(cast(Mechanism, owner))
    for note in notes:
        note.kept.let_go()
    for note in notes:
        note.kept.restore_graph()
        note.mechanism._restructured()
        note.structure = note.mechanism._structure
