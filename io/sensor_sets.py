"""What a sensor-set file says: typed values with RaiSim's names and defaults, not yet sensors of a World."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from rbdyn.spatial.transform import Transform

RGB, DEPTH, IMU, LIDAR = "rgb", "depth", "imu", "spinning_lidar"
NOISES = ("none", "gaussian", "uniform")


@dataclass(frozen=True)
class Noise:
    """Noise of a measurement.

    Parameters
    ----------
    type : {"none", "gaussian", "uniform"}
        Its distribution.
    mean, stddev : float
        In the unit of the measurement.
    """

    type: str = "none"
    mean: float = 0.0
    stddev: float = 0.0


@dataclass(frozen=True)
class CameraSpec:
    """An RGB or depth camera: it looks along x of its frame, with y to the left and z up.

    Parameters
    ----------
    name : str
        Unique in its set.
    type : {"rgb", "depth"}
        What a pixel is: a colour, or the distance along x [m].
    width, height : int
        [pixels].
    horizontal_fov : float
        Angle of view from left to right [rad].
    clip_near, clip_far : float
        Distances between which it sees [m].
    update_rate : float
        Measurements a second [Hz]; 0: only when asked to.
    pose : Transform
        Of its frame, in the frame of the body.
    data : {"depth", "coordinates"}
        What a depth camera gives: distances, or points.
    noise : Noise
        [m] of a depth camera.
    """

    name: str
    type: str
    width: int
    height: int
    horizontal_fov: float
    clip_near: float
    clip_far: float
    update_rate: float = 0.0
    pose: Transform = field(default_factory=Transform)
    data: str = "depth"
    noise: Noise = field(default_factory=Noise)


@dataclass(frozen=True)
class ImuSpec:
    """An inertial measurement unit.

    Parameters
    ----------
    name : str
        Unique in its set.
    acc_limit, ang_vel_limit : float
        Where it saturates [m/s^2], [rad/s].
    update_rate : float
        Measurements a second [Hz]; 0: only when asked to.
    pose : Transform
        Of its frame, in the frame of the body.
    acc_noise, ang_vel_noise : Noise
        [m/s^2], [rad/s].
    """

    name: str
    acc_limit: float = math.inf
    ang_vel_limit: float = math.inf
    update_rate: float = 0.0
    pose: Transform = field(default_factory=Transform)
    acc_noise: Noise = field(default_factory=Noise)
    ang_vel_noise: Noise = field(default_factory=Noise)

    @property
    def type(self) -> str:
        """ "imu"."""
        return IMU


@dataclass(frozen=True)
class LidarSpec:
    """A spinning lidar: rays in `pitch_samples` cones about z of its frame, `yaw_samples` each.

    Parameters
    ----------
    name : str
        Unique in its set.
    model : str
        Who makes it; for people.
    yaw_samples, pitch_samples : int
        Rays a turn, and above one another.
    pitch_min_angle, pitch_max_angle : float
        Of the lowest and the highest ray [rad].
    spin_direction : {"counterclockwise", "clockwise"}
        Seen from above.
    spinning_rate : float
        Turns a second [Hz]; 0: each measurement is a whole turn.
    range_min, range_max : float
        Distances between which it sees [m].
    update_rate : float
        Measurements a second [Hz]; 0: only when asked to.
    pose : Transform
        Of its frame, in the frame of the body.
    noise : Noise
        Of distances [m].
    """

    name: str
    model: str = ""
    yaw_samples: int = 1
    pitch_samples: int = 1
    pitch_min_angle: float = 0.0
    pitch_max_angle: float = 0.0
    spin_direction: str = "counterclockwise"
    spinning_rate: float = 10.0
    range_min: float = 0.0
    range_max: float = 100.0
    update_rate: float = 0.0
    pose: Transform = field(default_factory=Transform)
    noise: Noise = field(default_factory=Noise)

    @property
    def type(self) -> str:
        """ "spinning_lidar"."""
        return LIDAR


SensorSpec = CameraSpec | ImuSpec | LidarSpec


@dataclass(frozen=True)
class SensorSet:
    """The sensors on one link; `RigidBody.sensor_sets` has those of a body.

    Parameters
    ----------
    name : str
        Of the link that asks for it: RaiSim's `getSensorSet` goes by it.
    kind : str
        The set's own name, as its file gives it.
    file : str
        The file, as the robot file names it; empty if it was read on its own.
    model, serial_number : str
        As the link gives them; empty if it does not.
    sensors : tuple of CameraSpec, ImuSpec and LidarSpec
        With poses in the frame of the body.
    """

    name: str
    kind: str = ""
    file: str = ""
    model: str = ""
    serial_number: str = ""
    sensors: tuple[SensorSpec, ...] = ()

    def moved(self, pose: Transform | None = None, name: str | None = None) -> SensorSet:
        """The set on a body in which its own sits at `pose`, and of another name if one is given."""
        items = self.sensors if pose is None else tuple(replace(s, pose=pose @ s.pose) for s in self.sensors)
        return replace(self, sensors=items, name=self.name if name is None else name)
