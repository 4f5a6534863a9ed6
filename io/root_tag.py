"""The tag of a document's root element, found without a parser: which reader a file is for."""

from __future__ import annotations

import re
from pathlib import Path

from rbdyn.io.safe_xml import MAX_BYTES
from rbdyn.io.urdf.source import Source

_blanks = re.compile(r"[ \t\r\n]*")
_tag = re.compile(r"<([A-Za-z_][\w.-]*)")
_before_root = re.compile(r"<!--|<\?|<!")  # beginnings of what may stand before it
_in_declaration = re.compile(r"<!--|<\?|[\"'\[\]>]")
ENDS = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}


def root_tag(text: str) -> str:
    """Tag of the first element; "" if there is none.

    Comments, processing instructions and declarations are skipped one after the other, so that the time grows with
    the length of the text alone.

    Examples
    --------
    >>> root_tag('<?xml version="1.0"?> <!-- <mujoco/> --> <robot name="r"/>')
    'robot'
    """
    place = _blanks.match(text, text.startswith("\ufeff")).end()  # type: ignore[union-attr]
    while (match := _tag.match(text, place)) is None:
        start = _before_root.match(text, place)
        end = -1 if start is None else _end(text, start)
        if end < 0:
            return ""
        place = _blanks.match(text, end).end()  # type: ignore[union-attr]
    return match[1]


def _end(text: str, start: re.Match[str]) -> int:
    """Where what begins at `start` ends; -1 if it does not.

    A declaration ends at a ">" outside of quotes, brackets, comments and processing instructions.
    """
    if start[0] in ENDS:
        end = text.find(ENDS[start[0]], start.end())
        return -1 if end < 0 else end + len(ENDS[start[0]])
    depth, place = 0, start.end()
    while (mark := _in_declaration.search(text, place)) is not None:
        if mark[0] in ENDS:
            place = _end(text, mark)
            if place < 0:
                return -1
            continue
        depth, place = depth + {"[": 1, "]": -1, ">": 0}[mark[0]], mark.end()
        if mark[0] == ">" and depth <= 0:
            return place
    return -1


def root_tag_of_file(path: Path) -> str:
    """`root_tag` of a file's first `MAX_BYTES`; "" if it cannot be opened, is no regular file, or has none."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return root_tag(Source(file.read(MAX_BYTES), "").text)
    except OSError:
        return ""
