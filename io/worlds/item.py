"""An element of a world file: its words in either spelling, its numbers, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rbdyn.errors import Error, WorldFileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import number, shown, vector

FILE = "{rbdyn}file"  # attribute that this reader puts on what another file gave
BITS = re.compile(r"collision\[([0-9]+(?:\|[0-9]+)*)\]")
WORDS = {"true": True, "1": True, "false": False, "0": False}
_camel: dict[str, str] = {}


def camel(name: str) -> str:
    """RaiSim's other spelling of a name: "lin_vel" -> "linVel"."""
    if name not in _camel:
        head, *tail = name.split("_")
        _camel[name] = head + "".join(word[:1].upper() + word[1:] for word in tail)
    return _camel[name]


class Item:
    """One element, with the attributes that were asked for.

    Parameters
    ----------
    element : lxml element
        The element.
    file : str
        Name of the document, for messages.
    """

    __slots__ = ("_element", "_file", "_used", "tag")

    def __init__(self, element: Any, file: str) -> None:
        self._element, self._file = element, file
        self._used: set[str] = set()
        self.tag = str(element.tag)

    @property
    def file(self) -> str:
        """The file that it came from."""
        element = self._element
        while element is not None:
            if name := element.get(FILE):
                return str(name)
            element = element.getparent()
        return self._file

    @property
    def where(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self._element.sourceline}"

    def error(self, text: object) -> WorldFileError:
        """An error about this element, to be raised."""
        name = self._element.get("name")
        label = f"<{self.tag}>" + (f" {shown(name)}" if name else "")
        return WorldFileError(f"{self.where}: {label}: {text}")

    # ---- attributes --------------------------------------------------------------------------

    def get(self, name: str) -> str | None:
        """An attribute in either spelling; None if it is not given."""
        element, other = self._element, camel(name)
        value = element.get(name)
        if value is not None:
            self._used.add(name)
            if other != name and element.get(other) is not None:
                raise self.error(f"{name} and {other} are the same; give one")
            return str(value)
        value = element.get(other)
        if value is not None:
            self._used.add(other)
        return None if value is None else str(value)

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute; required if there is no default."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a number."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        try:
            return number(value)
        except Error as error:
            raise self.error(f"{name}={error}") from None

    def vector(self, name: str, n: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute as n numbers."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        try:
            return vector(value, n)
        except Error as error:
            raise self.error(f"{name}={error}") from None

    def numbers(self, name: str) -> tuple[float, ...] | None:
        """An attribute as any count of numbers, infinite ones too; None if it is not given."""
        value = self.get(name)
        if value is None:
            return None
        try:
            return tuple(map(_number, value.split()))
        except Error as error:
            raise self.error(f"{name}={error}") from None

    def whole(self, name: str, default: int | None = None) -> int:
        """An attribute as a whole number."""
        value = self.get(name)
        if value is None and default is not None:
            return default
        if value is None or re.fullmatch(r"\s*[+-]?[0-9]{1,19}\s*", value) is None:
            raise self.error(f"{name}={shown(value or '')} is not a whole number")
        return int(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """An attribute as true or false."""
        value = self.get(name)
        if value is None:
            return default
        if value.strip().lower() not in WORDS:
            raise self.error(f"{name}={shown(value)} must be true or false")
        return WORDS[value.strip().lower()]

    def bits(self, name: str, default: int) -> int:
        """A collision group or mask: a whole number, or collision[1|4|6] for bits 1, 4 and 6."""
        value = self.get(name)
        if value is None:
            return default
        match = BITS.fullmatch(value.strip())
        if match is None:
            return self.whole(name)
        places = [int(place) for place in match[1].split("|")]
        if max(places) > 63:
            raise self.error(f"{name}={shown(value)}: there are bits 0 to 63")
        return sum(1 << place for place in set(places))

    # ---- children ----------------------------------------------------------------------------

    def children(self, *tags: str) -> Iterator[Item]:
        """The elements inside, or those of these tags."""
        for child in self._element:
            if isinstance(child.tag, str) and (not tags or child.tag in tags):
                yield Item(child, self._file)

    def child(self, *tags: str) -> Item | None:
        """The one element of these tags; None if there is none."""
        found = [child for child in self._element if child.tag in tags]
        if len(found) > 1:
            raise Item(found[1], self._file).error(f"a second <{found[1].tag}> in <{self.tag}>")
        return Item(found[0], self._file) if found else None

    def element(self) -> Any:
        """The lxml element."""
        return self._element

    def check(self, diagnostics: Diagnostics, *tags: str) -> None:
        """Report attributes that nobody asked for, and elements of other tags."""
        unknown = [n for n in self._element.attrib if n not in self._used and not str(n).startswith("{")]
        if unknown:
            where = self.where
            for name in unknown:
                text = f"unknown attribute {shown(str(name))} of <{self.tag}>; ignored"
                diagnostics.warn(where, text, f"attribute {self.tag}/{name}")
        for child in self._element:
            if child.tag not in tags:
                where = f"{self.file}:{child.sourceline}"
                tag = shown(str(child.tag))[1:-1] if isinstance(child.tag, str) else "?"
                diagnostics.warn(where, f"unknown tag <{tag}> in <{self.tag}>; ignored", f"tag {self.tag}/{tag}")

    def check_texts(self, diagnostics: Diagnostics) -> None:
        """Report texts anywhere inside: only the <part>s of a <solver_state> have some."""
        for child in self._element:
            tail, inside = child.tail or "", child.itertext() if child.tag != "solver_state" else ()
            if tail.strip() or any(map(str.strip, inside)):  # hardly ever
                break
        else:
            if not (self._element.text or "").strip():
                return
        for element in self._element.iter():
            for text in (element.text, *(child.tail for child in element)):
                if text and text.strip() and element.tag != "part":
                    said = f"text {shown(text.strip())} inside <{element.tag}>; ignored"
                    diagnostics.warn(Item(element, self._file).where, said, f"text {element.tag}")


def _number(word: str) -> float:
    return {"inf": float("inf"), "-inf": float("-inf")}.get(word) or number(word)
