"""Text on its way to a terminal: names from files may hold anything."""

from __future__ import annotations

import sys
from typing import TextIO

from rbdyn.mechanism.text import printable


def shown(text: object) -> str:
    """`text` on one line, with escapes for what is not printable."""
    return printable(str(text))


def say(text: object, stream: TextIO | None = None) -> None:
    """Print one line, on stdout by default, in whatever characters the stream has."""
    stream = sys.stdout if stream is None else stream
    encoding = stream.encoding or "utf-8"
    print(shown(text).encode(encoding, "backslashreplace").decode(encoding), file=stream)
