"""Diagnostics: what a reader assumed or left out, collected for `Mechanism.diagnostics`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from rbdyn.errors import FileError, UrdfError

MAX_COMPARED = 2000  # names that one load compares with misspelt ones: some 0.4 ms each, if long and much alike
MAX_KNOWN = 500  # of them, for one misspelt name
MAX_LETTERS = 60
MAX_TEXTS = 2000  # that are kept


def did_you_mean(name: str, known: Iterable[str], n: int = 3) -> str:
    """'; did you mean ...?' with the known names most like `name`, or nothing; in bounded time whatever the names."""
    return _phrase(name, _comparable(known), n)


def _comparable(known: Iterable[str]) -> list[str]:
    """The names that a misspelt one is compared with."""
    return sorted(islice((k for k in known if len(k) <= MAX_LETTERS), MAX_KNOWN))


def _phrase(name: str, some: list[str], n: int) -> str:
    close = difflib.get_close_matches(name[:MAX_LETTERS], some, n=n, cutoff=0.5)
    return f"; did you mean {', '.join(map(repr, close))}?" if close else ""


class Diagnostics:
    """What one load has to say; under `strict` the first word raises.

    Parameters
    ----------
    strict : bool
        Raise instead of recording.
    error : type of FileError
        What to raise.
    """

    def __init__(self, strict: bool = False, error: type[FileError] = UrdfError) -> None:
        self.strict, self._error = strict, error
        self._texts: dict[str, str] = {}  # kind -> text with its place
        self._counts: dict[str, int] = {}  # kind -> how often it came
        self._compared = 0
        self._dropped = 0

    def warn(self, where: str, text: str, kind: str = "", count: int = 1) -> None:
        """Record a text about `where` ("file:line"); those of one non-empty `kind` become one line with a count."""
        if self.strict:
            raise self._error(f"{where}: {text} (strict=True)")
        key = kind or f"{where} {text}"
        if len(self._texts) >= MAX_TEXTS and key not in self._texts:
            self._dropped += count
            return
        self._texts.setdefault(key, f"{where}: {text}")
        self._counts[key] = self._counts.get(key, 0) + count

    def did_you_mean(self, name: str, known: Iterable[str], n: int = 3) -> str:
        """`did_you_mean` for a text to `warn` of; nothing once many were compared, as a file may misspell a million."""
        if self._compared >= MAX_COMPARED:
            return ""
        some = _comparable(known)
        self._compared += len(some)
        return _phrase(name, some, n)

    def lines(self) -> list[str]:
        """The texts, in the order in which they first came up; at most 2,000, and how many more there were."""
        lines = [
            text if self._counts[kind] == 1 else f"{text} ({self._counts[kind]} times, first here)"
            for kind, text in self._texts.items()
        ]
        return [*lines, f"and {self._dropped} more such faults, not listed"] if self._dropped else lines
