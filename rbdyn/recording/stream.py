"""A recording's file: its records, and what they become when it is read.

| kind | payload |
|---|---|
| "head" | JSON: version of rbdyn, steps from frame to frame |
| "snap" | bytes of the World's Snapshot when the recording began |
| "inve" | an inventory (packing.py), of the frames that follow |
| "fram" | a frame (tape.pxd) |
| "usch" | JSON: names and shapes of the user's values |
| "user" | int64 number of the frame, then the user's values as doubles |
| "sens" | what a sensor measured (packing.py) |
| "draw" | what changed of the World's sketch before the next frame (drawn.py) |
| "done" | JSON: steps, time and hash of the World at the end |
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import RecordingError
from rbdyn.recording.contents import CONTACT, Contents, Segment
from rbdyn.recording.drawn import Drawn, drawn_from
from rbdyn.recording.inventory import Inventory
from rbdyn.recording.packing import UNREADABLE, unpacked, unpacked_measurement
from rbdyn.recording.records import check_head, find_records

LOG = logging.getLogger("rbdyn")
WORD = 8


def read_stream(data: Any, name: str, damaged: str = "refuse") -> tuple[Contents, bool]:
    """The content of a recording's file, and whether it was ended by `stop`.

    Parameters
    ----------
    data : bytes-like
        All of the file.
    name : str
        Of the file, for messages.
    damaged : {"refuse", "skip"}
        Whether records that are not what was written are an error, or left out.
    """
    check_head(data, name)
    found, holes, cut = find_records(data)
    if holes and damaged == "refuse":
        raise RecordingError(f'{name} is damaged: {_places(holes)}; damaged="skip" reads the rest')
    if holes:
        LOG.warning("%s is damaged: %s; the frames there are left out", name, _places(holes))
    view = memoryview(data)
    kinds = found["kind"]
    if not (kinds == b"inve").any():
        raise RecordingError(f"{name} does not say who was recorded: it ends, or is damaged, too early")
    head = _only(view, found, b"head")
    done = _only(view, found, b"done")
    if cut:
        LOG.warning("%s ends in the middle of a record: its last %d bytes are left out", name, cut)
    snapshots = found[kinds == b"snap"]
    snapshot = b"" if not len(snapshots) else bytes(_payload(view, snapshots[0]))
    segments = tuple(_segments(view, found, name))
    contents = Contents(
        segments,
        _user_values(view, found, np.concatenate([segment.steps for segment in segments])),
        _measured(view, found),
        snapshot,
        done,
        _positive(head.get("every", 1)),
        _drawn(view, found),
    )
    return contents, bool(done) and not holes


def _places(holes: list[tuple[int, int]]) -> str:
    shown = ", ".join(f"bytes {a} to {b - 1}" for a, b in holes[:5])
    return shown + (f" and {len(holes) - 5} places more" if len(holes) > 5 else "")


def _positive(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 1


def _payload(view: memoryview, record: Any) -> memoryview:
    at, size = int(record["at"]), int(record["size"])
    return view[at : at + size]


def _only(view: memoryview, found: NDArray[Any], kind: bytes) -> dict[str, Any]:
    """The JSON object of the last record of this kind, or an empty one."""
    which = found[found["kind"] == kind]
    if not len(which):
        return {}
    said = json.loads(bytes(_payload(view, which[-1])))
    return said if isinstance(said, dict) else {}


def _segments(view: memoryview, found: NDArray[Any], name: str) -> Iterator[Segment]:
    """The frames behind each inventory; inventories without frames are left out, unless there is no other."""
    starts = np.flatnonzero(found["kind"] == b"inve")
    ends = [*starts[1:], len(found)]
    made = []
    for start, end in zip(starts, ends, strict=True):
        inventory = unpacked(bytes(_payload(view, found[start])))
        frames = found[start:end]
        made.append(_segment(view, frames[frames["kind"] == b"fram"], inventory, name))
    kept = [segment for segment in made if len(segment)]
    yield from kept or made[:1]


def _segment(view: memoryview, frames: NDArray[Any], inventory: Inventory, name: str) -> Segment:
    """Frames as arrays."""
    n, words = len(frames), inventory.width + 2
    for size in np.unique(frames["size"]):
        least = WORD * (words + inventory.contacts)
        if size % WORD or size < least or (size > least and not inventory.contacts):
            raise RecordingError(f"{name}: a frame has {size} bytes, and {WORD * words} were to be expected")
    table = np.empty((n, words))
    data = np.frombuffer(view, np.uint8)
    for k, at in enumerate(frames["at"].tolist()):
        table[k] = np.frombuffer(data, "<f8", words, at)
    first, contacts = _contacts(data, frames, words, name) if inventory.contacts else (
        np.zeros(n + 1, np.int64), np.empty(0, CONTACT))  # fmt: skip
    steps = np.ascontiguousarray(table[:, 0]).view(np.int64)
    return Segment(inventory, steps, table[:, 1].copy(), np.ascontiguousarray(table[:, 2:]), first, contacts)


def _contacts(
    data: NDArray[np.uint8], frames: NDArray[Any], words: int, name: str
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Where the contacts of each frame begin, and all of them."""
    counts, parts = [], []
    for at, size in zip(frames["at"].tolist(), frames["size"].tolist(), strict=True):
        n = int(np.frombuffer(data, "<i8", 1, at + WORD * words)[0])
        if size != WORD * (words + 1) + n * CONTACT.itemsize:
            raise RecordingError(f"{name}: a frame of {size} bytes cannot have {n} contacts")
        counts.append(n)
        parts.append(np.frombuffer(data, CONTACT, n, at + WORD * (words + 1)))
    first = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return first.astype(np.int64), np.concatenate(parts) if parts else np.empty(0, CONTACT)


def _user_values(view: memoryview, found: NDArray[Any], steps: NDArray[np.int64]) -> dict[str, Any]:
    """Name -> a value for each frame, NaN where there is none.  A record of them stands behind its frame."""
    schema = _only(view, found, b"usch")
    records = found[found["kind"] == b"user"]
    frames = np.cumsum(found["kind"] == b"fram")[found["kind"] == b"user"] - 1
    sizes = {name: int(np.prod(shape, dtype=np.int64)) for name, shape in schema.items()}
    width = sum(sizes.values())
    if not len(records) or any(size != WORD * (width + 1) for size in records["size"].tolist()):
        return {}
    table = np.full((len(steps), width), np.nan)
    for record, frame in zip(records, frames.tolist(), strict=True):
        payload = _payload(view, record)
        if frame >= 0 and np.frombuffer(payload, "<i8", 1)[0] == steps[frame]:
            table[frame] = np.frombuffer(payload, "<f8", offset=WORD)
    values, at = {}, 0
    for name, shape in schema.items():
        values[str(name)] = table[:, at : at + sizes[name]].reshape(len(steps), *shape).copy()
        at += sizes[name]
    return values


def _drawn(view: memoryview, found: NDArray[Any]) -> Drawn | None:
    """What was drawn at each frame."""
    is_frame, is_drawn = found["kind"] == b"fram", found["kind"] == b"draw"
    if not is_drawn.any():
        return None
    first = np.cumsum(is_frame)[is_drawn].tolist()
    changes = zip(first, (bytes(_payload(view, record)) for record in found[is_drawn]), strict=True)
    try:
        return drawn_from(changes, int(is_frame.sum()))
    except UNREADABLE as error:
        raise RecordingError(f"what was drawn cannot be read: {error}") from None


def _measured(view: memoryview, found: NDArray[Any]) -> dict[str, dict[str, NDArray[Any]]]:
    """Sensor -> its times, and its values at these."""
    times: dict[str, list[float]] = {}
    values: dict[str, dict[str, list[NDArray[Any]]]] = {}
    for record in found[found["kind"] == b"sens"]:
        name, time, measured = unpacked_measurement(bytes(_payload(view, record)))
        known = values.setdefault(name, {key: [] for key in measured})
        if known.keys() != measured.keys():
            raise ValueError(f"sensor {name} measured {', '.join(measured)} after {', '.join(known)}")
        times.setdefault(name, []).append(time)
        for key, array in measured.items():
            known[key].append(array)
    return {
        name: {"time": np.array(at), **{key: stacked(arrays) for key, arrays in values[name].items()}}
        for name, at in times.items()
    }


def stacked(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """One behind the other, (k, ...); of the largest shape, filled up with NaN, if they have several."""
    if len({array.shape for array in arrays}) == 1:
        return np.stack(arrays)
    if len({array.ndim for array in arrays}) > 1:
        raise ValueError("a sensor's value changes its number of dimensions")
    largest = tuple(np.max([array.shape for array in arrays], axis=0))
    filled = np.full((len(arrays), *largest), np.nan)
    for k, array in enumerate(arrays):
        part = filled[k]
        part[tuple(slice(n) for n in array.shape)] = array
    return filled
