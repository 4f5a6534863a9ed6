"""What notebooks show of a World, a robot or a recording: a picture, without a server."""

from __future__ import annotations

import base64
import html
from typing import Any

from rbdyn.errors import Error
from rbdyn.recording import Recording
from rbdyn.rendering.png import png_bytes
from rbdyn.scenery import Camera, look

WIDTH, HEIGHT = 480, 320


def html_of(thing: Any) -> str:
    """A picture, and what `repr` says; the text alone if there is nothing to be seen, or not now.

    Parameters
    ----------
    thing : World, ArticulatedSystem or Recording
        What is shown.

    Returns
    -------
    text : str
        HTML.
    """
    said = f"<pre>{html.escape(repr(thing))}</pre>"
    try:
        seen: Any = thing.scenery(-1) if isinstance(thing, Recording) else thing
        picture = png_bytes(look(seen, Camera.looking_at(seen, width=WIDTH, height=HEIGHT)).rgb)
    except Error:
        return said
    data = base64.b64encode(picture).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" width="{WIDTH}" height="{HEIGHT}" alt=""/>{said}'
