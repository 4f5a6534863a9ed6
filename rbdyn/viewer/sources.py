"""Sources: what is shown, as frames: a World that is stepped, a mechanism that stands, a recording that is played."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.algorithms import project_configuration
from rbdyn.errors import BusyError, RemovedError
from rbdyn.model import State
from rbdyn.recording import Recording
from rbdyn.recording.contents import CONTACT
from rbdyn.recording.describing import inventory_of, lead
from rbdyn.recording.inventory import POSE, Inventory, pose_matrices
from rbdyn.recording.sensing import RecordedSensor, described_sensor, mounted
from rbdyn.recording.tape import Tap
from rbdyn.recording.trajectories import inventory_of_model, row_of
from rbdyn.scenery import Scenery
from rbdyn.scenery.sketch import Sketch, Stroke, strokes_in
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

IDLE = 0.1  # [s] without a step, after which a World is looked at where it stands
WORD = 8


class Frame(NamedTuple):
    """What there is at one time.

    Parameters
    ----------
    time : float
        [s].
    inventory : Inventory
    row : (inventory.width,) ndarray
    contacts : (m,) ndarray of CONTACT
    strokes : tuple of Stroke
        What the user drew.
    sensors : tuple of RecordedSensor
        The same object while they are the same.
    measured : dict
        Name of a sensor -> name of a value -> ndarray, what they measured latest.
    """

    time: float
    inventory: Inventory
    row: Array
    contacts: NDArray[Any]
    strokes: tuple[Stroke, ...] = ()
    sensors: tuple[RecordedSensor, ...] = ()
    measured: Mapping[str, Mapping[str, NDArray[Any]]] = MappingProxyType({})

    def carriers(self) -> Array:
        """World poses of the carriers, (k, 4, 4) [m]."""
        n = len(self.inventory.carriers)
        return pose_matrices(self.row[: POSE * n].reshape(n, POSE))


class WorldSource:
    """A World: frames are handed over by its steps, which wait for nobody; between steps it is looked at.

    Parameters
    ----------
    world : World
    """

    def __init__(self, world: World) -> None:
        self._world = weakref.ref(world)
        self._scenery = Scenery(world, geometry="both").let_go()
        self.tap = Tap(world, 1, True, self._describe)
        self._describe()
        world.add_observer(self.tap)
        self._given = 0.0
        self._mounts: list[Any] = []
        self._sensed_for: Inventory | None = None
        self._sensors: tuple[RecordedSensor, ...] = ()
        self.tap.ask()

    @property
    def world(self) -> World | None:
        """The World, None once nobody has it any more."""
        return self._world()

    def _describe(self) -> None:
        world = self._world()
        assert world is not None  # it, or somebody who looks at it, calls this
        self._scenery.update()
        inventory = inventory_of(world, True, self._scenery)
        lead(self.tap, world, inventory)
        self._inventory = inventory

    def next(self) -> Frame | None:
        """A new frame, if there is one."""
        data = self.tap.latest()
        if data is None and time.monotonic() - self._given > IDLE:
            data = self._now()
        if data is None:
            return None
        self._given = time.monotonic()
        frame = frame_from(data, self._inventory)
        self.tap.ask()
        return None if frame is None else self._with_extras(frame)

    def _with_extras(self, frame: Frame) -> Frame:
        """What is no number of the step: what the user drew, what sensors measured latest."""
        world = self._world()
        if world is None:
            return frame
        mounts = list(mounted(world))
        if mounts != self._mounts or frame.inventory is not self._sensed_for:
            self._mounts, self._sensed_for = mounts, frame.inventory
            found = [(one, described_sensor(one, frame.inventory.frames)) for one in mounts]
            self._sensors = tuple(told for _, told in found if told is not None)
        measured = {one.full_name: one.values for one in mounts}
        return frame._replace(strokes=strokes_in(world), sensors=self._sensors, measured=measured)

    def _now(self) -> bytes | None:
        """Of the World as it stands, unless it steps."""
        world = self._world()
        if world is None:
            return None
        try:
            return self.tap.now(world.time)
        except (BusyError, RemovedError):  # a step has begun, or somebody goes just now
            return None

    def close(self) -> None:
        """Look no more."""
        world = self._world()
        if world is not None:
            try:
                world.remove_observer(self.tap)
            except BusyError:  # in the middle of a step: nobody asks it any more
                return


def frame_from(data: bytes, inventory: Inventory) -> Frame | None:
    """A frame of a Tap; None if it is not of this inventory."""
    words = inventory.width + 2
    if len(data) < WORD * (words + 1):
        return None
    n = int(np.frombuffer(data, "<i8", 1, WORD * words)[0])
    if len(data) != WORD * (words + 1) + n * CONTACT.itemsize:
        return None
    numbers = np.frombuffer(data, "<f8", words)
    return Frame(float(numbers[1]), inventory, numbers[2:].copy(), np.frombuffer(data, CONTACT, n, WORD * (words + 1)))


class StateSource:
    """A mechanism without a World, as its State stands; a new frame after each change of that.

    Parameters
    ----------
    state : State
        The viewer's own, or the user's.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._inventory = inventory_of_model(state)
        self.sketch = Sketch()
        self._drawn: tuple[Stroke, ...] = ()
        self._last: Array | None = None

    def move(self, k: int, value: float) -> None:
        """Give q[k] this value; loops stay closed, as near to the rest as they can."""
        q = self.state.q.copy()
        q[k] = value
        if self.state.model.has_loops:
            q = project_configuration(self.state.model, q)
        self.state.set(q)

    def next(self) -> Frame | None:
        """A new frame, if the State has changed."""
        q = np.concatenate([self.state.q, self.state.v])
        drawn = self.sketch.strokes
        if self._last is not None and np.array_equal(q, self._last) and drawn == self._drawn:
            return None
        self._last, self._drawn = q, drawn
        row = row_of(self.state, len(self._inventory.carriers))
        return Frame(0.0, self._inventory, row, np.empty(0, CONTACT), drawn)

    def close(self) -> None:
        """Nothing is to be done."""


class RecordingSource:
    """A recording that is played.

    Parameters
    ----------
    recording : Recording
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.times = np.asarray(recording.time)
        self.playing, self.speed = True, 1.0
        self._at, self._asked = float(self.times[0]), time.monotonic()
        self._shown = -1

    @property
    def position(self) -> float:
        """Time that is shown [s]."""
        return self._at

    @position.setter
    def position(self, value: float) -> None:
        self._at = float(np.clip(value, self.times[0], self.times[-1]))

    def step(self, frames: int = 1) -> None:
        """So many frames on, or back."""
        k = int(np.searchsorted(self.times, self._at, side="right")) - 1 + frames
        self._at = float(self.times[np.clip(k, 0, len(self.times) - 1)])

    def next(self) -> Frame | None:
        """The frame of now, if it is another one; from the end it goes on at the beginning."""
        now = time.monotonic()
        if self.playing:
            self._at += (now - self._asked) * self.speed
            if self._at > self.times[-1]:
                self._at = float(self.times[0])
        self._asked = now
        k = max(int(np.searchsorted(self.times, self._at, side="right")) - 1, 0)
        if k == self._shown:
            return None
        self._shown = k
        return recorded_frame(self.recording, k)

    def close(self) -> None:
        """Nothing is to be done."""


def recorded_frame(recording: Recording, frame: int) -> Frame:
    """A frame of a recording."""
    k = frame
    for segment in recording.segments:
        if k < len(segment):
            contacts = segment.contacts[segment.first_contact[k] : segment.first_contact[k + 1]]
            time, inventory = float(segment.time[k]), segment.inventory
            measured = measured_at(recording, time) if inventory.sensors else {}
            drawn = recording.strokes(frame)
            return Frame(time, inventory, segment.rows[k], contacts, drawn, inventory.sensors, measured)
        k -= len(segment)
    raise IndexError(frame)


def measured_at(recording: Recording, time: float) -> dict[str, dict[str, NDArray[Any]]]:
    """What sensors had measured latest at a time: views of what is recorded."""
    found = {}
    for name, values in recording.sensors.items():
        k = int(np.searchsorted(values["time"], time * (1.0 + 1e-12), side="right")) - 1
        if k >= 0:
            found[name] = {key: array[k] for key, array in values.items() if key != "time"}
    return found
