"""The sensor sets of the robots of a World: methods of ArticulatedSystem, and what snapshots keep of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any

from rbdyn.arguments import shown, whole
from rbdyn.errors import Error, InactiveFeatureWarning, RemovedError, SnapshotError, unknown_name
from rbdyn.sensors.descriptions import SensorDescription, SensorSetDescription, described
from rbdyn.sensors.sensor import checked_rate
from rbdyn.sensors.sensor_set import SensorSet
from rbdyn.world.extensions import extras

if TYPE_CHECKING:
    from rbdyn.world import ArticulatedSystem, World


class SensorBoard:
    """The sensor sets of one World; what its snapshots ask for the states of sensors."""

    def __init__(self) -> None:
        self.sets: dict[ArticulatedSystem, dict[str, SensorSet]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"sets": {robot: sets for robot, sets in self.sets.items() if is_in_world(robot)}}

    def kept(self) -> dict[str, SensorSet]:
        """The sensor sets of robots that are in the World, by full name."""
        here = (own for robot, own in self.sets.items() if is_in_world(robot))
        return {one.full_name: one for own in here for one in own.values() if not one.removed}

    def noted(self) -> dict[str, Any]:
        """States of all sensors by set, as JSON can say them."""
        return {name: {one.name: one.noted() for one in s.sensors} for name, s in self.kept().items()}

    def fitting(self, note: dict[str, Any]) -> dict[str, SensorSet]:
        """The sets of this World that bear the names of a note; SnapshotError if one is not here, or another."""
        here = (own for robot, own in self.sets.items() if is_in_world(robot))
        present = {one.full_name: one for own in here for one in own.values()}
        for name, sensors in note.items():
            if name not in present or [one.name for one in present[name].sensors] != list(sensors):
                what = f"sensor set {shown(name)}" + (f" with sensors {', '.join(sensors)}" if name in present else "")
                raise SnapshotError(f"the snapshot does not fit this World: its {what} is not here")
        return {name: present[name] for name in note}

    def put_back(self, note: dict[str, Any], kept: dict[str, SensorSet] | None) -> None:
        """As it was noted: these sets are mounted, with the states of their sensors, and no others."""
        for own in self.sets.values():
            for one in own.values():
                if not one.removed:
                    one._take_off(f"is no more: it was not on {one.robot.name!r} in the snapshot that is back")
        for name, one in (kept or {}).items():
            one._put_on()
            self.sets[one.robot][one.name] = one
            for sensor in one.sensors:
                sensor.put_back(note[name][sensor.name])


def is_in_world(robot: ArticulatedSystem) -> bool:
    """Whether it was not removed."""
    try:
        return robot.world is not None
    except RemovedError:
        return False


def board_of(world: World) -> SensorBoard:
    """That of a World, made when it is first needed."""
    board: SensorBoard = extras(world).setdefault("sensors", SensorBoard())
    return board


def add_sensor_set(
    robot: ArticulatedSystem,
    description: str | SensorSetDescription,
    sensors: Iterable[SensorDescription] | None = None,
    link: Any = None,
    seed: int = 0,
) -> SensorSet:
    """`ArticulatedSystem.add_sensor_set`."""
    world = robot.world
    given = description
    if sensors is not None and not isinstance(sensors, Iterable):
        raise Error(f"sensors must be a sequence of descriptions of rbdyn.sensors, got {shown(sensors)}; write [...]")
    if isinstance(description, str):
        description = SensorSetDescription(description, () if sensors is None else tuple(sensors))
    elif isinstance(getattr(description, "sensors", None), tuple) and hasattr(description, "name"):
        if not description.name and is_dataclass(description):  # of a file that was read on its own
            description = replace(description, name=getattr(description, "kind", "") or "sensors")
        description = described(description)
    else:
        raise Error(f"description must be a SensorSetDescription or a name, got {shown(description)}")
    if sensors is not None and not isinstance(given, str):
        raise Error("sensors are in the description; give a name to describe them here")
    body = robot.mechanism.find_body(robot.body(robot.body_names[0] if link is None else link).name)
    own = board_of(world).sets.setdefault(robot, {})
    if description.name in sensor_sets(robot):
        raise Error(f"{robot.name!r} already has a sensor set named {description.name!r}")
    made = SensorSet(robot, body, description, whole(seed, "seed"))
    rates = [checked_rate(one.description.update_rate, world, one.full_name) for one in made.sensors]
    own[made.name] = made
    for one, rate in zip(made.sensors, rates, strict=True):
        one.update_rate = rate
    return made


def remove_sensor_set(robot: ArticulatedSystem, name: str) -> None:
    """`ArticulatedSystem.remove_sensor_set`."""
    sensor_set(robot, name).remove()


def mount_described(robot: ArticulatedSystem) -> None:
    """Mount the sensor sets that the bodies of a robot's mechanism carry, as its file says.

    What asks for more measurements than there are steps measures at each step, with a warning.
    """
    steps = 1.0 / robot.world.time_step
    for body in robot.mechanism.bodies:
        for said in getattr(body, "sensor_sets", ()):
            made = described(said)
            fast = [one for one in made.sensors if one.update_rate > steps]
            if fast:
                names = ", ".join(f"{made.name}/{one.name} ({one.update_rate:g} Hz)" for one in fast)
                warnings.warn(
                    f"{robot.name!r}: sensors that are to measure more often than the World steps measure at each "
                    f"step, {steps:g} Hz: {names}",
                    InactiveFeatureWarning,
                    stacklevel=5,
                )
                sensors = [replace(one, update_rate=min(one.update_rate, steps)) for one in made.sensors]
                made = replace(made, sensors=tuple(sensors))
            add_sensor_set(robot, made, link=body.name)


def sensor_set(robot: ArticulatedSystem, name: str) -> SensorSet:
    """`ArticulatedSystem.sensor_set`."""
    own = sensor_sets(robot)
    if not isinstance(name, str) or name not in own:
        raise unknown_name("sensor set", name, own, repr(robot.name))
    return own[name]


def sensor_sets(robot: ArticulatedSystem) -> dict[str, SensorSet]:
    """`ArticulatedSystem.sensor_sets`."""
    board: SensorBoard | None = extras(robot.world).get("sensors")  # reading makes none: it would be in snapshots
    sets = {} if board is None else board.sets.get(robot, {})
    return {name: one for name, one in sets.items() if not one.removed}
