"""A recording gone through again, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import Error, RecordingError
from rbdyn.recording.contents import Contents, Segment
from rbdyn.recording.inventory import POSE, Inventory
from rbdyn.world import World
from rbdyn.world.snapshot.snapshot import Snapshot


def replay(recording: Any, contents: Contents, world: World, before_step: Callable[[World], Any] | None) -> str:
    """What `Recording.replay` does."""
    if not isinstance(world, World):
        raise Error(f"world must be a World, got {shown(world)}")
    if before_step is not None and not callable(before_step):
        raise Error(f"before_step must be a function of the World, got {shown(before_step)}")
    segment = replayable(contents)
    world.restore(Snapshot.from_bytes(contents.snapshot))
    with world.record(every=contents.every, contacts=segment.inventory.contacts) as again:
        end = contents.end.get("steps", int(segment.steps[-1]))
        go_on(world, end, before_step)
    compare(segment, again.segments[0])
    found = world.state_hash()
    if contents.end and found != contents.end["hash"]:
        raise RecordingError(
            f"all frames are the same, but the World's hash is {found} at the end, not {contents.end['hash']}: "
            "something else was done to it before the recording was stopped"
        )
    return found


def replayable(contents: Contents) -> Segment:
    """The only segment; RecordingError if there is no way to do it again."""
    if not contents.snapshot:
        raise RecordingError("this is a part of a recording, or made from numbers: it holds no snapshot to begin with")
    if len(contents.segments) != 1:
        steps = ", ".join(str(segment.steps[0]) for segment in contents.segments[1:6])
        raise RecordingError(f"something came, went or was rebuilt at step {steps}: only the program that did it can "
                             "do it again; begin a new recording after it")  # fmt: skip
    segment = contents.segments[0]
    if (np.diff(segment.steps) <= 0).any():
        raise RecordingError("the World went back to a snapshot within this recording: it cannot be replayed")
    return segment


def go_on(world: World, end: int, before_step: Callable[[World], Any] | None) -> None:
    """Steps up to this one."""
    if before_step is None:
        world.step(end - world.steps)
        return
    while world.steps < end:
        before_step(world)
        world.step()


def compare(then: Segment, now: Segment) -> None:
    """RecordingError that names the first number of a frame that has other bits."""
    n = min(len(then), len(now))
    if then.rows.shape[1] != now.rows.shape[1] or len(then) != len(now):
        raise RecordingError(f"the recording has {len(then)} frames of {then.rows.shape[1]} numbers, the World gave "
                             f"{len(now)} of {now.rows.shape[1]}")  # fmt: skip
    other = then.rows[:n].view(np.int64) != now.rows[:n].view(np.int64)
    if other.any():
        frame, column = (int(k) for k in np.argwhere(other)[0])
        raise RecordingError(
            f"frame {frame} (step {then.steps[frame]}, time {then.time[frame]:.6g} s) differs: "
            f"{meaning(then.inventory, column)} was {then.rows[frame, column]!r}, and is {now.rows[frame, column]!r}; "
            "if commands came from outside the World's schedules, give before_step="
        )
    if then.contacts.tobytes() != now.contacts.tobytes():
        raise RecordingError("contacts differ, though all frames are the same")


def meaning(inventory: Inventory, column: int) -> str:
    """What a number of a frame is, in words."""
    carriers = inventory.carriers
    if column < POSE * len(carriers):
        carrier = carriers[column // POSE]
        return f"{'position' if column % POSE < 3 else 'orientation'} of {carrier.body!r} of {carrier.object!r}"
    names = [name for name in inventory.first if name and inventory.first[name] <= column]
    return f"number {column - inventory.first[names[-1]]} of {names[-1]!r}"
