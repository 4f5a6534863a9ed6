"""An SDF element: its numbers stand in its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import number_or_infinite, shown, vector
from rbdyn.spatial.transform import Transform


class SdfNode:
    """One element.

    Parameters
    ----------
    element : lxml element
        The element.
    file : str
        Name of the document, for messages.

    Attributes
    ----------
    element, file
        As given.
    tag : str
        Its tag.
    """

    __slots__ = ("element", "file", "tag")

    def __init__(self, element: Any, file: str) -> None:
        self.element, self.file, self.tag = element, file, str(element.tag)

    @property
    def where(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.element.sourceline}"

    def error(self, text: object) -> SdfError:
        """An error about this element, to be raised."""
        name = self.element.get("name")
        return SdfError(f"{self.where}: <{self.tag}>{'' if name is None else f' {shown(name)}'}: {text}")

    def reporter(self, diagnostics: Diagnostics) -> Callable[[str, str], None]:
        """`warn(text, kind)` of the rules of `rbdyn.io.rules`, about this element."""
        return lambda text, kind: diagnostics.warn(self.where, f"<{self.tag}>: {text}", kind)

    def get(self, name: str) -> str | None:
        """An attribute."""
        value = self.element.get(name)
        return None if value is None else str(value)

    def name(self) -> str:
        """The attribute "name", which must be there."""
        value = self.get("name")
        if not value or not value.strip():
            raise self.error("attribute 'name' is missing")
        return value

    @property
    def text(self) -> str:
        """The text in it."""
        return str(self.element.text or "").strip()

    def children(self, *tags: str) -> Iterator[SdfNode]:
        """The elements inside, or those of these tags."""
        for child in self.element:
            if isinstance(child.tag, str) and (not tags or child.tag in tags):
                yield SdfNode(child, self.file)

    def child(self, tag: str) -> SdfNode | None:
        """The one element of that tag."""
        found = list(self.children(tag))
        if len(found) > 1:
            raise found[1].error(f"a second one in <{self.tag}>")
        return found[0] if found else None

    def need(self, tag: str) -> SdfNode:
        """The one element of that tag, which must be there."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing")
        return found

    def number(self, tag: str, default: float | None = None) -> float:
        """The number in a child; may be infinite."""
        node = self.child(tag)
        if node is None:
            if default is None:
                raise self.error(f"<{tag}> is missing")
            return default
        try:
            return number_or_infinite(node.text)
        except Error as error:
            raise node.error(error) from None

    def vector(self, n: int) -> tuple[float, ...]:
        """The numbers in it."""
        try:
            return vector(self.text, n)
        except Error as error:
            raise self.error(error) from None

    def flag(self, tag: str) -> bool:
        """Whether a child says true."""
        node = self.child(tag)
        if node is None:
            return False
        if node.text.lower() not in ("true", "false", "0", "1"):
            raise node.error(f"{shown(node.text)} must be true or false")
        return node.text.lower() in ("true", "1")

    def says(self, name: str) -> bool:
        """Whether an attribute is true."""
        value = self.get(name)
        if value is None:
            return False
        if value.strip().lower() not in ("true", "false", "0", "1"):
            raise self.error(f"{name}={shown(value)} must be true or false")
        return value.strip().lower() in ("true", "1")

    def pose(self) -> tuple[Transform, str | None]:
        """<pose>: x y z and roll pitch yaw, or x y z w of a quaternion; and the frame it is relative to, if it says."""
        node = self.child("pose")
        if node is None:
            return Transform(), None
        other = node.get("relative_to") or node.get("frame") or None  # "frame" is the word before SDF 1.7
        quaternion = node.get("rotation_format") == "quat_xyzw"
        if node.get("rotation_format") not in (None, "euler_rpy", "quat_xyzw"):
            raise node.error(f"rotation_format={shown(node.get('rotation_format') or '')}; "
                             "choices: euler_rpy, quat_xyzw")  # fmt: skip
        if not node.text:
            return Transform(), other
        numbers = list(node.vector(7 if quaternion else 6))
        if node.says("degrees") and not quaternion:
            numbers[3:] = [x * 0.017453292519943295 for x in numbers[3:]]
        try:
            if quaternion:
                x, y, z, w = numbers[3:]
                return Transform(quat=(w, x, y, z), translation=numbers[:3]), other
            return Transform(rpy=numbers[3:], translation=numbers[:3]), other
        except Error as error:
            raise node.error(error) from None
