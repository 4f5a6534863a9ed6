"""Recorder: a recording that goes on."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from rbdyn.arguments import flag, shown, whole
from rbdyn.errors import Error, PathError, RecordingError
from rbdyn.recording.contents import Contents
from rbdyn.recording.describing import inventory_of, lead
from rbdyn.recording.drawn import packed_change
from rbdyn.recording.packing import packed, packed_measurement
from rbdyn.recording.recording import Recording
from rbdyn.recording.records import file_head, record
from rbdyn.recording.sensing import mounted
from rbdyn.recording.stream import read_stream
from rbdyn.recording.tape import Tape
from rbdyn.scenery import Scenery
from rbdyn.scenery.sketch import Stroke
from rbdyn.version import __version__
from rbdyn.world import World

FRAME_TIME = 0.01  # [s] from frame to frame, if nothing else is said
UserFunction = Callable[[World], Mapping[str, Any]]

_alive: weakref.WeakSet[Recorder] = weakref.WeakSet()


def record_world(
    world: World,
    every: int | None = None,
    contacts: bool = False,
    user: UserFunction | None = None,
    path: str | os.PathLike[str] | None = None,
    sensors: bool | Iterable[Any] = False,
) -> Recorder:
    """Begin a recording; `World.record` says the rest."""
    return Recorder(world, every, contacts, user, path, sensors)


class Recorder(Recording):
    """A recording that goes on: what `World.record` returns.

    It can be asked for anything that a Recording can, of the frames until now.  Leaving it as a context, or `stop`,
    ends it.

    Parameters
    ----------
    world, every, contacts, user, path, sensors
        As for `World.record`.
    """

    def __init__(
        self,
        world: World,
        every: int | None = None,
        contacts: bool = False,
        user: UserFunction | None = None,
        path: str | os.PathLike[str] | None = None,
        sensors: bool | Iterable[Any] = False,
    ) -> None:
        if not isinstance(world, World):
            raise Error(f"world must be a World, got {shown(world)}")
        if user is not None and not callable(user):
            raise Error(f"user must be a function of the World that returns a dict of numbers, got {shown(user)}")
        default = max(1, round(FRAME_TIME / world.time_step))
        self._every = default if every is None else whole(every, "every", least=1, most=2**31)
        self._contacts = flag(contacts, "contacts")
        self._snapshot = world.snapshot()  # BusyError while it steps
        self._scenery = Scenery(world, geometry="both").let_go()
        self._world = weakref.ref(world)
        self._user = user
        self._sensors: bool | list[Any] = sensors if isinstance(sensors, bool) else chosen_sensors(sensors)
        self._told: set[str] = set()  # sensors of which the latest inventory tells
        self._stamps: dict[str, float] = {}
        self._drawn: dict[str, Stroke] = {}
        self._schema: dict[str, list[int]] | None = None
        self._pid = os.getpid()
        self._file = _file_at(path)
        self._name = str(self._file.name) if path is not None else "this recording"
        self._tape = Tape(world, self._every, self._contacts, self._describe)
        self._known: tuple[tuple[int, bool], Contents] | None = None
        super().__init__(None)
        try:
            self._begin(world)
        except BaseException:
            self._tape.close()
            self._file.close()
            raise
        weakref.finalize(self, self._file.close)
        _alive.add(self)

    def _begin(self, world: World) -> None:
        tape = self._tape
        tape.open_file(os.dup(self._file.fileno()))
        tape.append(file_head())
        tape.append(record(b"head", json.dumps({"rbdyn": __version__, "every": self._every}).encode()))
        tape.append(record(b"snap", bytes(self._snapshot)))
        self._describe()
        tape.note = self._note_sketch
        world.sketch.listen(self)
        self.sketched()
        tape.take(world.time)
        if self._user is not None:
            self._append_user(world)
        tape.flush()
        if tape.error is not None:
            raise RecordingError(tape.error)
        world.add_observer(tape)
        if self._user is not None or self._sensors:
            self._observer = self._after_step
            world.add_observer(self._observer)

    def _describe(self) -> None:
        """Write who is there; called by the tape, too, after somebody came, went or changed."""
        world = self._world()
        assert world is not None  # it calls this
        self._scenery.update()
        self._told = {one.full_name for one in self._chosen(world)}
        inventory = inventory_of(world, self._contacts, self._scenery, self._chosen(world))
        self._tape.append(record(b"inve", packed(inventory)))
        lead(self._tape, world, inventory)

    def _chosen(self, world: World) -> list[Any]:
        """The sensors that are recorded."""
        return list(mounted(world)) if self._sensors is True else [] if self._sensors is False else self._sensors

    def sketched(self) -> None:
        """Called by the World's sketch after each change: the next frame is to tell of it."""
        self._tape.ask_note()

    def _note_sketch(self) -> None:
        """Write what was drawn since, or is gone; called by the tape."""
        world = self._world()
        assert world is not None  # it calls this
        now = {one.name: one for one in world.sketch.strokes}
        if now != self._drawn:
            self._tape.append(record(b"draw", packed_change(self._drawn, now)))
            self._drawn = now

    # ---- the user's values ---------------------------------------------------------------------

    def _after_step(self, world: World) -> None:
        """Observer: the user's values, if the tape has just written a frame."""
        if not self._tape.is_open:
            return
        if self._sensors:
            self._append_measurements(world)
        if self._tape.fresh and self._user is not None:
            self._append_user(world)

    def _append_measurements(self, world: World) -> None:
        """What sensors measured since the last step."""
        chosen = self._chosen(world)
        if any(sensor.full_name not in self._told for sensor in chosen):  # one that was mounted since
            self._describe()
        for sensor in chosen:
            name, stamp = sensor.full_name, sensor.time_stamp
            if stamp >= 0.0 and self._stamps.get(name) != stamp:
                self._stamps[name] = stamp
                self._tape.append(record(b"sens", packed_measurement(name, stamp, sensor.values)))

    def _append_user(self, world: World) -> None:
        assert self._user is not None
        values = _numbers(self._user(world))
        schema = {name: list(value.shape) for name, value in values.items()}
        if self._schema is None:
            self._schema = schema
            self._tape.append(record(b"usch", json.dumps(schema).encode()))
        if schema != self._schema:
            raise Error(f"user must return values of the same names and shapes each time: {self._schema} at first, "
                        f"{schema} at time {world.time:.6g} s")  # fmt: skip
        numbers = [value.reshape(-1) for value in values.values()]
        data = np.concatenate([np.empty(0), *numbers]).tobytes()
        self._tape.append(record(b"user", np.int64(world.steps).tobytes() + data))

    # ---- the end ----------------------------------------------------------------------------------

    @property
    def is_recording(self) -> bool:
        """Whether frames are still written."""
        return bool(self._tape.is_open)

    @property
    def error(self) -> str | None:
        """What ended the recording before `stop`, such as a full disk; None if nothing did."""
        return self._tape.error

    def flush(self) -> None:
        """Hand all frames to the operating system now.

        That happens by itself whenever 64 kB are full, in a thread of its own; what was handed over survives the end of
        this process, however that comes about.
        """
        self._tape.flush()

    def stop(self) -> Recording:
        """End the recording, with a frame of the World as it is; a second call does nothing.

        Returns
        -------
        recording : Recording
            All of it; this object goes on being the same.

        Raises
        ------
        RecordingError
            If the file took no more before: all frames until then can be read.
        BusyError
            Within a step, and between the half steps.
        """
        tape, world = self._tape, self._world()
        if tape.is_open and world is not None and os.getpid() == self._pid:
            end = world.snapshot()
            if tape.is_behind:
                tape.take(world.time)
                if self._user is not None:
                    self._append_user(world)
            said = {"steps": world.steps, "time": world.time, "hash": end.hash, "frames": tape.frames}
            tape.append(record(b"done", json.dumps(said).encode()))
        if world is not None and self in _alive:
            world.remove_observer(tape)
            if self._user is not None or self._sensors:
                world.remove_observer(self._observer)
        _alive.discard(self)
        tape.close()
        if tape.error is not None:
            raise RecordingError(tape.error)
        return Recording(self._contents())

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except Error:
            if error is None:  # or it would hide what happened
                raise

    # ---- what a Recording asks for -------------------------------------------------------------------

    def _contents(self) -> Contents:
        """The frames until now, read anew if there are more of them."""
        frames = self._tape.frames, self._tape.is_open
        if self._known is None or self._known[0] != frames:
            self._tape.flush()
            data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            self._known = frames, read_stream(data, self._name, "skip")[0]
        return self._known[1]

    def __repr__(self) -> str:
        state = "recording" if self.is_recording else "stopped"
        return f"Recorder({state}, {self._tape.frames} frames, every {self._every} steps)"


def _file_at(path: str | os.PathLike[str] | None) -> IO[bytes]:
    """A new file that can be read and written; without a path one that is gone when it is closed.

    What stands at `path` is not written over but taken away: a recording that still goes on into it keeps its own.
    """
    if path is None:
        return tempfile.TemporaryFile("w+b", buffering=0, prefix="rbdyn-")
    try:
        file = Path(path)
        if file.is_file() and not file.is_symlink():
            file.unlink()
        return file.open("w+b", buffering=0)
    except (OSError, ValueError) as error:
        raise PathError(f"path: {os.fspath(path)!r} cannot be written: {error}") from None
    except TypeError:
        raise Error(f"path must be a str or os.PathLike, got {shown(path)}") from None


def chosen_sensors(sensors: Any) -> list[Any]:
    """Those that were given, or Error."""
    try:
        chosen = list(sensors)
    except TypeError:
        raise Error(f"sensors must be True, or sensors of robots, got {shown(sensors)}") from None
    for sensor in chosen:
        if not (hasattr(sensor, "full_name") and hasattr(sensor, "time_stamp")):
            raise Error(f"sensors must hold sensors of robots, got {shown(sensor)}")
    return chosen


def _numbers(values: Any) -> dict[str, np.ndarray]:
    """Name -> float64 array, of what the user's function returned."""
    if not isinstance(values, Mapping):
        raise Error(f"user must return a dict of numbers and arrays, got {shown(values)}")
    made = {}
    for name, value in values.items():
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "fiub":
                raise TypeError
        except (TypeError, ValueError):
            raise Error(f"user: {name!r} must be a number or an array of numbers, got {shown(value)}") from None
        made[str(name)] = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    return made


def _forget_after_fork() -> None:
    """A child process has the parent's files: it writes nothing into them."""
    for recorder in list(_alive):
        recorder._tape.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
