"""Notes: what a reader assumed or left out, collected for `Mechanism.warnings`."""

from __future__ import annotations

from rbdyn.errors import UrdfError


class Notes:
    """The warnings of one load; under `strict` the first one raises.

    Parameters
    ----------
    strict : bool
        Raise UrdfError instead of taking a note.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self._texts: dict[str, str] = {}  # kind -> text with its place
        self._counts: dict[str, int] = {}  # kind -> how often it came

    def warn(self, where: str, text: str, kind: str = "", count: int = 1) -> None:
        """Take a note about `where` ("file:line"); notes of one non-empty `kind` become a single line with a count."""
        if self.strict:
            raise UrdfError(f"{where}: {text} (strict=True)")
        key = kind or f"{where} {text}"
        self._texts.setdefault(key, f"{where}: {text}")
        self._counts[key] = self._counts.get(key, 0) + count

    def lines(self) -> list[str]:
        """The notes, in the order in which they first came up."""
        return [
            text if self._counts[kind] == 1 else f"{text} ({self._counts[kind]} times, first here)"
            for kind, text in self._texts.items()
        ]
