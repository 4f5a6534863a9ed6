"""SensorSet: sensors that are mounted on a link of a robot together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rbdyn.errors import unknown_name
from rbdyn.sensors.descriptions import SensorSetDescription
from rbdyn.sensors.kinds import MOUNTED
from rbdyn.sensors.mount import Mount
from rbdyn.sensors.sensor import MountedSensor
from rbdyn.world.extensions import edit

if TYPE_CHECKING:
    from rbdyn.mechanism import RigidBody
    from rbdyn.world import ArticulatedSystem


class SensorSet:
    """Sensors on a link of a robot; made by `ArticulatedSystem.add_sensor_set`.

    Parameters
    ----------
    robot : ArticulatedSystem
        Whose they are.
    link : RigidBody
        Where they are mounted.
    description : SensorSetDescription
        What they are.
    seed : int
        Of their noise.

    Attributes
    ----------
    robot : ArticulatedSystem
        Whose they are.
    body : RigidBody
        The link, of the robot's mechanism.
    name, model, serial_number : str
        As described; the serial number can be set.
    sensors : tuple of MountedSensor
        In the order of the description.
    """

    def __init__(self, robot: ArticulatedSystem, link: RigidBody, description: SensorSetDescription, seed: int) -> None:
        self.robot, self.body = robot, link
        self._mount = Mount(robot, link, description.name)
        self.name, self.model, self.serial_number = description.name, description.model, description.serial_number
        self.sensors: tuple[MountedSensor, ...] = tuple(
            MOUNTED[one.type](self._mount, one, seed) for one in description.sensors
        )

    @property
    def full_name(self) -> str:
        """Names of the robot and the set: "ROBOT/SET"."""
        return f"{self.robot.name}/{self.name}"

    @property
    def link(self) -> str:
        """Name of the link."""
        return self.body.name

    def sensor(self, name: str) -> Any:
        """One of them.

        Parameters
        ----------
        name : str
            As described.

        Raises
        ------
        UnknownNameError
            If there is none of this name.
        """
        for one in self.sensors:
            if one.name == name:
                return one
        raise unknown_name("sensor", name, [one.name for one in self.sensors], f"sensor set {self.name!r}")

    def __getitem__(self, name: str) -> Any:
        return self.sensor(name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sensors)

    def __len__(self) -> int:
        return len(self.sensors)

    @property
    def description(self) -> SensorSetDescription:
        """What they are, as a value to write or to mount elsewhere."""
        return SensorSetDescription(
            self.name, tuple(s.description for s in self.sensors), self.model, self.serial_number
        )

    def remove(self) -> None:
        """Take it off the robot: its sensors measure no more; `restore` to a snapshot that has it mounts it again.

        Raises
        ------
        RemovedError
            If it was already, or the robot has left its World, or the link the robot.
        BusyError
            While the World steps, or between the halves of a step.
        """
        self._mount.check()
        edit(self.robot.world, self._remove)

    def _remove(self) -> None:
        for one in self.sensors:
            one.update_rate = 0.0
        self._take_off(f"was taken off {self.robot.name!r}")

    def _take_off(self, fate: str) -> None:
        """It is not on the robot any more; `fate` is what RemovedError says."""
        self._mount.fate = fate

    def _put_on(self) -> None:
        """It is on the robot again."""
        self._mount.fate = ""

    @property
    def removed(self) -> bool:
        """Whether it was taken off its robot."""
        return bool(self._mount.fate)

    def __repr__(self) -> str:
        return f"SensorSet({self.name!r} on {self.robot.name}/{self.link}: {', '.join(s.name for s in self.sensors)})"
