"""Recordings from files."""

from __future__ import annotations

import mmap
import os
import stat
import tokenize
from pathlib import Path
from typing import Any

from rbdyn.arguments import choice, shown
from rbdyn.errors import Error, PathError, RecordingError
from rbdyn.recording.recording import Recording
from rbdyn.recording.stream import read_stream

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def load_recording(path: str | os.PathLike[str], damaged: str = "refuse") -> Recording:
    """A recording from a file: one that `World.record(path=...)` wrote, or an .npz of `Recording.save`.

    A file whose writer was killed ends with the last whole frame; `complete` is False then.  It is data, and never
    run.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    damaged : {"refuse", "skip"}
        Whether bytes that are not what was written are an error, or the frames there left out.

    Returns
    -------
    recording : Recording

    Raises
    ------
    RecordingError
        If the file is no recording, of another version, or damaged; the message says where.
    PathError
        If there is no such file, or it may not be read.
    """
    choice(damaged, "damaged", ("refuse", "skip"))
    try:
        file = Path(path)
        with os.fdopen(os.open(file, FLAGS), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):  # a pipe would be waited for
                raise PathError(f"path: {os.fspath(path)!r} is no regular file")
            size = os.fstat(opened.fileno()).st_size
            data: Any = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except TypeError:
        raise Error(f"path must be a str or os.PathLike, got {shown(path)}") from None
    except (OSError, ValueError) as error:
        raise PathError(f"path: {os.fspath(path)!r} cannot be read: {error}") from None
    name = os.fspath(path)
    try:
        if bytes(data[:4]) == b"PK\x03\x04":
            from rbdyn.recording.npz import read

            return Recording(*read(file))
        contents, complete = read_stream(data, str(name), damaged)
    except RecordingError:
        raise
    except (ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError,
            ValueError, tokenize.TokenError) as error:  # numpy reads the heads of arrays by Python's tokenizer
        raise RecordingError(f"{name} is malformed: {error}") from None
    return Recording(contents, complete)
