"""MountedSensor: a sensor on a robot, with its latest measurement."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import choice, number, shown
from rbdyn.errors import Error, RemovedError, UnknownNameError, unknown_name
from rbdyn.sensors.descriptions import SensorDescription
from rbdyn.spatial.rotations import quat_from_matrix
from rbdyn.world.scheduler.schedule import check_rate

if TYPE_CHECKING:
    from rbdyn.sensors.mount import Mount
    from rbdyn.world import ArticulatedSystem, World

Array = NDArray[np.float64]

SOURCES = ("simulation", "manual")
NEVER = -1.0  # time stamp of what was not measured yet
FEW = 4096  # numbers of a measurement that snapshots keep


class MountedSensor:
    """A sensor on a link of a robot: what it measured latest, and when.

    Made by `ArticulatedSystem.add_sensor_set`.  With an `update_rate` it measures by itself while the World runs, at
    the beginning of steps; `measure` lets it measure now.

    Parameters
    ----------
    mount : Mount
        Where it is mounted, and in which set.
    description : SensorDescription
        What it is.
    seed : int
        Of its noise; its name counts too, so that sensors of one seed differ.

    Attributes
    ----------
    description : SensorDescription
        What it is.
    """

    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {}  # name of what it measures -> shape; None: any

    def __init__(self, mount: Mount, description: SensorDescription, seed: int) -> None:
        self._mount, self.description = mount, description
        self._rate = description.update_rate
        self._mounting = description.pose.matrix  # on its link
        self._rng = np.random.default_rng([seed, zlib.crc32(self.full_name.encode())])
        self._stamp, self._source = NEVER, "simulation"
        self._values: dict[str, Array] = {}
        self._begin()

    def _begin(self) -> None:
        """Find what it needs of the robot; an error if there is none."""

    def _measured(self, dt: float) -> dict[str, Array]:
        """What it measures now; `dt` is the time since it did before [s]."""
        raise NotImplementedError

    # ---- what it is ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Unique in its set."""
        return self.description.name

    @property
    def full_name(self) -> str:
        """Names of the robot, the set and the sensor: "ROBOT/SET/SENSOR"."""
        return f"{self._mount.robot.name}/{self._mount.name}/{self.name}"

    @property
    def type(self) -> str:
        """What kind it is: "rgb", "imu" and so on."""
        return self.description.type

    @property
    def mounted_on(self) -> tuple[str, str]:
        """Names of the robot and of its link; RemovedError if one has left."""
        self._mount.check()
        return self._mount.robot.name, self._mount.body.name

    @property
    def robot(self) -> ArticulatedSystem:
        """The robot; RemovedError if it has left its World."""
        robot = self._mount.robot
        robot.world  # noqa: B018  raises if it has left
        return robot

    @property
    def world(self) -> World:
        """The World of its robot; RemovedError if that has left it."""
        return self._mount.robot.world

    # ---- where it is ---------------------------------------------------------------------------

    @property
    def pose(self) -> Array:
        """Homogeneous pose in the world now, (4, 4), fresh; x forward, y left, z up."""
        return self._link_pose @ self._mounting

    @property
    def position(self) -> Array:
        """Its origin in the world now, (3,), fresh [m]."""
        return np.array(self.pose[:3, 3])

    @property
    def mounting_orientation(self) -> Array:
        """Quaternion [w, x, y, z] of its axes in the world now, (4,), fresh."""
        return quat_from_matrix(self.pose[:3, :3])

    @property
    def _link_pose(self) -> Array:
        self._mount.check()
        return self._mount.link.pose

    # ---- when it measures ----------------------------------------------------------------------

    @property
    def update_rate(self) -> float:
        """Measurements a second while the World runs [Hz], 0: only when asked to.  Not above that of the steps."""
        return self._rate

    @update_rate.setter
    def update_rate(self, value: float) -> None:
        rate = checked_rate(value, self.world, self.full_name)
        for schedule in self.world.schedules:
            if schedule.name == self._schedule_name:
                schedule.cancel()
        if rate > 0.0:
            self.world.schedule(self._due, rate, name=self._schedule_name)
        self._rate = rate

    @property
    def _schedule_name(self) -> str:
        return f"sensor {self.full_name}"

    @property
    def time_stamp(self) -> float:
        """Time of the latest measurement [s], negative if there was none."""
        return self._stamp

    @property
    def source(self) -> str:
        """Where measurements come from: "simulation", or "manual", which `set` makes it; can be set."""
        return self._source

    @source.setter
    def source(self, value: str) -> None:
        self._source = choice(value, "source", SOURCES)

    def _due(self, world: World) -> None:
        """Called by the World.  A sensor whose link is gone measures no more; the World goes on."""
        try:
            if self._source == "simulation":
                self.measure()
        except (RemovedError, UnknownNameError):
            for schedule in world.schedules:
                if schedule.name == self._schedule_name:
                    schedule.cancel()

    # ---- what it measured ----------------------------------------------------------------------

    def measure(self) -> dict[str, Array]:
        """Measure now, whatever the rate and the source.

        Returns
        -------
        values : dict
            What it measured: name -> read-only ndarray.

        Raises
        ------
        RemovedError
            If the robot has left its World, or the link the robot.
        BusyError
            While the World steps; observers may ask.
        """
        self._mount.check()
        now = self.world.time
        values = self._measured(now - self._stamp if self._stamp >= 0.0 else 0.0)
        for array in values.values():
            array.flags.writeable = False
        self._values, self._stamp, self._source = values, now, "simulation"
        return dict(values)

    def set(self, time_stamp: float | None = None, **values: ArrayLike) -> None:
        """Put in what a real sensor measured; `source` is "manual" then, and the World leaves it alone.

        Parameters
        ----------
        time_stamp : float, optional
            When [s]; the World's time by default.
        **values
            By the names that `measure` returns; what is not given stays.

        Raises
        ------
        UnknownNameError
            If it measures nothing of a name.
        Error
            If a value is of the wrong shape, or not finite where it must be; nothing changes then.
        """
        stamp = self.world.time if time_stamp is None else number(time_stamp, "time_stamp", unit="[s]")
        checked = {}
        for name, value in values.items():
            if name not in self._values_of:
                raise unknown_name("measurement", name, self._values_of, f"sensor {self.full_name!r}")
            try:
                array: NDArray[Any] = np.array(value, dtype=self._dtype(name))
            except (TypeError, ValueError, OverflowError):
                raise Error(f"{name} must be an array of numbers, got {shown(value)}") from None
            shape = self._shape(name)
            if shape is not None and array.shape != shape:
                raise Error(f"{name} must be of shape {shape}, got {array.shape}")
            if np.isnan(array).any():
                raise Error(f"{name} must be numbers, got {shown(value)}")
            array.flags.writeable = False
            checked[name] = array
        self._values = {**self._values, **checked}
        self._stamp, self._source = stamp, "manual"

    def _shape(self, name: str) -> tuple[int, ...] | None:
        """Which a measurement has; None: any."""
        return self._values_of[name]

    def _dtype(self, name: str) -> Any:
        return np.float64

    @property
    def values(self) -> dict[str, Array]:
        """What it measured latest: name -> read-only ndarray, empty if there was nothing yet."""
        return dict(self._values)

    def __getitem__(self, name: str) -> Array:
        if name not in self._values_of:
            raise unknown_name("measurement", name, self._values_of, f"sensor {self.full_name!r}")
        if name not in self._values:
            raise Error(
                f"sensor {self.full_name!r} has not measured {name} yet: call measure(), or let the World run with an "
                f"update_rate above 0 (now {self._rate:g} Hz)"
            )
        return self._values[name]

    def __repr__(self) -> str:
        when = "no measurement" if self._stamp < 0.0 else f"measured at {self._stamp:.6g} s"
        return f"{type(self).__name__}({self.full_name!r}, {self._rate:g} Hz, {when})"

    # ---- in snapshots --------------------------------------------------------------------------

    def noted(self) -> dict[str, Any]:
        """Its state, as JSON can say it; measurements of many numbers are left out."""
        few = {k: [str(x.dtype), list(x.shape), x.ravel().tolist()] for k, x in self._values.items() if x.size <= FEW}
        note: dict[str, Any] = {"random": self._rng.bit_generator.state, "source": self._source, "values": few}
        note["stamp"] = self._stamp if len(few) == len(self._values) else NEVER
        return note | {"rate": self._rate, "more": self._more()}

    def put_back(self, note: dict[str, Any]) -> None:
        """As it was noted.

        Parameters
        ----------
        note : dict
            What `noted` returned.
        """
        self._rng.bit_generator.state = note["random"]
        self._source, self._stamp, self._rate = note["source"], note["stamp"], note["rate"]
        self._values = {}
        for name, (dtype, shape, numbers) in note["values"].items():
            array = np.array(numbers, dtype=dtype).reshape(shape)
            array.flags.writeable = False
            self._values[name] = array
        self._put_more(note["more"])

    def _more(self) -> dict[str, Any]:
        """What else its state is."""
        return {}

    def _put_more(self, more: dict[str, Any]) -> None:
        """As it was noted."""


def checked_rate(value: Any, world: World, name: str) -> float:
    """A rate that is not above that of the steps."""
    rate = number(value, f"update_rate of sensor {name!r}", low=0.0, unit="[Hz]")
    check_rate(rate, world.time_step, f"update_rate of sensor {name!r}")
    return rate
