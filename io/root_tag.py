"""The tag of a document's root element, found without a parser: which reader a file is for."""

from __future__ import annotations

import re
from pathlib import Path

from rbdyn.io.urdf.source import Source

LOOKED_AT = 1 << 16  # bytes of a file, or characters of a text, in which the root element is looked for
BEFORE_ROOT = {"<!--": "-->", "<?": "?>", "<!": ">"}  # beginnings and ends of what may stand before it
_blanks = re.compile(r"[ \t\r\n]*")
_tag = re.compile(r"<([A-Za-z_][\w.-]*)")


def root_tag(text: str) -> str:
    """Tag of the first element, within the first `LOOKED_AT` characters; "" if there is none.

    Comments, processing instructions and declarations are skipped one after the other, so that the time grows with
    the length of the text alone.

    Examples
    --------
    >>> root_tag('<?xml version="1.0"?> <!-- <mujoco/> --> <robot name="r"/>')
    'robot'
    """
    text = text[:LOOKED_AT].lstrip("\ufeff \t\r\n")
    place = 0
    while (match := _tag.match(text, place)) is None:
        start = next((start for start in BEFORE_ROOT if text.startswith(start, place)), None)
        end = -1 if start is None else text.find(BEFORE_ROOT[start], place + len(start))
        if start is None or end < 0:
            return ""
        place = _blanks.match(text, end + len(BEFORE_ROOT[start])).end()  # type: ignore[union-attr]
    return match[1]


def root_tag_of_file(path: Path) -> str:
    """`root_tag` of a file; "" if it cannot be opened, is no regular file, or has none."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as beginning:
            return root_tag(Source(beginning.read(LOOKED_AT), "").text)
    except OSError:
        return ""
