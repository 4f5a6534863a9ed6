"""Viewer: a World, a mechanism or a recording in the browser."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from rbdyn.arguments import choice, flag, number, shown
from rbdyn.errors import Error, ViewerError, unknown_name
from rbdyn.recording.inventory import RecordedJoint, RecordedObject
from rbdyn.scenery.sketch import Sketch
from rbdyn.viewer.canvas import Canvas
from rbdyn.viewer.overlay import KINDS
from rbdyn.viewer.pacing import Pace
from rbdyn.viewer.panel import Panel
from rbdyn.viewer.server import address, start_server, stop_server
from rbdyn.viewer.sources import Frame, RecordingSource, StateSource, WorldSource
from rbdyn.world import World

LOG = logging.getLogger("rbdyn")
RATE = 60.0  # frames a second
MOST_CALLS = 1000  # of buttons and sliders, that wait for `poll`
GEOMETRY = ("visual", "collision", "both")


class Viewer:
    """A World, a mechanism or a recording in the browser; made by `rbdyn.view`.

    It answers to this machine alone, and to its own pages alone.  Leaving it as a context, or `close`, ends it.

    Parameters
    ----------
    source : WorldSource, StateSource or RecordingSource
        What is shown.
    port : int, optional
        Where it listens; any that is free by default.
    realtime : bool
        Whether a World's steps wait, so that its time is not ahead of the clock's.
    speed : float
        Of its time then, or of a recording that is played, beside the clock's.
    geometry : {"visual", "collision", "both"}
        What is drawn at first.

    Attributes
    ----------
    address : str
        What to open in a browser.
    closed : bool
        Whether it was ended.
    paused : bool
        Whether a World's steps wait, or a recording stands still.  Steps wait with `realtime`, and in `run`; the panel
        shows pause, step and speed of a World only then.
    speed : float
        As above.
    selected : (str, str) or None
        (object, link) of the shape that was clicked at last.
    """

    def __init__(
        self,
        source: WorldSource | StateSource | RecordingSource,
        port: int | None = None,
        realtime: bool = False,
        speed: float = 1.0,
        geometry: str = "visual",
    ) -> None:
        self._source, self._geometry = source, choice(geometry, "geometry", GEOMETRY)
        self._pace = Pace(number(speed, "speed", above=0.0, high=1000.0))
        self.realtime = flag(realtime, "realtime")
        self.closed = False
        self.selected: tuple[str, str] | None = None
        self._calls: queue.Queue[Callable[[], Any]] = queue.Queue(MOST_CALLS)
        self._follow: str | None = None
        self._see_through = False
        self._seen: np.ndarray | None = None  # where what is followed was
        self._lock = threading.RLock()
        self._server = start_server(port)
        try:
            self.canvas = Canvas(self._server, self._clicked)
            first = source.next()
            while first is None:
                first = source.next()
            self._frame = first
            self.canvas.show(first)
            self.canvas.look_at_all(first)
            self.canvas.show_layers(self._geometry)
            self._panel = Panel(self, source, self._server.gui)
        except BaseException:
            stop_server(self._server)
            raise
        self.speed = speed
        if isinstance(source, WorldSource) and realtime:
            self._observe()
        self._thread = threading.Thread(target=_update, args=(weakref.ref(self),), name="rbdyn viewer", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # viser would say that it stops
        LOG.info("the viewer is at %s", self.address)

    # ---- where it is --------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return address(self._server)

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        return int(self._server.get_port())

    @property
    def clients(self) -> int:
        """How many browsers show it."""
        return len(self._server.get_clients())

    def _check_open(self) -> None:
        if self.closed:
            raise ViewerError("this viewer is closed; world.view() opens another")

    # ---- what is shown ------------------------------------------------------------------------------

    @property
    def geometry(self) -> str:
        """What is drawn: "visual", "collision" or "both"."""
        return self._geometry

    @geometry.setter
    def geometry(self, value: str) -> None:
        self._check_open()
        self._geometry = choice(value, "geometry", GEOMETRY)
        with self._lock:
            self.canvas.show_layers(self._geometry)
        self._panel.tick("shapes", value)

    def show(self, kind: str, visible: bool = True) -> None:
        """Draw what is no shape.

        Parameters
        ----------
        kind : {"frames", "joint axes", "centres of mass", "contacts", "wires", "loops", "sensors", "sketch"}
            Axes of bodies, x red, y green, z blue; axes of joints; centres of mass of robots; contact forces; wires; of
            joints that close loops their axes on either body, and what is open between them; sensors, what cameras saw
            and beams met; what the user drew.  Wires, loops and the sketch are shown at first.
        visible : bool
            Whether.
        """
        self._check_open()
        choice(kind, "kind", KINDS)
        flag(visible, "visible")
        with self._lock:
            self.canvas.show_marks(kind, visible)
            self.canvas.show(self._frame)
        self._panel.tick(kind, visible)

    @property
    def sketch(self) -> Sketch:
        """What the user draws beside what is shown: that of the World, or one of this viewer's own for a mechanism."""
        if isinstance(self._source, RecordingSource):
            raise Error("a recording shows what was drawn when it was made: world.sketch")
        return self._world().sketch if isinstance(self._source, WorldSource) else self._source.sketch

    @property
    def see_through(self) -> bool:
        """Whether shapes let what is inside of them be seen, such as centres of mass."""
        return self._see_through

    @see_through.setter
    def see_through(self, value: bool) -> None:
        self._check_open()
        self._see_through = flag(value, "see_through")
        with self._lock:
            self.canvas.see_through(value)
        self._panel.tick("see through", value)

    @property
    def follow(self) -> str | None:
        """Name of the object that cameras move with; None: they stand."""
        return self._follow

    @follow.setter
    def follow(self, name: str | None) -> None:
        self._check_open()
        known = self._frame.inventory.by_name
        if name is not None and name not in known:
            raise unknown_name("object", name, known, "what is shown")
        self._follow, self._seen = name, None
        self._panel.tick("follow", name)

    @property
    def objects(self) -> tuple[RecordedObject, ...]:
        """What is shown: names, joints, masses."""
        return self._frame.inventory.objects

    @property
    def joints(self) -> list[RecordedJoint]:
        """Joints of one degree of freedom of a mechanism without a World, which have sliders."""
        if not isinstance(self._source, StateSource):
            return []
        return [joint for joint in self.objects[0].joints if joint.nq == joint.nv == 1]

    def set_joint(self, name: str, value: float) -> None:
        """Move a joint of a mechanism without a World, as its slider does; loops stay closed.

        Parameters
        ----------
        name : str
            Of a joint of one degree of freedom.
        value : float
            Its coordinate [rad or m].
        """
        self._check_open()
        known = {joint.name: joint for joint in self.joints}
        if name not in known:
            raise unknown_name("joint", name, known, "what is shown without a World")
        assert isinstance(self._source, StateSource)
        with self._lock:
            self._source.move(known[name].q, number(value, "value"))

    # ---- time -----------------------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """Whether it stands still."""
        if isinstance(self._source, RecordingSource):
            return not self._source.playing
        return self._pace.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        stands = flag(value, "paused")
        self._pace.paused = stands
        if isinstance(self._source, RecordingSource):
            self._source.playing = not stands
        self._panel.tick("paused", stands)

    @property
    def speed(self) -> float:
        """Of its time, beside the clock's."""
        return self._pace.speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._pace.speed = number(value, "speed", above=0.0, high=1000.0)
        if isinstance(self._source, RecordingSource):
            self._source.speed = self._pace.speed

    def step(self, n: int = 1) -> None:
        """Let n steps of a paused World be done, or show the frame n on in a recording.

        Parameters
        ----------
        n : int
            How many.
        """
        if isinstance(self._source, RecordingSource):
            self._source.step(n)
        else:
            self._pace.allow(n)

    def _observe(self) -> None:
        """Let the World's steps wait for the clock."""
        world = self._world()
        self._waiting = lambda world: self._pace.wait(world.time, lambda: self.closed)
        world.add_observer(self._waiting)

    def _world(self) -> World:
        """The World that is shown; Error if there is none."""
        world = self._source.world if isinstance(self._source, WorldSource) else None
        if world is None:
            raise Error("this viewer shows no World")
        return world

    def run(self, duration: float | None = None) -> None:
        """Step the World that is shown, in real time, with buttons and sliders; or keep what else is shown on show.

        Parameters
        ----------
        duration : float, optional
            [s] of the World's time, or of the clock's if there is no World; by default until `close`, or Ctrl-C.

        Raises
        ------
        ViewerError
            If it was closed before.
        """
        end = None if duration is None else number(duration, "duration", low=0.0, unit="[s]")
        if self.closed:
            raise ViewerError("this viewer is closed; world.view() opens another")
        if isinstance(self._source, WorldSource):
            self._panel.show_clock(True)
            try:
                self._run_world(self._world(), end)
            finally:
                self._panel.show_clock(self.realtime)
            return
        start = time.monotonic()
        while not self.closed and (end is None or time.monotonic() - start < end):
            self.poll()
            time.sleep(0.01)

    def _run_world(self, world: World, duration: float | None) -> None:
        end = None if duration is None else world.time + duration - 0.5 * world.time_step
        while not self.closed and (end is None or world.time < end):
            self.poll()
            if self.realtime or self._pace.may_step(world.time, world.time_step):
                world.step()
            else:
                time.sleep(0.002)

    # ---- buttons and sliders of the user ------------------------------------------------------------------

    def add_button(self, label: str, function: Callable[[], Any]) -> Any:
        """A button in the panel.

        Parameters
        ----------
        label : str
            What stands on it.
        function : callable
            Called without arguments: between two steps of a World, by `run` or `poll`.

        Returns
        -------
        handle : viser's handle
        """
        self._check_open()
        _check_callable(function)
        button = self._panel.room.add_button(_label(label))
        button.on_click(lambda _: self._call(function))
        return button

    def add_slider(
        self,
        label: str,
        low: float,
        high: float,
        value: float,
        function: Callable[[float], Any],
        step: float | None = None,
    ) -> Any:
        """A slider in the panel.

        Parameters
        ----------
        label : str
            What stands beside it.
        low, high : float
            Its ends.
        value : float
            Where it is at first.
        function : callable
            Called with its value, as for `add_button`.
        step : float, optional
            By which it moves; a thousandth of its range by default.

        Returns
        -------
        handle : viser's handle
        """
        self._check_open()
        _check_callable(function)
        low, high = number(low, "low"), number(high, "high")
        if not low < high:
            raise Error(f"low must be below high, got {low:g} and {high:g}")
        at = number(value, "value", low=low, high=high)
        by = (high - low) / 1000.0 if step is None else number(step, "step", above=0.0)
        slider = self._panel.room.add_slider(_label(label), low, high, by, at)
        slider.on_update(lambda _: self._call(lambda: function(float(slider.value))))
        return slider

    def _call(self, function: Callable[[], Any]) -> None:
        """Have it called between two steps."""
        try:
            self._calls.put_nowait(function)
        except queue.Full:
            LOG.warning("%d calls of buttons and sliders wait: call viewer.poll() between steps", MOST_CALLS)
            return
        if isinstance(self._source, WorldSource):
            return
        try:
            self.poll()
        except Exception:  # of the user's function, in a thread of viser's
            LOG.exception("a button or slider of the viewer failed")

    def poll(self) -> int:
        """Call what buttons and sliders asked for since; for whoever steps the World himself.

        Returns
        -------
        n : int
            How many calls that were.
        """
        n = 0
        while True:
            try:
                function = self._calls.get_nowait()
            except queue.Empty:
                return n
            n += 1
            with self._lock:
                function()

    def _clicked(self, frame: Frame, k: int) -> None:
        """Somebody clicked at a shape."""
        item = frame.inventory.items[k]
        self.selected = item.object, item.link

    # ---- the end -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """End it: browsers lose the connection; what was shown is as before."""
        if self.closed:
            return
        self.closed = True
        atexit.unregister(self.close)
        if threading.current_thread() is not self._thread:
            self._thread.join(2.0)
        self._source.close()
        if self.realtime and isinstance(self._source, WorldSource) and self._source.world is not None:
            _forget(self._source.world, self._waiting)
        stop_server(self._server)

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tick(self) -> None:
        """Show the next frame, if there is one and somebody looks."""
        if not self._server.get_clients():
            return
        with self._lock:
            frame = self._source.next()
            if frame is not None:
                self._frame = frame
                self.canvas.show(frame)
                self._move_cameras(frame)
            self._panel.update(self._frame)

    def _move_cameras(self, frame: Frame) -> None:
        """Cameras go along with what is followed, without turning."""
        if self._follow is None:
            return
        at = next((k for k, c in enumerate(frame.inventory.carriers) if c.object == self._follow), None)
        if at is None:
            return
        now = frame.row[7 * at : 7 * at + 3].copy()
        if self._seen is not None and np.isfinite(now).all() and (now != self._seen).any():
            self.canvas.move_cameras(now - self._seen)
        self._seen = now

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="480" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"Viewer({'closed' if self.closed else self.address})"


def _update(viewer: weakref.ref[Viewer]) -> None:
    """What the viewer's thread does: look for new frames until it is closed, or nobody has it any more."""
    reported = False
    while True:
        start = time.monotonic()
        shown_ = viewer()
        if shown_ is None or shown_.closed:
            return
        try:
            shown_._tick()
        except Exception:
            if not reported and not shown_.closed:
                LOG.exception("the viewer could not show a frame")
            reported = True
        del shown_
        time.sleep(max(1.0 / RATE - (time.monotonic() - start), 0.001))


def _forget(world: World, observer: Any) -> None:
    try:
        world.remove_observer(observer)
    except Error:  # in the middle of a step: it returns at once from now on
        return


def _label(label: Any) -> str:
    if not isinstance(label, str) or not label:
        raise Error(f"label must be a text, got {shown(label)}")
    return label


def _check_callable(function: Any) -> None:
    if not callable(function):
        raise Error(f"function must be callable, got {shown(function)}")
