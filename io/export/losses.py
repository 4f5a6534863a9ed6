"""What a format cannot say of a mechanism: collected while it is written, said as warnings, or refused."""

from __future__ import annotations

import warnings

from rbdyn.errors import Error, ExportWarning

MOST_NAMED = 5  # names that one warning gives


class Losses:
    """What one file leaves out.

    Parameters
    ----------
    form : str
        Name of the format, for messages.
    strict : bool
        Raise Error at the first loss.
    """

    def __init__(self, form: str, strict: bool) -> None:
        self._form, self._strict = form, strict
        self._names: dict[str, list[str]] = {}  # text of a kind -> the names that it is about

    def add(self, what: str, name: str) -> None:
        """Note that `what` ("damping of the mimic: left out") is lost of the joint, body or shape `name`."""
        if self._strict:
            raise Error(f"{self._form} cannot say this: {what}: {name} (strict=True)")
        self._names.setdefault(f"{self._form} cannot say this: {what}", []).append(name)

    def add_dialect(self, what: str, name: str) -> None:
        """Note that `what` is written of `name` in words of a dialect: nothing is lost, and `strict` allows it."""
        self._names.setdefault(f"{self._form} in dialect, {what}", []).append(name)

    def lines(self) -> list[str]:
        """One text a kind of loss, with the names that it is about."""
        texts = []
        for what, names in self._names.items():
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            texts.append(f"{what}: {', '.join(names[:MOST_NAMED])}{more}")
        return texts

    def say(self, depth: int) -> None:
        """An ExportWarning a kind of loss, about the line `depth` calls up."""
        for text in self.lines():
            warnings.warn(text, ExportWarning, stacklevel=depth + 1)
