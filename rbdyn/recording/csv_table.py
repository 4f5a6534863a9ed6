"""Recordings as a table for spreadsheets."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.errors import RecordingError
from rbdyn.recording.contents import Contents
from rbdyn.spatial.rotations import Array

POSE_NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz")


def save(recording: Any, path: str | os.PathLike[str]) -> None:
    """One line a frame, all digits: time, then q and v of robots, poses of all bodies, and the user's values.

    Columns are "ROBOT.q[0]", "ROBOT.v[0]", "OBJECT.BODY.x", ..., "user.NAME[0]".
    """
    contents = recording._contents()
    if len(contents.segments) != 1:
        raise RecordingError("something came, went or was rebuilt within it: save parts of it, as in rec[:100]")
    names, arrays = zip(*columns(recording, contents), strict=True)
    table = np.column_stack([array.reshape(len(recording), -1) for array in arrays])
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([name for group in names for name in group])
        writer.writerows([repr(float(x)) for x in row] for row in table)


def columns(recording: Any, contents: Contents) -> Iterator[tuple[list[str], Array]]:
    """Names and numbers."""
    yield ["time"], recording.time[:, None]
    for robot in recording.robots:
        for letter, array in (("q", recording.q(robot)), ("v", recording.v(robot))):
            yield [f"{robot}.{letter}[{k}]" for k in range(array.shape[1])], array
    segment = contents.segments[0]
    for k, carrier in enumerate(segment.inventory.carriers):
        yield [f"{carrier.object}.{carrier.body}.{n}" for n in POSE_NAMES], segment.rows[:, 7 * k : 7 * k + 7]
    for name, values in contents.user.items():
        flat = values.reshape(len(values), -1)
        yield [f"user.{name}[{k}]" for k in range(flat.shape[1])], flat
