"""Frames by name: which carrier a body, link or frame moves with, and where it is on that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.model import Model
from rbdyn.scenery.gather import internal_body
from rbdyn.scenery.item import Carrier
from rbdyn.world import ArticulatedSystem, World

Array = NDArray[np.float64]
Key = tuple[str, str]  # object, body, link or frame


class FramePlace(NamedTuple):
    """A body, link or frame: the carrier that it moves with, -1 for the world, and its pose there, (4, 4)."""

    carrier: int
    pose: Array


def world_frames(world: World, carriers: tuple[Carrier, ...]) -> Iterator[tuple[Key, FramePlace]]:
    """All names of bodies, links and frames of a World."""
    first = first_carriers(carriers)
    for obj in world.objects:
        if isinstance(obj, ArticulatedSystem):
            yield from model_frames(obj.name, obj.model, first[obj.name])
        else:
            yield (obj.name, obj.name), FramePlace(first[obj.name], np.eye(4))


def model_frames(name: str, model: Model, first: int) -> Iterator[tuple[Key, FramePlace]]:
    """Those of a robot whose bodies are the carriers from `first` on."""
    for frame in model.frame_names:
        if frame == "world":  # the inertial frame, also where it is the name of a root that was moved
            yield (name, frame), FramePlace(-1, np.eye(4))
            continue
        of_root = model.floating_base and internal_body(model, frame) == 0
        carrier = -1 if of_root else first + model.body_of(frame)
        yield (name, frame), FramePlace(carrier, model.placement(frame))


def first_carriers(carriers: tuple[Carrier, ...]) -> dict[str, int]:
    """Object -> its first carrier."""
    first: dict[str, int] = {}
    for k, carrier in enumerate(carriers):
        first.setdefault(carrier.object, k)
    return first


def pose_of(place: FramePlace, carriers: Array) -> Array:
    """Where it is in the world, (4, 4), of poses (k, 4, 4) of the carriers [m]."""
    return place.pose if place.carrier < 0 else np.asarray(carriers[place.carrier] @ place.pose)
