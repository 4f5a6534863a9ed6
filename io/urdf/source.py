"""The texts that a robot is read from: its own, and those of its modules."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbdyn.arguments import flag
from rbdyn.errors import Error, UrdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.paths import read_regular
from rbdyn.io.safe_xml import MAX_BYTES, parse_xml
from rbdyn.io.xml_declaration import BYTE_ORDER_MARK, after_comments, repaired

BYTE_ORDER_MARKS = (BYTE_ORDER_MARK, b"\xff\xfe", b"\xfe\xff")
PathOrText = str | bytes | os.PathLike[str]
_declaration = re.compile(rb"[ \t\r\n]*<\?xml[ \t\r\n][^<>]*(?<=\?)>")
_robot = re.compile(rb"<robot[\s/>]")


@dataclass(frozen=True)
class Source:
    """A text, and what it is called in messages."""

    data: str | bytes
    name: str
    path: Path | None = None

    @property
    def text(self) -> str:
        """The text, decoded."""
        if isinstance(self.data, str):
            return self.data
        for mark, encoding in ((BYTE_ORDER_MARK, "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
            if self.data.startswith(mark):
                return self.data.decode(encoding, "replace")
        return self.data.decode("utf-8", "replace")


def source_of(path_or_text: PathOrText, text: bool | None, what: str = "path_or_text") -> Source:
    """The text of a file, or the text itself.

    Raises
    ------
    Error
        If it is neither.
    PathError
        If the file does not exist or may not be read.
    """
    if not isinstance(path_or_text, (str, bytes, os.PathLike)):
        raise Error(f"{what} must be a path or a text, got {type(path_or_text).__name__}")
    if text is None:
        text = not isinstance(path_or_text, os.PathLike) and looks_like_xml(path_or_text)
    if flag(text, "text"):
        if isinstance(path_or_text, os.PathLike):
            raise Error(f"text=True, but {what} is a path: {path_or_text!r}")
        return Source(path_or_text.lstrip("\ufeff") if isinstance(path_or_text, str) else path_or_text, "<text>")
    name = str(os.fsdecode(path_or_text))  # of arrays of paths, too: numpy.str_ is none that compiled readers take
    if not name.strip():
        raise UrdfError(f"<text>:1: {what} is empty: neither a path nor a robot description")
    return Source(read_regular(name, MAX_BYTES), name, Path(name))


def looks_like_xml(source: str | bytes) -> bool:
    """Whether it is text, and no path."""
    if isinstance(source, bytes):
        return source.startswith(BYTE_ORDER_MARKS) or source.lstrip().startswith(b"<")
    return source.lstrip("\ufeff \t\r\n").startswith("<")


def parse_fragment(source: Source, diagnostics: Diagnostics) -> Any:
    """The root element (lxml) of a module: a <robot>, or links and joints without one, as RaiSim's modules are.

    What has no root is read inside <robot> on its first line, so that lines stay what they are.

    Raises
    ------
    UrdfError
        If it is no XML, begins with a text, or has a DOCTYPE; the message quotes nothing of what is no module.
    """
    data = source.text.encode("utf-8", "surrogatepass") if isinstance(source.data, str) else source.data
    if data.startswith(BYTE_ORDER_MARKS[1:]):
        data = source.text.encode("utf-8", "surrogatepass")
    data = repaired(data, source.name, diagnostics)
    data = data[len(BYTE_ORDER_MARK) :] if data.startswith(BYTE_ORDER_MARK) else data
    match = _declaration.match(data)
    head = 0 if match is None else match.end()
    place = after_comments(data, head)
    if place < len(data) and not data.startswith(b"<", place):
        line = data.count(b"\n", 0, place) + 1
        raise UrdfError(f"{source.name}:{line}: not a module: it must begin with an element, such as <link> or <robot>")
    if _robot.match(data, place) or data[place : place + 2] == b"<!":
        return parse_xml(data, source.name, diagnostics)
    return parse_xml(data[:head] + b"<robot>" + data[head:] + b"</robot>", source.name, diagnostics)
