"""What sensors are, as files and programs describe them: frozen values, with RaiSim's names and defaults.

They stand below everything that reads robots from files, and know nothing of Worlds.  A sensor's own axes are x
forward, y left, z up; a camera looks along x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from rbdyn.arguments import choice, number, shown, whole
from rbdyn.arguments import name as checked_name
from rbdyn.errors import Error
from rbdyn.spatial.transform import Transform

NOISES = ("none", "gaussian", "uniform")
DIRECTIONS = ("counterclockwise", "clockwise")
DATA = ("depth", "coordinates")
NEAREST = 1e-6  # [m] what a file means that lets a camera see from 0 on
MOST_PIXELS = 2**26  # of an image, and rays of a scan: 0.5 GB of depth


def _set(value: object, **attributes: object) -> None:
    for key, x in attributes.items():
        object.__setattr__(value, key, x)


def _limit(value: Any, name: str, unit: str) -> float:
    """A positive number, which may be infinite."""
    if isinstance(value, float) and value == math.inf:
        return value
    return number(value, name, above=0.0, unit=unit)


def _check_noise(value: object, name: str) -> None:
    if not isinstance(value, Noise):
        raise Error(f"{name} must be a Noise, got {shown(value)}")


@dataclass(frozen=True)
class Noise:
    """What is added to every number that is measured.

    Parameters
    ----------
    type : {"none", "gaussian", "uniform"}
        "uniform": from `mean` - sqrt(3) `stddev` to `mean` + sqrt(3) `stddev`, so that `stddev` is what it says.
    mean : float
        In the unit of what is measured.
    stddev : float
        Standard deviation, 0 or more.

    Notes
    -----
    RaiSim's GAUSSIAN, UNIFORM and NO_NOISE.  Colours are measured from 0 to 255.
    """

    type: str = "none"
    mean: float = 0.0
    stddev: float = 0.0

    def __post_init__(self) -> None:
        _set(
            self,
            type=choice(self.type, "noise type", NOISES),
            mean=number(self.mean, "noise mean"),
            stddev=number(self.stddev, "noise stddev", low=0.0),
        )

    @property
    def acts(self) -> bool:
        """Whether it changes anything."""
        return self.type != "none" and (self.mean != 0.0 or self.stddev != 0.0)


@dataclass(frozen=True)
class SensorDescription:
    """What all sensors have.

    Parameters
    ----------
    name : str
        Unique in its set.
    pose : Transform
        Where it is on its link: its axes, x forward, y left, z up.
    update_rate : float
        Measurements a second [Hz], 0: only when asked to.
    """

    type: ClassVar[str] = ""
    name: str
    pose: Transform = field(default_factory=Transform)
    update_rate: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.pose, Transform):
            raise Error(f"pose of sensor {shown(self.name)} must be a Transform, got {shown(self.pose)}")
        _set(
            self,
            name=checked_name(self.name, "a sensor's name"),
            update_rate=number(self.update_rate, f"update_rate of sensor {shown(self.name)}", low=0.0, unit="[Hz]"),
        )
        self._check(f" of sensor {self.name!r}")

    def _check(self, whose: str) -> None:
        """Error for a value that cannot be; values become plain floats and ints."""


@dataclass(frozen=True)
class CameraDescription(SensorDescription):
    """What colour and depth cameras have in common; pixels are square.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor.
    width, height : int
        Pixels.
    horizontal_fov : float
        Angle that an image spans from left to right [rad].
    clip_near, clip_far : float
        What is nearer, or farther, along the axis of the camera is not seen [m].
    x_offset, y_offset : float
        How far the axis goes by the middle of the image, to the right and down [pixels].
    noise : Noise
        What is added to each number.
    """

    width: int = 640
    height: int = 480
    horizontal_fov: float = math.pi / 3
    clip_near: float = 0.01
    clip_far: float = math.inf
    x_offset: float = 0.0
    y_offset: float = 0.0
    noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        far = self.clip_far
        near = number(self.clip_near, "clip_near" + whose, above=0.0, unit="[m]")
        if not (isinstance(far, float) and far == math.inf):
            far = number(far, "clip_far" + whose, above=near, unit="[m]")
        _set(
            self,
            width=whole(self.width, "width" + whose, least=1, most=MOST_PIXELS),
            height=whole(self.height, "height" + whose, least=1, most=MOST_PIXELS),
            horizontal_fov=number(self.horizontal_fov, "horizontal_fov" + whose, above=0.0, high=3.1, unit="[rad]"),
            clip_near=near,
            clip_far=far,
            x_offset=number(self.x_offset, "x_offset" + whose),
            y_offset=number(self.y_offset, "y_offset" + whose),
        )
        if self.width * self.height > MOST_PIXELS:
            raise Error(f"width times height{whose} must be at most {MOST_PIXELS}, got {self.width} x {self.height}")
        _check_noise(self.noise, "noise" + whose)


@dataclass(frozen=True)
class RgbCamera(CameraDescription):
    """A colour camera: RaiSim's "rgb".

    Parameters
    ----------
    name, pose, update_rate, width, height, horizontal_fov, clip_near, clip_far, x_offset, y_offset, noise
        As for every camera.
    """

    type: ClassVar[str] = "rgb"


@dataclass(frozen=True)
class DepthCamera(CameraDescription):
    """A depth camera: RaiSim's "depth".

    Parameters
    ----------
    name, pose, update_rate, width, height, horizontal_fov, clip_near, clip_far, x_offset, y_offset, noise
        As for every camera.
    data : {"depth", "coordinates"}
        What RaiSim's files ask for.  Either way depths along its axis are measured; `points` makes coordinates of them.
    """

    type: ClassVar[str] = "depth"
    clip_far: float = 10.0
    data: str = "depth"

    def _check(self, whose: str) -> None:
        super()._check(whose)
        _set(self, data=choice(self.data, "data" + whose, DATA))


@dataclass(frozen=True)
class Imu(SensorDescription):
    """An inertial measurement unit: RaiSim's "imu".

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor.
    acc_limit, ang_vel_limit : float
        Largest reading along each axis, and its negative the least [m/s^2, rad/s].
    acc_noise, ang_vel_noise : Noise
        What is added to each reading along each axis [m/s^2, rad/s].
    acc_bias_walk, ang_vel_bias_walk : float
        How far biases walk: standard deviation of what they change by in one second along each axis, growing as the
        root of time [m/s^2/sqrt(s), rad/s/sqrt(s)].
    """

    type: ClassVar[str] = "imu"
    acc_limit: float = math.inf
    ang_vel_limit: float = math.inf
    acc_noise: Noise = Noise()
    ang_vel_noise: Noise = Noise()
    acc_bias_walk: float = 0.0
    ang_vel_bias_walk: float = 0.0

    def _check(self, whose: str) -> None:
        _set(
            self,
            acc_limit=_limit(self.acc_limit, "acc_limit" + whose, "[m/s^2]"),
            ang_vel_limit=_limit(self.ang_vel_limit, "ang_vel_limit" + whose, "[rad/s]"),
            acc_bias_walk=number(self.acc_bias_walk, "acc_bias_walk" + whose, low=0.0),
            ang_vel_bias_walk=number(self.ang_vel_bias_walk, "ang_vel_bias_walk" + whose, low=0.0),
        )
        _check_noise(self.acc_noise, "acc_noise" + whose)
        _check_noise(self.ang_vel_noise, "ang_vel_noise" + whose)


@dataclass(frozen=True)
class SpinningLidar(SensorDescription):
    """A lidar that spins about its z axis: RaiSim's "spinning_lidar".

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor.
    yaw_samples : int
        Rays of a whole turn; the first is along x.
    pitch_samples : int
        Rays above one another, evenly from `pitch_min_angle` to `pitch_max_angle`.
    pitch_min_angle, pitch_max_angle : float
        Of the lowest and the highest ray, above the x-y plane [rad].
    range_min, range_max : float
        What is nearer, or farther, is not seen [m].
    spinning_rate : float
        Turns a second [Hz]; 0: each measurement is a whole turn, taken in one instant.
    spin_direction : {"counterclockwise", "clockwise"}
        Seen from above.
    noise : Noise
        What is added to each range [m].

    Notes
    -----
    RaiSim's spinDirection is +1 for "counterclockwise", which is any word but "clockwise", and -1.
    """

    type: ClassVar[str] = "spinning_lidar"
    yaw_samples: int = 1
    pitch_samples: int = 1
    pitch_min_angle: float = 0.0
    pitch_max_angle: float = 0.0
    range_min: float = 0.0
    range_max: float = 100.0
    spinning_rate: float = 10.0
    spin_direction: str = "counterclockwise"
    noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        low = number(self.pitch_min_angle, "pitch_min_angle" + whose, low=-math.pi / 2, high=math.pi / 2, unit="[rad]")
        near = number(self.range_min, "range_min" + whose, low=0.0, unit="[m]")
        _set(
            self,
            yaw_samples=whole(self.yaw_samples, "yaw_samples" + whose, least=1, most=MOST_PIXELS),
            pitch_samples=whole(self.pitch_samples, "pitch_samples" + whose, least=1, most=MOST_PIXELS),
            pitch_min_angle=low,
            pitch_max_angle=number(
                self.pitch_max_angle, "pitch_max_angle" + whose, low=low, high=math.pi / 2, unit="[rad]"
            ),
            range_min=near,
            range_max=number(self.range_max, "range_max" + whose, above=near, unit="[m]"),
            spinning_rate=number(self.spinning_rate, "spinning_rate" + whose, low=0.0, unit="[Hz]"),
            spin_direction=choice(self.spin_direction, "spin_direction" + whose, DIRECTIONS),
        )
        if self.yaw_samples * self.pitch_samples > MOST_PIXELS:
            raise Error(f"yaw_samples times pitch_samples{whose} must be at most {MOST_PIXELS}")
        _check_noise(self.noise, "noise" + whose)


@dataclass(frozen=True)
class JointSensor(SensorDescription):
    """Position, velocity and force of a joint.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor; the pose is not used.
    joint : str
        Which, with one degree of freedom or more.
    position_noise, velocity_noise, force_noise : Noise
        What is added to each coordinate.
    """

    type: ClassVar[str] = "joint"
    joint: str = ""
    position_noise: Noise = Noise()
    velocity_noise: Noise = Noise()
    force_noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        _set(self, joint=_joint(self.joint, whose))
        for word in ("position_noise", "velocity_noise", "force_noise"):
            _check_noise(getattr(self, word), word + whose)


@dataclass(frozen=True)
class ForceTorqueSensor(SensorDescription):
    """The wrench that goes through a joint, fixed ones too.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor; `pose` is where it is on the joint's child, and its axes.
    joint : str
        Which; it must be given.
    force_noise, torque_noise : Noise
        What is added along each axis [N, N m].
    """

    type: ClassVar[str] = "force_torque"
    joint: str = ""
    force_noise: Noise = Noise()
    torque_noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        _set(self, joint=_joint(self.joint, whose))
        _check_noise(self.force_noise, "force_noise" + whose)
        _check_noise(self.torque_noise, "torque_noise" + whose)


@dataclass(frozen=True)
class ContactSensor(SensorDescription):
    """The force of all contacts of a link, and whether there is one.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor; forces are along its axes.
    noise : Noise
        What is added to the force along each axis [N].
    """

    type: ClassVar[str] = "contact"
    noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        _check_noise(self.noise, "noise" + whose)


@dataclass(frozen=True)
class TouchSensor(SensorDescription):
    """How hard contacts within a ball press: the sum of their normal forces.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor; the ball is about its origin.
    radius : float
        Of the ball [m]; infinite: all contacts of the link.
    noise : Noise
        What is added [N].
    """

    type: ClassVar[str] = "touch"
    radius: float = math.inf
    noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        _set(self, radius=_limit(self.radius, "radius" + whose, "[m]"))
        _check_noise(self.noise, "noise" + whose)


@dataclass(frozen=True)
class RangeSensor(SensorDescription):
    """How far it is to the next thing along x.

    Parameters
    ----------
    name, pose, update_rate
        As for every sensor.
    range_min, range_max : float
        What is nearer, or farther, is not seen [m].
    noise : Noise
        What is added to the range [m].
    """

    type: ClassVar[str] = "range"
    range_min: float = 0.0
    range_max: float = 10.0
    noise: Noise = Noise()

    def _check(self, whose: str) -> None:
        near = number(self.range_min, "range_min" + whose, low=0.0, unit="[m]")
        _set(self, range_min=near, range_max=number(self.range_max, "range_max" + whose, above=near, unit="[m]"))
        _check_noise(self.noise, "noise" + whose)


SENSORS: dict[str, type[SensorDescription]] = {
    kind.type: kind
    for kind in (
        RgbCamera,
        DepthCamera,
        Imu,
        SpinningLidar,
        JointSensor,
        ForceTorqueSensor,
        ContactSensor,
        TouchSensor,
        RangeSensor,
    )
}


@dataclass(frozen=True)
class SensorSetDescription:
    """Sensors that are mounted on a link together: RaiSim's <sensor_set>.

    Parameters
    ----------
    name : str
        Unique on its robot.
    sensors : iterable of SensorDescription
        Whose names differ; kept as a tuple.
    model : str
        Of what make it is, for programs that talk to the real one.
    serial_number : str
        Of the real one.
    """

    name: str
    sensors: tuple[SensorDescription, ...] = ()
    model: str = ""
    serial_number: str = ""

    def __post_init__(self) -> None:
        name = checked_name(self.name, "a sensor set's name")
        _set(self, name=name, sensors=_sensors(self.sensors, name))
        for word in ("model", "serial_number"):
            if not isinstance(getattr(self, word), str):
                raise Error(f"{word} of sensor set {name!r} must be a string, got {shown(getattr(self, word))}")

    def moved(self, pose: Transform | None = None, name: str | None = None) -> SensorSetDescription:
        """The set on another body.

        Parameters
        ----------
        pose : Transform, optional
            Of its own body in that one's frame; the identity by default.
        name : str, optional
            Another name.

        Returns
        -------
        description : SensorSetDescription
        """
        sensors = self.sensors if pose is None else tuple(replace(s, pose=pose @ s.pose) for s in self.sensors)
        return replace(self, sensors=sensors, name=self.name if name is None else name)


def described(said: Any) -> SensorSetDescription:
    """The description that a sensor set of a file means: what has the same names, and sensors of a known `type`.

    Parameters
    ----------
    said : object
        With a `name`, `sensors`, and what else a SensorSetDescription has; sensors and noises likewise.

    Returns
    -------
    description : SensorSetDescription
    """
    if isinstance(said, SensorSetDescription):
        return said
    sensors = []
    for one in said.sensors:
        kind = SENSORS[choice(getattr(one, "type", None), f"type of a sensor of {said.name!r}", tuple(SENSORS))]
        values = {f.name: getattr(one, f.name) for f in fields(kind) if hasattr(one, f.name)}
        for key, value in values.items():
            if not isinstance(value, Noise) and key.endswith("noise"):
                values[key] = Noise(value.type, value.mean, value.stddev)
            elif key == "clip_near" and value == 0.0:
                values[key] = NEAREST
        sensors.append(kind(**values))
    words = {key: getattr(said, key, "") for key in ("model", "serial_number")}
    return SensorSetDescription(said.name, tuple(sensors), **words)


def _joint(name: Any, whose: str) -> str:
    if isinstance(name, str) and not name:
        raise Error(f"joint{whose} must be given: the name of the joint that it measures")
    return checked_name(name, "joint" + whose)


def _sensors(given: Iterable[Any], name: str) -> tuple[SensorDescription, ...]:
    """Descriptions with names of their own, or Error."""
    try:
        sensors = tuple(given)
    except TypeError:
        raise Error(f"sensors of sensor set {name!r} must be descriptions, got {shown(given)}") from None
    for one in sensors:
        if type(one) not in SENSORS.values():
            kinds = ", ".join(kind.__name__ for kind in SENSORS.values())
            raise Error(f"sensors of sensor set {name!r} must be of {kinds}, got {shown(one)}")
    names = [one.name for one in sensors]
    for one in names:
        if names.count(one) > 1:
            raise Error(f"sensor set {name!r} has several sensors named {one!r}")
    return sensors
