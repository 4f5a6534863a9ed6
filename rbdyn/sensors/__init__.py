"""Sensors: what robots are told of their World, at their own rates, with limits and noise.

`ArticulatedSystem.add_sensor_set` mounts them.  What they are is said by values that know nothing of Worlds
(`rbdyn.sensors.descriptions`), so that files can be read without one; the rest is imported when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbdyn.sensors import descriptions as descriptions
    from rbdyn.sensors.descriptions import CameraDescription as CameraDescription
    from rbdyn.sensors.descriptions import ContactSensor as ContactSensor
    from rbdyn.sensors.descriptions import DepthCamera as DepthCamera
    from rbdyn.sensors.descriptions import ForceTorqueSensor as ForceTorqueSensor
    from rbdyn.sensors.descriptions import Imu as Imu
    from rbdyn.sensors.descriptions import JointSensor as JointSensor
    from rbdyn.sensors.descriptions import Noise as Noise
    from rbdyn.sensors.descriptions import RangeSensor as RangeSensor
    from rbdyn.sensors.descriptions import RgbCamera as RgbCamera
    from rbdyn.sensors.descriptions import SensorDescription as SensorDescription
    from rbdyn.sensors.descriptions import SensorSetDescription as SensorSetDescription
    from rbdyn.sensors.descriptions import SpinningLidar as SpinningLidar
    from rbdyn.sensors.descriptions import TouchSensor as TouchSensor
    from rbdyn.sensors.sensor import MountedSensor as MountedSensor
    from rbdyn.sensors.sensor_set import SensorSet as SensorSet

_DESCRIPTIONS = (
    "CameraDescription",
    "ContactSensor",
    "DepthCamera",
    "ForceTorqueSensor",
    "Imu",
    "JointSensor",
    "Noise",
    "RangeSensor",
    "RgbCamera",
    "SensorDescription",
    "SensorSetDescription",
    "SpinningLidar",
    "TouchSensor",
)
_HOME = dict.fromkeys(_DESCRIPTIONS, "descriptions") | {
    "MountedCamera": "cameras",
    "MountedContact": "touch",
    "MountedDepthCamera": "cameras",
    "MountedForceTorque": "joints",
    "MountedImu": "imu",
    "MountedJointSensor": "joints",
    "MountedLidar": "lidar",
    "MountedRange": "lidar",
    "MountedRgbCamera": "cameras",
    "MountedSensor": "sensor",
    "MountedTouch": "touch",
    "SensorSet": "sensor_set",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f"rbdyn.sensors.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
