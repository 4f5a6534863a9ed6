"""Sensors as recordings and viewers know them: where they are mounted, and what one needs to draw what they measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rbdyn.errors import RemovedError
from rbdyn.scenery.frames import FramePlace, Key
from rbdyn.world import World

SIZES = ("width", "height", "horizontal_fov", "x_offset", "y_offset",
         "pitch_samples", "pitch_min_angle", "pitch_max_angle")  # fmt: skip


class RecordedSensor(NamedTuple):
    """A sensor.

    Parameters
    ----------
    name : str
        "OBJECT/SET/SENSOR".
    type : str
        "imu" and the like.
    place : FramePlace
        Where it is; x forward, y left, z up.
    sizes : dict
        Of cameras width, height, x_offset and y_offset [pixels] and horizontal_fov [rad], of lidars pitch_samples,
        pitch_min_angle and pitch_max_angle [rad].
    """

    name: str
    type: str
    place: FramePlace
    sizes: dict[str, float]


def mounted(world: World) -> Iterator[Any]:
    """All sensors of all objects."""
    for obj in world.objects:
        for sensor_set in getattr(obj, "sensor_sets", {}).values():
            yield from sensor_set.sensors


def described_sensor(sensor: Any, frames: Mapping[Key, FramePlace]) -> RecordedSensor | None:
    """One of them; None if its link is gone."""
    try:
        found = frames.get(sensor.mounted_on)
    except RemovedError:
        return None
    if found is None:
        return None
    said = sensor.description
    sizes = {name: float(getattr(said, name)) for name in SIZES if hasattr(said, name)}
    place = FramePlace(found.carrier, np.asarray(found.pose @ said.pose.matrix))
    return RecordedSensor(sensor.full_name, sensor.type, place, sizes)
