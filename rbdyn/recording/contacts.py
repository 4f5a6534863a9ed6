"""Contacts in recordings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import RecordingError, unknown_name
from rbdyn.recording.contents import Segment
from rbdyn.spatial.rotations import Array

Owner = tuple[str, str, str, str]  # object, body, geometry, link
GONE: Owner = ("", "", "", "")


@dataclass(frozen=True, eq=False)
class RecordedContact:
    """A contact of one frame.

    Attributes
    ----------
    object_a, object_b, body_a, body_b, geometry_a, geometry_b, link_a, link_b : str
        Names of what is in contact.
    position : (3,) ndarray
        World [m].
    normal : (3,) ndarray
        Unit vector into object A, world axes.
    depth : float
        Penetration [m], negative for a gap.
    force : (3,) ndarray
        Mean force on object A over the step before the frame, world axes [N].
    """

    object_a: str
    body_a: str
    geometry_a: str
    link_a: str
    object_b: str
    body_b: str
    geometry_b: str
    link_b: str
    position: Array
    normal: Array
    depth: float
    force: Array


def check_recorded(segments: tuple[Segment, ...]) -> None:
    """RecordingError if contacts were not."""
    if not all(segment.inventory.contacts for segment in segments):
        raise RecordingError("contacts were not recorded: world.record(contacts=True) does")


def contacts_of(segment: Segment, frame: int) -> list[RecordedContact]:
    """Those of a frame of a segment."""
    check_recorded((segment,))
    owners = segment.inventory.shapes
    made = []
    for one in segment.contacts[segment.first_contact[frame] : segment.first_contact[frame + 1]]:
        a, b = (owners.get(int(number), GONE) for number in one["shapes"])
        made.append(RecordedContact(*a, *b, one["position"].copy(), one["normal"].copy(), float(one["depth"]),
                                    one["force"].copy()))  # fmt: skip
    return made


def force_on(segments: tuple[Segment, ...], name: str) -> Array:
    """Sum of the forces on whatever has this name, at each frame, (n, 3) [N]."""
    check_recorded(segments)
    if not any(name in owner for segment in segments for owner in segment.inventory.shapes.values()):
        known = {part for segment in segments for owner in segment.inventory.shapes.values() for part in owner}
        raise unknown_name("object, body, link or shape that collides", name, known, "this recording")
    return np.concatenate([_force(segment, name) for segment in segments])


def _force(segment: Segment, name: str) -> Array:
    """Of one segment."""
    owners: dict[int, Owner] = segment.inventory.shapes
    mine = np.array([number for number, owner in owners.items() if name in owner], dtype=np.int64)
    shapes: NDArray[Any] = segment.contacts["shapes"]
    sign = np.isin(shapes[:, 0], mine).astype(float) - np.isin(shapes[:, 1], mine)
    frame = np.repeat(np.arange(len(segment)), np.diff(segment.first_contact))
    total = np.zeros((len(segment), 3))
    np.add.at(total, frame, sign[:, None] * segment.contacts["force"])
    return total
