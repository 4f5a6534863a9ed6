"""Panel: switches, sliders and numbers beside the picture."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdyn.recording.inventory import RecordedJoint
from rbdyn.viewer.overlay import KINDS, SHOWN
from rbdyn.viewer.sources import Frame, RecordingSource, StateSource, WorldSource

if TYPE_CHECKING:
    from rbdyn.model import State

NUMBERS = 0.2  # [s] from one text of numbers to the next
NOBODY = "nothing"


class Panel:
    """The panel of a viewer.

    Parameters
    ----------
    viewer : Viewer
        What it controls.
    gui : viser.GuiApi
        Where it is.

    Attributes
    ----------
    room : viser.GuiApi
        Where the user's own buttons go.
    """

    def __init__(self, viewer: Any, source: Any, gui: Any) -> None:
        self._viewer, self._source, self.room = viewer, source, gui
        gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
        self._numbers = gui.add_markdown("")
        self._next = 0.0
        self._switches: dict[str, Any] = {}
        if isinstance(source, RecordingSource):
            self._add_player(source, gui)
        elif isinstance(source, WorldSource):
            self._add_clock(gui)
        self._add_switches(gui)
        if isinstance(source, StateSource):
            self._add_joints(source.state, viewer.joints, gui)

    def _add_switches(self, gui: Any) -> None:
        viewer = self._viewer
        with gui.add_folder("Show"):
            shapes = gui.add_dropdown("shapes", ("visual", "collision", "both"), initial_value=viewer.geometry)
            shapes.on_update(lambda _: setattr(viewer, "geometry", shapes.value))
            through = gui.add_checkbox("see through", False)
            through.on_update(lambda _: setattr(viewer, "see_through", bool(through.value)))
            self._switches |= {"shapes": shapes, "see through": through}
            for kind in KINDS:
                self._add_switch(gui, kind)
            objects = [obj.name for obj in viewer.objects]
            follow = gui.add_dropdown("follow", (NOBODY, *objects), initial_value=NOBODY)
            follow.on_update(lambda _: setattr(viewer, "follow", None if follow.value == NOBODY else follow.value))
            self._switches["follow"] = follow

    def _add_switch(self, gui: Any, kind: str) -> None:
        box = gui.add_checkbox(kind, kind in SHOWN)
        box.on_update(lambda _: self._viewer.show(kind, bool(box.value)))
        self._switches[kind] = box

    def tick(self, name: str, value: Any) -> None:
        """Show a value that was set by the program."""
        if name == "paused" and "play" in self._switches:
            name, value = "play", not value
        switch = self._switches.get(name)
        shown = NOBODY if value is None else value
        if switch is not None and switch.value != shown:
            switch.value = shown

    def _add_clock(self, gui: Any) -> None:
        """Add pause, single steps and speed of a World; they are shown with `realtime`, and during `run`."""
        viewer = self._viewer
        self._clock = gui.add_folder("Time", visible=viewer.realtime)
        with self._clock:
            pause = gui.add_checkbox("pause", False)
            pause.on_update(lambda _: setattr(viewer, "paused", bool(pause.value)))
            self._switches["paused"] = pause
            gui.add_button("step").on_click(lambda _: viewer.step())
            self._add_speed(gui)

    def show_clock(self, visible: bool) -> None:
        """Show pause, single steps and speed of a World, or hide them."""
        self._clock.visible = visible

    def _add_speed(self, gui: Any) -> None:
        viewer = self._viewer
        speed = gui.add_slider("speed", 0.05, 4.0, 0.05, min(max(viewer.speed, 0.05), 4.0))
        speed.on_update(lambda _: setattr(viewer, "speed", float(speed.value)))

    def _add_player(self, source: RecordingSource, gui: Any) -> None:
        """Of a recording: play, frames, speed."""
        viewer = self._viewer
        first, last = float(source.times[0]), float(source.times[-1])
        with gui.add_folder("Time"):
            play = gui.add_checkbox("play", True)
            play.on_update(lambda _: setattr(viewer, "paused", not play.value))
            self._switches["play"] = play
            if last > first:
                at = gui.add_slider("time [s]", first, last, (last - first) / 1000.0, first)
                at.on_update(lambda event: self._jump(event, at, play))
            gui.add_button("back").on_click(lambda _: viewer.step(-1))
            gui.add_button("on").on_click(lambda _: viewer.step(1))
            self._add_speed(gui)

    def _jump(self, event: Any, slider: Any, play: Any) -> None:
        """The user moved the slider of time: stand there."""
        if event.client is not None:
            play.value = False
            self._source.position = float(slider.value)

    def _add_joints(self, state: State, joints: list[RecordedJoint], gui: Any) -> None:
        """A slider for each joint of one degree of freedom."""
        with gui.add_folder("Joints"):
            sliders = [(joint, self._add_joint(state, joint, gui)) for joint in joints]
            start = state.q.copy()

            def back(_: Any) -> None:
                for joint, slider in sliders:
                    slider.value = float(start[joint.q])

            gui.add_button("back to the start").on_click(back)

    def _add_joint(self, state: State, joint: RecordedJoint, gui: Any) -> Any:
        at = float(state.q[joint.q])
        low = joint.lower if math.isfinite(joint.lower) else min(-math.pi, at)
        high = joint.upper if math.isfinite(joint.upper) else max(math.pi, at)
        low, high = min(low, at), max(high, at)
        slider = gui.add_slider(joint.name, low, high if high > low else low + 1e-3, (high - low or 1.0) / 1000.0, at)

        def move(_: Any) -> None:
            self._viewer.set_joint(joint.name, float(slider.value))

        slider.on_update(move)
        return slider

    def update(self, frame: Frame) -> None:
        """Write the numbers anew, five times a second."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + NUMBERS
            text = numbers(frame, self._viewer.selected)
            if text != self._numbers.content:
                self._numbers.content = text


def numbers(frame: Frame, selected: tuple[str, str] | None) -> str:
    """Time, and what is known of the body that was clicked at, as Markdown."""
    lines = [f"**time** {frame.time:.3f} s"]
    inventory = frame.inventory
    found = None if selected is None else inventory.frames.get(selected)
    if selected is None or found is None:
        return "\n\n".join([*lines, "click a body for its numbers"])
    name, link = selected
    X = found.pose if found.carrier < 0 else frame.carriers()[found.carrier] @ found.pose
    lines += [f"**{plain(link)}**" + (f" of {plain(name)}" if link != name else ""), f"position {vector(X[:3, 3])} m"]
    columns = inventory.columns(name, "velocity")
    if columns is not None:
        v = frame.row[columns]
        lines += [f"velocity {vector(v[:3])} m/s", f"angular velocity {vector(v[3:])} rad/s"]
    kinetic = inventory.columns(name, "kinetic")
    if kinetic is not None:
        lines.append(f"kinetic energy of {plain(name)} {frame.row[kinetic][0]:.4g} J")
    obj = inventory.by_name[name]
    lines.append(f"mass of {plain(name)} {obj.mass:.4g} kg")
    q = inventory.columns(name, "q")
    if q is not None:
        values = frame.row[q]
        moved = [f"{plain(j.name)} {values[j.q]:.3f}" for j in obj.joints if j.nq == j.nv == 1]
        lines.append("joints: " + ", ".join(moved[:30]) + (" ..." if len(moved) > 30 else ""))
    return "\n\n".join(lines)


def vector(values: np.ndarray) -> str:
    """Three numbers."""
    return "(" + ", ".join(f"{x:.4f}" for x in values) + ")"


def plain(name: str) -> str:
    """A name as text: what Markdown and HTML would obey is escaped, as names come from files."""
    return "".join(c if c.isalnum() or c in " -." else f"&#{ord(c)};" for c in name[:80])
