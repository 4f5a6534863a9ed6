"""Contents of a recording: frames as arrays, one segment for each inventory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.recording.drawn import Drawn
from rbdyn.recording.inventory import Inventory
from rbdyn.scenery.sketch import Stroke
from rbdyn.spatial.rotations import Array

CONTACT = np.dtype([("shapes", "<i4", 2), ("position", "<f8", 3), ("normal", "<f8", 3), ("depth", "<f8"),
                    ("force", "<f8", 3)])  # fmt: skip


@dataclass(frozen=True, eq=False)
class Segment:
    """Frames with the same inventory.

    Parameters
    ----------
    inventory : Inventory
    steps : (n,) ndarray of int64
        Which the World had done.
    time : (n,) ndarray
        Of the World [s].
    rows : (n, inventory.width) ndarray
        Numbers of each frame, as the inventory says.
    first_contact : (n + 1,) ndarray of int64
        Where the contacts of each frame begin in `contacts`; all 0 if they were not recorded.
    contacts : (m,) ndarray of CONTACT
    """

    inventory: Inventory
    steps: NDArray[np.int64]
    time: Array
    rows: Array
    first_contact: NDArray[np.int64]
    contacts: NDArray[Any]

    def __len__(self) -> int:
        return len(self.time)

    def taken(self, index: NDArray[np.intp]) -> Segment:
        """Some of the frames, by number."""
        counts = np.diff(self.first_contact)[index]
        first = np.concatenate([[0], np.cumsum(counts)])
        spans = [np.arange(self.first_contact[k], self.first_contact[k + 1]) for k in index]
        which = np.concatenate([np.empty(0, np.intp), *spans])
        return replace(
            self,
            steps=self.steps[index],
            time=self.time[index],
            rows=self.rows[index],
            first_contact=first.astype(np.int64),
            contacts=self.contacts[which],
        )


@dataclass(frozen=True, eq=False)
class Contents:
    """What a recording holds.

    Parameters
    ----------
    segments : tuple of Segment
        One behind the other in time.
    user : dict
        Name -> (n, ...) ndarray, a value for each frame: what the user's function gave.
    sensors : dict
        Name "ROBOT/SET/SENSOR" -> {"time": (k,) ndarray [s], name of a value: (k, ...) ndarray}, at its own rate.
    snapshot : bytes
        Of the World when it was begun; empty if there is none.
    end : dict
        "steps", "time" and "hash" of the World when it was stopped; empty for one that was not.
    every : int
        Steps from frame to frame.
    drawn : Drawn, optional
        What the user drew; nothing by default.
    """

    segments: tuple[Segment, ...]
    user: dict[str, Array] = field(default_factory=dict)
    sensors: dict[str, dict[str, NDArray[Any]]] = field(default_factory=dict)
    snapshot: bytes = b""
    end: dict[str, Any] = field(default_factory=dict)
    every: int = 1
    drawn: Drawn | None = None

    def strokes(self, frame: int) -> tuple[Stroke, ...]:
        """What was drawn at a frame, by its number."""
        return () if self.drawn is None else self.drawn.at(frame)

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    def taken(self, index: NDArray[np.intp]) -> Contents:
        """Some of the frames, by number, ascending; without the snapshot, which is of another frame."""
        first, parts = 0, []
        for segment in self.segments:
            here = index[(index >= first) & (index < first + len(segment))] - first
            if len(here):
                parts.append(segment.taken(here))
            first += len(segment)
        user = {name: values[index] for name, values in self.user.items()}
        time = np.concatenate([part.time for part in parts]) if parts else np.zeros(1)
        return Contents(tuple(parts), user, between(self.sensors, time.min(), time.max()), every=self.every,
                        drawn=None if self.drawn is None else self.drawn.taken(index))  # fmt: skip


def between(
    sensors: dict[str, dict[str, NDArray[Any]]], start: float, end: float
) -> dict[str, dict[str, NDArray[Any]]]:
    """What sensors measured from one time to another."""
    chosen = {name: (values["time"] >= start) & (values["time"] <= end) for name, values in sensors.items()}
    return {name: {key: array[chosen[name]] for key, array in values.items()} for name, values in sensors.items()}
