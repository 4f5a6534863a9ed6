"""Methods of a World that packages above it carry out: to see, to sense and to record is built upon a World.

A World may not import what is built upon it, so these packages are named here by `rbdyn/__init__`, which sees
everything, and imported when a method is first called.  A new one is a function below, a line in world.pyx and
world.pyi, and a line in `rbdyn/__init__`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.world import World

_providers: dict[str, str] = {}


def provide(methods: dict[str, str]) -> None:
    """Say which functions carry out methods: {"record": "rbdyn.recording:record"}; each takes the World first."""
    _providers.update(methods)


def provided(method: str) -> Callable[..., Any]:
    """The function that carries out a method, imported now if it was not yet."""
    module, _, function = _providers[method].partition(":")
    return getattr(importlib.import_module(module), function)


def extras(world: World) -> dict[str, Any]:
    """What packages above keep with a World, by name: things with noted(), kept(), fitting(note), put_back(note, kept).

    Snapshots hold what `noted` returns, which JSON can say, and in their own World what `kept` returns; of another
    World's snapshot `fitting` finds that in this one, or raises SnapshotError.  An empty note is none: `put_back` gets
    {}, and None if nothing was kept.  Copies and pickles of the World hold the thing itself.
    """
    world._check_made()
    inside = world._insides
    if inside.extras is None:
        inside.extras = {}
    kept: dict[str, Any] = inside.extras
    return kept


def edit(world: World, change: Callable[[], Any]) -> Any:
    """What `change()` returns, whose changes other threads and handlers of signals see as one: all are done, or none.

    Raises
    ------
    BusyError
        While the World steps, or between the halves of a step.
    """
    world._check_settable()
    return world._as_one(change)


def render(world: World, camera: Any = None, what: str = "rgb", **options: Any) -> Any:
    """What a camera sees now, without a graphics card or a display.

    Parameters
    ----------
    camera : Camera, optional
        By default one that has everything in its picture: ``rbdyn.Camera.looking_at(world)``.
    what : {"rgb", "depth", "segmentation", "bodies"}
        Colours, (height, width, 3) of uint8; depths along the line of sight, (height, width) of float64 [m], infinite
        where nothing is seen; or which shape, or body, is seen, (height, width) of int, -1 where nothing is: numbers of
        `items`, or of `carriers`, of ``rbdyn.scenery.Scenery(world)``.
    **options
        Of `rbdyn.scenery.look`: `geometry` ("visual", "collision" or "both"), `style`, `hide`, `threads`, `show`.

    Returns
    -------
    picture : ndarray

    Raises
    ------
    Error
        If an argument is wrong.
    RemovedError
        If what the camera is mounted on has left its World.
    BusyError
        While the World steps; observers may ask.

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ground = world.add_ground()
    >>> camera = rbdyn.Camera(width=4, height=3, position=(0, 0, 2), target=(0, 0, 0), up=(0, 1, 0))
    >>> world.render(camera, "depth").round(9).tolist()
    [[2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0]]
    """
    return provided("render")(world, camera, what, **options)


def record(
    world: World,
    every: int | None = None,
    contacts: bool = False,
    user: Callable[[World], Mapping[str, Any]] | None = None,
    path: str | os.PathLike[str] | None = None,
    sensors: bool | Iterable[Any] = False,
) -> Any:
    """Record what happens from now on: poses of all bodies, q and v of robots, velocities, energies, contacts.

    Nothing in the step waits for Python or asks for memory: frames go through 64 kB into a file that is only appended
    to.  What was written survives a crash, and `rbdyn.load_recording` reads it.

    Parameters
    ----------
    every : int, optional
        Steps from frame to frame; by default about 100 frames a second of the World's time.
    contacts : bool
        Whether contacts are recorded.
    user : callable, optional
        Called with the World at each frame: returns a dict of numbers and arrays, of the same names and shapes each
        time.
    path : str or os.PathLike, optional
        The file; by default one of the system's temporary files, which is gone with the recording.
    sensors : bool or iterable of sensors, optional
        Whether what all sensors of robots measure is recorded, each time that they do, images too; or of which.

    Returns
    -------
    recorder : rbdyn.recording.Recorder
        A Recording that goes on until its `stop`, or the end of its context.

    Raises
    ------
    RecordingError
        If the file takes nothing.
    PathError
        If it cannot be opened.
    BusyError
        Between the half steps, or within a step.

    Notes
    -----
    Objects that come and go, surgery and edits are recorded: another segment begins.  A file that takes no more ends
    the recording, not the World: the log and `Recorder.stop` say so.
    """
    return provided("record")(world, every, contacts, user, path, sensors)


def view(world: World, **options: Any) -> Any:
    """Show this World in the browser, as it is stepped.

    Parameters
    ----------
    **options
        Of `rbdyn.view`: `port`, `realtime`, `speed`, `geometry`, `open_browser`.

    Returns
    -------
    viewer : rbdyn.viewer.Viewer
        Its `address` is what to open.

    Raises
    ------
    MissingExtraError
        Without viser: ``pip install "rbdyn[viz]"``.
    """
    return provided("view")(world, **options)


def _sketch(world: World) -> Any:
    """What the user draws into this World, rbdyn.scenery.Sketch: ``world.sketch.arrow("push", start, end)``."""
    world._check_made()
    return provided("sketch")(world)


sketch = property(_sketch)


def html_of(thing: Any) -> str:
    """A picture for notebooks."""
    return str(provided("html_of")(thing))


def add_sensor_set(
    robot: ArticulatedSystem, description: Any, sensors: Any = None, link: Any = None, seed: int = 0
) -> Any:
    """Mount sensors on a link: ``robot.add_sensor_set("head", [Imu("imu", update_rate=200.0)], link="HEAD")``.

    Sensors with an `update_rate` measure by themselves while the World runs, at the beginning of steps.

    Parameters
    ----------
    description : str or SensorSetDescription
        What they are, as a sensor file describes them; or a name.
    sensors : iterable of SensorDescription, optional
        With a name: values of rbdyn.sensors.
    link : str, RigidBody or BodyRef, optional
        Where they are mounted, the base by default.
    seed : int
        Of their noise.

    Returns
    -------
    sensor_set : rbdyn.sensors.SensorSet
        ``sensor_set.sensor("imu").linear_acceleration`` reads one.

    Raises
    ------
    Error
        If the robot has such a set, two sensors have one name, or a rate is above that of the steps; nothing changes.
    UnknownNameError
        If there is no such link, or no joint that a sensor asks for.
    BusyError
        While the World steps.
    """
    return edit(robot.world, partial(provided("add_sensor_set"), robot, description, sensors, link, seed))


def remove_sensor_set(robot: ArticulatedSystem, name: str) -> None:
    """Take a sensor set off the robot: its sensors measure no more, and its name is free again.

    Parameters
    ----------
    name : str
        One of `sensor_sets`.

    Raises
    ------
    UnknownNameError
        If there is none.
    RemovedError
        If its link is not part of the robot any more.
    BusyError
        While the World steps, or between the halves of a step.

    Examples
    --------
    >>> robot.remove_sensor_set("head")  # doctest: +SKIP
    """
    provided("remove_sensor_set")(robot, name)


def mount_described(robot: ArticulatedSystem) -> None:
    """Mount the sensor sets that bodies of a new robot carry."""
    if any(getattr(body, "sensor_sets", ()) for body in robot.mechanism.bodies):
        provided("mount_described")(robot)


def sensor_set(robot: ArticulatedSystem, name: str) -> Any:
    """The sensor set of that name.

    Parameters
    ----------
    name : str
        One of `sensor_sets`.

    Returns
    -------
    sensor_set : rbdyn.sensors.SensorSet

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    return provided("sensor_set")(robot, name)


def _sensor_sets(robot: ArticulatedSystem) -> Any:
    """Its sensor sets, dict: name -> rbdyn.sensors.SensorSet, fresh."""
    return provided("sensor_sets")(robot)


sensor_sets = property(_sensor_sets)
