"""view: show something in the browser."""

from __future__ import annotations

import sys
import webbrowser
from typing import Any

from rbdyn.algorithms import Trajectory
from rbdyn.arguments import flag, shown, whole
from rbdyn.errors import Error
from rbdyn.mechanism import Mechanism
from rbdyn.model import Model, State
from rbdyn.recording import Recording
from rbdyn.scenery import Scenery
from rbdyn.viewer.sources import RecordingSource, StateSource, WorldSource
from rbdyn.viewer.viewer import Viewer
from rbdyn.world import ArticulatedSystem, SingleBody, World


def view(
    source: Any,
    port: int | None = None,
    realtime: bool = False,
    speed: float = 1.0,
    geometry: str = "visual",
    open_browser: bool | None = None,
) -> Viewer:
    """Show a World, a mechanism or a recording in the browser.

    The page has switches for what is drawn, a clock, and numbers of the body that is clicked at.  It is served on
    127.0.0.1 alone, to its own pages alone, until `Viewer.close`.  A World goes on as fast as it can and waits for
    nobody, unless `realtime` is True.

    Parameters
    ----------
    source : World, ArticulatedSystem, SingleBody, Mechanism, Model, State, Recording or Trajectory
        What is shown: a World as it is stepped; of an object its World, and cameras follow it; of a mechanism, with
        sliders for its joints, the neutral configuration, or the State that is given, whenever it changes; a recording
        is played.
    port : int, optional
        Where it listens, 1 to 65535; any that is free by default.
    realtime : bool
        Whether the World's steps wait, so that its time is not ahead of the clock's; then it can be paused.
    speed : float
        Of the World's or the recording's time beside the clock's.
    geometry : {"visual", "collision", "both"}
        What is drawn at first.
    open_browser : bool, optional
        Whether a browser is opened; by default on a terminal alone.

    Returns
    -------
    viewer : Viewer
        Its `address` is what to open.

    Raises
    ------
    MissingExtraError
        Without viser: ``pip install "rbdyn[viz]"``.
    ViewerError
        If the port is in use.
    Error
        If an argument is wrong.
    """
    number = None if port is None else whole(port, "port", least=1, most=65535)
    opens = sys.stdout.isatty() if open_browser is None else flag(open_browser, "open_browser")
    followed = source.name if isinstance(source, (ArticulatedSystem, SingleBody)) else None
    if isinstance(source, (World, Recording)) and realtime not in (True, False):
        raise Error(f"realtime must be True or False, got {shown(realtime)}")
    viewer = Viewer(source_of(source), number, realtime, speed, geometry)
    viewer.follow = followed
    if opens:
        webbrowser.open(viewer.address)
    return viewer


def source_of(source: Any) -> WorldSource | StateSource | RecordingSource:
    """Where frames of it come from."""
    if isinstance(source, (ArticulatedSystem, SingleBody)):
        source = source.world
    if isinstance(source, World):
        return WorldSource(source)
    if isinstance(source, State):
        return StateSource(source)
    if isinstance(source, (Mechanism, Model)):
        state = Scenery(source).state
        assert state is not None
        return StateSource(state)
    if isinstance(source, Trajectory):
        source = source.recording()
    if isinstance(source, Recording):
        if len(source) == 0:
            raise Error("a recording without frames cannot be shown")
        return RecordingSource(source)
    need = "a World, an object of one, a Mechanism, a Model, a State, a Recording or a Trajectory"
    raise Error(f"source must be {need}, got {shown(source)}")
