"""What a user drew while a World was recorded: changes of a sketch as bytes, and what was drawn at each frame."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.recording.packing import HEAD, Arrays, color_from
from rbdyn.recording.shapes import shape_from, shape_values
from rbdyn.scenery.sketch import KINDS, Stroke

Strokes = tuple[Stroke, ...]


class Drawn(NamedTuple):
    """What was drawn in a recording.

    Parameters
    ----------
    sheets : tuple of tuple of Stroke
        What was drawn at one time.
    which : (n,) ndarray of int
        The sheet of each frame.
    """

    sheets: tuple[Strokes, ...]
    which: NDArray[np.intp]

    def at(self, frame: int) -> Strokes:
        """What was drawn at a frame."""
        return self.sheets[self.which[frame]]

    def taken(self, index: NDArray[np.intp]) -> Drawn:
        """Of some of the frames."""
        return Drawn(self.sheets, self.which[index])


def nothing(frames: int) -> Drawn:
    """An empty sheet for all frames."""
    return Drawn(((),), np.zeros(frames, dtype=np.intp))


# ---- as bytes -------------------------------------------------------------------------------------


def packed_change(before: Mapping[str, Stroke], now: Mapping[str, Stroke]) -> bytes:
    """What is drawn now and was not before, and what is gone, as bytes."""
    arrays = Arrays()
    new = [stroke_values(one, arrays) for name, one in now.items() if before.get(name) is not one]
    said = {"new": new, "gone": [name for name in before if name not in now]}
    text = json.dumps(said, separators=(",", ":")).encode()
    return HEAD.pack(len(text), 0) + text + arrays.joined()


def unpacked_change(data: bytes, before: Mapping[str, Stroke]) -> dict[str, Stroke]:
    """What was drawn after a change; a ValueError or the like if these bytes are none."""
    n_text, _ = HEAD.unpack_from(data)
    said = json.loads(data[HEAD.size : HEAD.size + n_text])
    arrays = Arrays(data[HEAD.size + n_text :])
    gone = {str(name) for name in said["gone"]}
    now = {name: one for name, one in before.items() if name not in gone}
    for values in said["new"]:
        one = stroke_from(values, arrays)
        now[one.name] = one
    return now


def stroke_values(one: Stroke, arrays: Arrays) -> dict[str, Any]:
    """A stroke, as JSON can say it; its numbers go into `arrays`."""
    said: dict[str, Any] = {"name": one.name, "kind": one.kind, "points": arrays.put(one.points),
                            "color": list(one.color), "on": one.on, "width": one.width, "text": one.text}  # fmt: skip
    if one.shape is not None and one.rotation is not None:
        kind, sizes, held = shape_values(one.shape)
        said["shape"] = [kind, sizes, {name: arrays.put(array) for name, array in held.items()}]
        said["rotation"] = arrays.put(one.rotation)
    return said


def stroke_from(said: dict[str, Any], arrays: Arrays) -> Stroke:
    """The stroke of which `stroke_values` told."""
    kind, points = said["kind"], arrays.take(said["points"])
    if kind not in KINDS or points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 1:
        raise ValueError("a stroke of a kind that recordings do not have")
    on = None if said["on"] is None else (str(said["on"][0]), str(said["on"][1]))
    shape = rotation = None
    if kind == "shape":
        form, sizes, held = said["shape"]
        made = {k: tuple(v) if isinstance(v, list) else v for k, v in sizes.items()}
        shape = shape_from(form, made, {name: arrays.take(told) for name, told in held.items()})
        rotation = arrays.take(said["rotation"]).reshape(3, 3)
    return Stroke(str(said["name"]), kind, points, color_from(said["color"]), on, float(said["width"]), rotation,
                  shape, str(said["text"]))  # fmt: skip


def drawn_from(changes: Iterable[tuple[int, bytes]], frames: int) -> Drawn:
    """What was drawn at each frame, of changes: (number of the first frame behind it, its bytes), in their order."""
    sheets: list[Strokes] = [()]
    which = np.zeros(frames, dtype=np.intp)
    now: dict[str, Stroke] = {}
    for frame, data in changes:
        now = unpacked_change(data, now)
        sheets.append(tuple(now.values()))
        which[frame:] = len(sheets) - 1
    return Drawn(tuple(sheets), which)


def changes_of(drawn: Drawn) -> list[tuple[int, bytes]]:
    """The changes that `drawn_from` makes this of."""
    found: list[tuple[int, bytes]] = []
    before: dict[str, Stroke] = {}
    for frame in np.flatnonzero(np.diff(drawn.which, prepend=-1)).tolist():
        now = {one.name: one for one in drawn.at(frame)}
        if list(now.items()) != list(before.items()):
            found.append((frame, packed_change(before, now)))
        before = now
    return found
