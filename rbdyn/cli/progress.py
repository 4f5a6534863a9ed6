"""A progress bar for people: drawn on a terminal, silent anywhere else."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 40
PERIOD = 0.1  # [s] between two drawings


class Progress:
    """A bar on one line of stderr.

    Parameters
    ----------
    label : str
        What is going on.
    total : int
        How many units there are, 1 or more.
    stream : file, optional
        Where to draw, stderr by default; nothing is drawn unless it is a terminal.
    """

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._label, self._total = label, total
        self._live = self._stream.isatty()
        self._next = time.monotonic()

    def __call__(self, done: int) -> None:
        """Say that `done` units are finished."""
        if self._live and time.monotonic() >= self._next:
            self._next = time.monotonic() + PERIOD
            filled = WIDTH * done // self._total
            bar = "#" * filled + "." * (WIDTH - filled)
            self._stream.write(f"\r{self._label} [{bar}] {100 * done // self._total:3d} %")
            self._stream.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._live:
            self._stream.write("\r" + " " * (len(self._label) + WIDTH + 9) + "\r")
            self._stream.flush()
            self._live = False
