"""Which function writes a recording to a file of which suffix."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from rbdyn.arguments import check_options, shown
from rbdyn.errors import Error, PathError
from rbdyn.world.extensions import provided

WRITERS = {  # each takes the recording and the path first
    ".csv": "rbdyn.recording.csv_table:save",
    ".gif": "rbdyn.recording.films:save_gif",
    ".html": "",  # a page is built upon recordings: `rbdyn/__init__` says who writes it
    ".mp4": "rbdyn.recording.films:save_mp4",
    ".npz": "rbdyn.recording.npz:save",
    ".png": "rbdyn.recording.films:save_png",
    ".rrd": "rbdyn.recording.rerun_file:save",
}


def writer(suffix: str) -> Callable[..., Any]:
    """That of a suffix, imported now if it was not yet."""
    if not WRITERS[suffix]:
        return provided("save_html")
    module, _, function = WRITERS[suffix].partition(":")
    return getattr(importlib.import_module(module), function)


def save(recording: Any, path: str | os.PathLike[str], options: dict[str, Any]) -> None:
    """What `Recording.save` does."""
    try:
        suffix = PurePath(path).suffix.lower()
    except TypeError:
        raise Error(f"path must be a str or os.PathLike, got {shown(path)}") from None
    if suffix not in WRITERS:
        raise Error(f"path: a recording is saved as {', '.join(WRITERS)}, got {os.fspath(path)!r}")
    if len(recording) == 0:
        raise Error("a recording without frames cannot be saved")
    write = writer(suffix)
    parameters = inspect.signature(write).parameters
    if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        check_options(options, list(parameters)[2:], f"Recording.save() to {suffix}")
    try:
        write(recording, path, **options)
    except Error:
        raise
    except OSError as error:
        raise PathError(f"path: {os.fspath(path)!r} cannot be written: {error.strerror or error}") from None
