"""An XML element that knows where it stands, so that every complaint can say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from rbdyn.errors import Error, UrdfError
from rbdyn.io import repairs
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import DECIMAL, number, number_or_infinite, shown, vector

T = TypeVar("T")
SHORT, PLAIN = 40, re.compile(DECIMAL)  # what most numbers are, and needs no further look
PLAIN_ROW = re.compile(rf"({DECIMAL}) ({DECIMAL}) ({DECIMAL})")
LARGEST = 1e30  # of a physical value: a product of several, such as a moment of inertia, must not overflow


class Node:
    """One element of a robot file.

    Parameters
    ----------
    element : lxml element
        The element.
    file : str
        Name of the file, for messages.
    owner : str
        The link or joint that it belongs to, for messages: "link 'l1'".
    diagnostics : Diagnostics, optional
        Takes what is repaired in its numbers; without them nothing is.
    tag : str, optional
        Its tag as `local_name` gives it, if that is known already.
    """

    __slots__ = ("_diagnostics", "_element", "_inside", "file", "owner", "tag")

    def __init__(
        self, element: Any, file: str, owner: str = "", diagnostics: Diagnostics | None = None, tag: str | None = None
    ) -> None:
        self._element = element
        self._inside: dict[str, list[Any]] | None = None  # elements inside by tag, once somebody asks
        self._diagnostics = diagnostics
        self.file = file
        self.owner = owner
        self.tag = local_name(element) if tag is None else tag

    @property
    def where(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self._element.sourceline}"

    @property
    def label(self) -> str:
        """The element for messages: "<mass> of link 'l1'"."""
        return f"<{self.tag}> of {self.owner}" if self.owner else f"<{self.tag}>"

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes."""
        return [str(a) for a in self._element.attrib]

    @property
    def element(self) -> Any:
        """The lxml element."""
        return self._element

    def error(self, text: str) -> UrdfError:
        """An error about this element, to be raised."""
        return UrdfError(f"{self.where}: {self.label}: {text}")

    def reporter(self, diagnostics: Diagnostics) -> Callable[[str, str], None]:
        """`warn(text, kind)` of the rules of `rbdyn.io.rules`, about this element."""
        return lambda text, kind: diagnostics.warn(self.where, f"{self.label}: {text}", kind)

    def owned_by(self, owner: str) -> Node:
        """The same element, speaking of `owner` from here on."""
        return Node(self._element, self.file, owner, self._diagnostics, self.tag)

    # ---- attributes --------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether the attribute is given."""
        return self._element.get(name) is not None

    def get(self, name: str) -> str | None:
        """An attribute, None if it is not given."""
        value: str | None = self._element.get(name)
        return value

    def text(self, name: str) -> str:
        """An attribute that must be given and not empty."""
        value = self.get(name)
        if value is None:
            raise self.error(f"attribute {name!r} is missing")
        if not value.strip():
            raise self.error(f"{name}={value!r} is empty")
        if "@@" in value:
            raise self.error(f"{name}={shown(value)} is of a template: give its parameters, params={{...}}")
        return value

    def number(self, name: str, default: float | None = None, largest: float = LARGEST) -> float:
        """An attribute as a number, at most `largest` in size; required if there is no `default`."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        if len(value) < SHORT and PLAIN.fullmatch(value) and -largest <= (x := float(value)) <= largest:
            return x
        x = self._read(name, value, number, repairs.number)
        if abs(x) > largest:
            raise self.error(f"{name}={shown(value)} is no physical value: its size must be at most {largest:g}")
        return x

    def size(self, name: str) -> float:
        """An attribute as a length above 0 [m], under the name that the file gives it."""
        x = self.number(name)
        if not x > 0.0:
            raise self.error(f"{name}={shown(self.text(name))} must be above 0 [m]")
        return x

    def limit(self, name: str) -> float | None:
        """An attribute as a number of any size, infinite ones too; None if it is not given."""
        value = self.get(name)
        return None if value is None else self._read(name, value, number_or_infinite, repairs.number)

    def vector(self, name: str, n: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute as n numbers, at most LARGEST in size; required if there is no `default`."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        if n == 3 and len(value) < 3 * SHORT and (match := PLAIN_ROW.fullmatch(value)) is not None:
            x, y, z = map(float, match.groups())
            if -LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST and -LARGEST <= z <= LARGEST:
                return x, y, z
        xs = self._read(name, value, lambda text: vector(text, n), lambda text: repairs.vector(text, n, name))
        if max(map(abs, xs)) > LARGEST:
            raise self.error(f"{name}={shown(value)} is no physical value: its size must be at most {LARGEST:g}")
        return xs

    def _read(
        self, name: str, text: str, read: Callable[[str], T], repaired: Callable[[str], tuple[str, str] | None]
    ) -> T:
        """What `read` makes of an attribute, or of what it means if other readers forgive what is wrong with it."""
        try:
            return read(text)
        except Error as error:
            found = None if self._diagnostics is None else repaired(text)
            if found is None or self._diagnostics is None:
                raise self.error(f"{name}={error}") from None
        value = read(found[0])
        self._diagnostics.warn(self.where, f"{self.label}: {name}={shown(text)}: {found[1]}", f"repaired {found[1]}")
        return value

    # ---- children ----------------------------------------------------------------------------

    def children(self, tag: str = "") -> list[Node]:
        """The elements inside, or those of one tag."""
        if tag:
            return [Node(c, self.file, self.owner, self._diagnostics, tag) for c in self._by_tag().get(tag, ())]
        return [Node(c, self.file, self.owner, self._diagnostics) for c in self._element]

    def is_inside(self, tag: str) -> bool:
        """Whether the element directly around it is of that tag."""
        around = self._element.getparent()
        return around is not None and local_name(around) == tag

    def _by_tag(self) -> dict[str, list[Any]]:
        if self._inside is None:
            inside: dict[str, list[Any]] = {}
            self._inside = inside
            for element in self._element:
                tag = local_name(element)
                if tag in inside:
                    inside[tag].append(element)
                else:
                    inside[tag] = [element]
        return self._inside

    def descendants(self, tag: str) -> Iterator[Node]:
        """The elements of that tag at any depth."""
        for element in self._element.iterdescendants(f"{{*}}{tag}"):
            yield Node(element, self.file, self.owner, self._diagnostics)

    def child(self, tag: str) -> Node | None:
        """The one element of that tag, None if there is none; UrdfError if there are more."""
        found = self._by_tag().get(tag, ())
        if len(found) > 1:
            second = Node(found[1], self.file, self.owner)
            raise second.error(f"a second <{tag}> in the same <{self.tag}>; the first is on line {found[0].sourceline}")
        return Node(found[0], self.file, self.owner, self._diagnostics, tag) if found else None

    def first(self, tag: str, diagnostics: Diagnostics) -> Node | None:
        """The first element of that tag, None if there is none; more are reported and ignored."""
        found = self.children(tag)
        if len(found) > 1:
            kept = found[0].where.rpartition(":")[2]
            diagnostics.warn(found[1].where, f"{self.label}: a second <{tag}>; the first, on line {kept}, is taken")
        return found[0] if found else None

    def need(self, tag: str) -> Node:
        """The one element of that tag; UrdfError if there is not exactly one."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing")
        return found


def local_name(element: Any) -> str:
    """The tag; of the document's default name space without it, of another as "prefix:tag"."""
    tag = element.tag
    if not isinstance(tag, str):  # an entity reference: refused with its DOCTYPE, kept here as no known tag
        return "?"
    if tag[0] != "{":
        return tag
    bare = tag.rsplit("}", 1)[1]
    return f"{element.prefix}:{bare}" if element.prefix else bare
