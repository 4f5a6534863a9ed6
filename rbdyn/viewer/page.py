"""Recordings as pages that play by themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.arguments import choice, flag, number
from rbdyn.errors import Error
from rbdyn.recording import Recording
from rbdyn.viewer.canvas import Canvas
from rbdyn.viewer.overlay import KINDS
from rbdyn.viewer.server import start_server, stop_server
from rbdyn.viewer.sources import recorded_frame

RATE = 30.0
VIEWED = 20  # frames that the first view is to hold, from the first to the last


def save_html(
    recording: Recording,
    path: str | os.PathLike[str],
    rate: float = RATE,
    geometry: str = "visual",
    show: Iterable[str] = (),
    dark: bool = False,
) -> None:
    """Write a recording as one HTML file that needs nothing else: it plays in any browser, with a bar and a speed.

    Parameters
    ----------
    recording : Recording
    path : str or os.PathLike
        The file.
    rate : float
        Frames a second [1/s].
    geometry : {"visual", "collision", "both"}
        What is drawn.
    show : iterable of str
        More marks than wires, loops and what the user drew: "frames", "joint axes", "centres of mass", "contacts",
        "sensors" with what they measured.
    dark : bool
        Whether the page is dark.
    """
    choice(geometry, "geometry", ("visual", "collision", "both"))
    rate, dark = number(rate, "rate", above=0.0, high=1000.0, unit="[1/s]"), flag(dark, "dark")
    marks = [show] if isinstance(show, str) else list(show)
    for kind in marks:
        choice(kind, "show", KINDS)
    played = recording.resample(rate=rate) if len(recording) > 1 else recording
    text = page(played, geometry, marks, dark)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Error(f"path: {os.fspath(path)!r} cannot be written: {error}") from error


def page(recording: Recording, geometry: str, marks: list[str], dark: bool) -> str:
    """The page's text."""
    server = start_server(None)
    try:
        canvas = Canvas(server)
        canvas.show_layers(geometry)
        for kind in marks:
            canvas.show_marks(kind, True)
        first = recorded_frame(recording, 0)
        canvas.show(first)
        sampled = np.linspace(0, len(recording) - 1, VIEWED).astype(int)  # the last one, too
        canvas.look_at_all(first, [recorded_frame(recording, int(k)) for k in sampled])
        return _serialized(server, canvas, recording, dark)
    finally:
        stop_server(server)


def _serialized(server: Any, canvas: Canvas, recording: Recording, dark: bool) -> str:
    serializer = server.get_scene_serializer()
    times = np.asarray(recording.time)
    for k in range(1, len(recording)):
        serializer.insert_sleep(float(times[k] - times[k - 1]))
        canvas.show(recorded_frame(recording, k))
    return str(serializer.as_html(dark_mode=dark))
