"""<solver_state>: a snapshot of a World as text; checked when it is read, and never code."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from typing import Any

from rbdyn.errors import Error
from rbdyn.io.export.xml_text import element
from rbdyn.io.worlds.item import Item
from rbdyn.world import Snapshot, World

VERSION = "1"
PIECE = 1 << 20  # characters of one <part>: readers of XML bound the length of a text
MAX_BYTES = 1 << 28  # of a snapshot


def write_solver_state(root: Any, snapshot: Snapshot) -> None:
    """The bytes of a snapshot, compressed, in base64."""
    text = base64.b64encode(zlib.compress(bytes(snapshot), 6)).decode("ascii")
    node = element(root, "solver_state", version=VERSION, of=digest(root))
    for k in range(0, len(text), PIECE):
        element(node, "part").text = text[k : k + PIECE]


def digest(root: Any) -> str:
    """A number for all that a file says but its <solver_state>: tags and attributes, in whatever order these stand."""
    found = hashlib.sha256()
    pending = [root]
    while pending:
        one = pending.pop()
        inside = [child for child in one if child.tag != "solver_state"]
        words = sorted((k, v) for k, v in one.attrib.items() if not k.startswith("{") and k != "literal")
        found.update(repr((one.tag, len(inside), words)).encode())
        pending += inside
    return found.hexdigest()[:32]


def restore_solver_state(item: Item, root: Item, world: World) -> None:
    """Bring a World that is built alike to this state; WorldFileError if it does not fit."""
    if item.text("version") != VERSION:
        raise item.error(f"version={item.text('version')!r} is not read; this reader knows version {VERSION}")
    text = "".join(child.element().text or "" for child in item.children("part"))
    try:
        packed = base64.b64decode("".join(text.split()), validate=True)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, MAX_BYTES)
    except (ValueError, binascii.Error, zlib.error) as error:
        raise item.error(f"it is damaged: {error}") from None
    if unpacker.unconsumed_tail:
        raise item.error(f"it holds more than {MAX_BYTES} bytes")
    if not unpacker.eof:
        raise item.error("it is damaged: its end is missing")
    try:
        snapshot = Snapshot.from_bytes(data)
    except Error as error:
        raise item.error(error) from None
    if item.text("of") != digest(root.element()):
        raise item.error("the file was changed after it was saved, and this is the state of what it said then: take "
                         "the changes back, or remove <solver_state>")  # fmt: skip
    try:
        world.restore(snapshot)
    except Error as error:
        raise item.error(error) from None
