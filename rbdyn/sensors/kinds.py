"""Which class carries out which description."""

from __future__ import annotations

from rbdyn.sensors.cameras import MountedDepthCamera, MountedRgbCamera
from rbdyn.sensors.imu import MountedImu
from rbdyn.sensors.joints import MountedForceTorque, MountedJointSensor
from rbdyn.sensors.lidar import MountedLidar, MountedRange
from rbdyn.sensors.sensor import MountedSensor
from rbdyn.sensors.touch import MountedContact, MountedTouch

MOUNTED: dict[str, type[MountedSensor]] = {
    "rgb": MountedRgbCamera,
    "depth": MountedDepthCamera,
    "imu": MountedImu,
    "spinning_lidar": MountedLidar,
    "joint": MountedJointSensor,
    "force_torque": MountedForceTorque,
    "contact": MountedContact,
    "touch": MountedTouch,
    "range": MountedRange,
}
