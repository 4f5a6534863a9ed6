"""Faults of whole files that other readers of robots forgive, repaired without moving a line.

Bullet's and RaiSim's robots have <?xml version="0.0"?>, a blank line or a comment before it, or a zero byte behind
everything.  XML allows none of that (W3C, Extensible Markup Language 1.0, sections 2.2 and 2.8).
"""

from __future__ import annotations

import re

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_blanks = re.compile(rb"[ \t\r\n]*")
_declaration = re.compile(rb"<\?xml[ \t\r\n][^<>]*(?<=\?)>")
_encoding_name = re.compile(rb"[A-Za-z][A-Za-z0-9._-]*")
_undeclared = re.compile(r"Namespace prefix ([A-Za-z_][A-Za-z0-9_.-]*) (?:for|on) ")
_root = re.compile(rb"<[A-Za-z_][A-Za-z0-9_:.-]*")
MOST_PREFIXES = 30
_known_version = re.compile(rb"1\.[0-9]+")


def repaired(data: bytes, name: str, diagnostics: Diagnostics) -> bytes:
    """`data` with its XML declaration first and of version 1.0, and no zero bytes at its end; lines stay.

    Parameters
    ----------
    data : bytes
        An XML document in an encoding that holds ASCII as it is; others, such as UTF-16, are returned as they are.
    name : str
        For diagnostics.
    diagnostics : Diagnostics
        Takes what was repaired.

    Raises
    ------
    UrdfError
        If `diagnostics` is strict and there is something to repair.
    """
    if data.endswith(b"\0") and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")):  # no UTF-16
        data = data.rstrip(b"\0")
        diagnostics.warn(f"{name}:{data.count(bytes([10])) + 1}", "zero bytes at the end of the file; ignored")
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    place = after_comments(data, start)
    match = _declaration.match(data, place)
    if match is None:
        return data
    declaration = match.group()
    version, encoding = _value_of(b"version", declaration), _value_of(b"encoding", declaration)
    odd = version is not None and _known_version.fullmatch(version) is None
    if place == start and not odd:
        return data
    line = data.count(b"\n", 0, place) + 1
    where = f"{name}:{line}"
    if version is not None and odd:
        text = shown(version.decode("ascii", "backslashreplace"))
        diagnostics.warn(where, f"there is no XML version {text}; read as version 1.0")
    if place > start:
        diagnostics.warn(where, "<?xml ...?> must be the first thing in a file; read as if it were")
    named = encoding is not None and _encoding_name.fullmatch(encoding) is not None
    first = b'<?xml version="1.0"' + (b' encoding="%s"' % encoding if named else b"") + b"?>"
    return data[:start] + first + data[start:place] + b"\n" * declaration.count(b"\n") + data[match.end() :]


def _value_of(name: bytes, declaration: bytes) -> bytes | None:
    """The quoted value behind `name` and "=" in an XML declaration; None if there is none."""
    parts = declaration.replace(b"'", b'"').split(b'"')
    for before, value in zip(parts[:-1:2], parts[1:-1:2], strict=False):
        word = before.rstrip()
        if word.endswith(b"=") and word[:-1].rstrip().endswith(name):
            return value
    return None


def after_comments(data: bytes, start: int) -> int:
    """Where blanks and comments end; no recursion and no backtracking, however many there are."""
    place = _blanks.match(data, start).end()  # type: ignore[union-attr]
    while data.startswith(b"<!--", place):
        end = data.find(b"-->", place + 4)
        if end < 0:
            return place
        place = _blanks.match(data, end + 3).end()  # type: ignore[union-attr]
    return place


def with_prefix(data: bytes, complaint: str, name: str, diagnostics: Diagnostics) -> bytes | None:
    """`data` with the prefix declared of which a parser complains; None if it complains of something else.

    Robot files carry words of other programs, such as <drake:acceleration>, and forget to declare their name space.
    """
    missing = _undeclared.match(complaint)
    if missing is None or data.count(b" xmlns:") > MOST_PREFIXES:
        return None
    root = _root.search(data, after_comments(data, len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0))
    if root is None:
        return None
    prefix = missing[1]
    text = f"the prefix {shown(prefix)} is declared nowhere; read as one of other programs"
    diagnostics.warn(f"{name}:1", text, f"prefix {prefix}")
    place = root.end()
    return data[:place] + f' xmlns:{prefix}="undeclared:{prefix}"'.encode() + data[place:]
