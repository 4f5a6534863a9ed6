"""Recordings as .npz: plain arrays by name, and what makes a Recording of them again."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import RecordingError
from rbdyn.recording.contents import CONTACT, Contents, Segment
from rbdyn.recording.drawn import Drawn, changes_of, drawn_from
from rbdyn.recording.packing import packed, unpacked

FORMAT = 1  # changes with every change of what is written


def save(recording: Any, path: str | os.PathLike[str]) -> None:
    """Write all of a recording.

    Plain names are for whoever reads it with numpy: "time", "ROBOT/q", "ROBOT/v", "OBJECT/BODY/position",
    "OBJECT/BODY/orientation", "user/NAME".  What stands under "recording/" is for `load_recording`.
    """
    contents = recording._contents()
    arrays: dict[str, NDArray[Any]] = {"time": recording.time, "steps": recording.steps}
    if len(contents.segments) == 1:
        arrays |= dict(plain(recording, contents.segments[0]))
    arrays |= {f"user/{name}": values for name, values in contents.user.items()}
    said = {"format": FORMAT, "every": contents.every, "end": contents.end, "segments": len(contents.segments),
            "complete": recording.complete, "user": list(contents.user),
        "sensors": {name: list(measured) for name, measured in contents.sensors.items()}}  # fmt: skip
    for name, measured in contents.sensors.items():
        arrays |= {f"sensors/{name}/{key}": values for key, values in measured.items()}
    changes = [] if contents.drawn is None else changes_of(contents.drawn)
    said["drawn"] = [frame for frame, _ in changes]
    arrays |= {f"recording/drawn/{k}": _bytes(data) for k, (_, data) in enumerate(changes)}
    arrays["recording/said"] = _bytes(json.dumps(said).encode())
    arrays["recording/snapshot"] = _bytes(contents.snapshot)
    for k, segment in enumerate(contents.segments):
        arrays |= {
            f"recording/{k}/inventory": _bytes(packed(segment.inventory)),
            f"recording/{k}/steps": segment.steps,
            f"recording/{k}/time": segment.time,
            f"recording/{k}/rows": segment.rows,
            f"recording/{k}/first_contact": segment.first_contact,
            f"recording/{k}/contacts": segment.contacts,
        }
    with Path(path).open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def plain(recording: Any, segment: Segment) -> list[tuple[str, NDArray[Any]]]:
    """What people look for."""
    found: list[tuple[str, NDArray[Any]]] = []
    for name in recording.robots:
        found += [(f"{name}/q", recording.q(name)), (f"{name}/v", recording.v(name))]
    for k, carrier in enumerate(segment.inventory.carriers):
        at, prefix = 7 * k, f"{carrier.object}/{carrier.body}"
        found += [(f"{prefix}/position", segment.rows[:, at : at + 3]),
                  (f"{prefix}/orientation", segment.rows[:, at + 3 : at + 7])]  # fmt: skip
    return found


def _bytes(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)


def read(path: Path) -> tuple[Contents, bool]:
    """The contents that `save` wrote, and whether the recording was complete."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if "recording/said" not in file.files:
                raise RecordingError(f"{path} is an .npz, but no recording: it has {', '.join(file.files[:5])}")
            said = json.loads(file["recording/said"].tobytes())
            if said.get("format") != FORMAT:
                raise RecordingError(f"{path} is of format {said.get('format')}, and this version reads {FORMAT}")
            segments = tuple(_segment(file, k) for k in range(int(said["segments"])))
            n = sum(map(len, segments))
            user = {str(name): _of_length(file[f"user/{name}"], n) for name in said["user"]}
            snapshot = file["recording/snapshot"].tobytes()
            sensors = {
                str(name): {str(key): file[f"sensors/{name}/{key}"] for key in keys}
                for name, keys in said.get("sensors", {}).items()
            }
            drawn = _drawn(file, said.get("drawn", []), n)
            contents = Contents(segments, user, sensors, snapshot, dict(said["end"]), int(said["every"]), drawn)
            return contents, bool(said["complete"])
    except RecordingError:
        raise
    except (AttributeError, EOFError, KeyError, OSError, OverflowError, TypeError, ValueError, NotImplementedError,
            RecursionError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:  # fmt: skip
        raise RecordingError(f"{path} is damaged or malformed: {error}") from None


def _drawn(file: Any, frames: list[int], n: int) -> Drawn | None:
    if not frames:
        return None
    return drawn_from(((int(at), file[f"recording/drawn/{k}"].tobytes()) for k, at in enumerate(frames)), n)


def _segment(file: Any, k: int) -> Segment:
    inventory = unpacked(file[f"recording/{k}/inventory"].tobytes())
    steps, time, rows, first, contacts = (
        file[f"recording/{k}/{name}"] for name in ("steps", "time", "rows", "first_contact", "contacts")
    )
    n = len(time)
    if rows.shape != (n, inventory.width) or rows.dtype != np.float64 or time.dtype != np.float64 or time.ndim != 1:
        raise ValueError(f"segment {k} has rows of shape {rows.shape}, not ({n}, {inventory.width})")
    if steps.shape != (n,) or steps.dtype != np.int64 or first.shape != (n + 1,) or first.dtype != np.int64:
        raise ValueError(f"segment {k} has steps or contacts of another number of frames")
    if contacts.dtype != CONTACT or first[0] != 0 or first[-1] != len(contacts) or (np.diff(first) < 0).any():
        raise ValueError(f"segment {k} has contacts that do not fit its frames")
    return Segment(inventory, steps, time, rows, first, contacts)


def _of_length(values: NDArray[Any], n: int) -> NDArray[np.float64]:
    if values.dtype != np.float64 or len(values) != n:
        raise ValueError("the user's values are of another number of frames")
    return np.asarray(values)
