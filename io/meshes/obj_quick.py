"""Plain OBJ files, which most are, read as whole tables; `obj` reads all others, and says what is wrong with them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rbdyn.io.meshes.merge import Faces, Vertices

LETTERS = b"0123456789+-.eE \t\r\n"
DIGITS = b"0123456789 \t\r\n"
_long = re.compile(rb"[0-9]{11}")  # no index has so many digits
_rest = re.compile(rb"(?<=[0-9])/[0-9]*(?:/[0-9]*)?(?=\s)")  # of a corner: its texture and normal


def read_plain(data: bytes, passed_over: frozenset[str], longest: int) -> tuple[Vertices, Faces] | None:
    """Vertices and faces of a file whose every line is plain.

    Parameters
    ----------
    data : bytes
        The file.
    passed_over : frozenset of str
        The first words of lines that say nothing of vertices and faces.
    longest : int
        Letters that a line may have.

    Returns
    -------
    vertices, faces : ndarray, or None
        None if a line is anything but "v x y z", "f a b c" or "f a b c d" (all faces alike, each corner with its
        texture and normal or without) of positive indices of vertices before it, or passed over; if it goes on on the
        next; or if a number is no finite one.
    """
    if not data.isascii() or b"\\" in data:
        return None
    rows: list[bytes] = []
    rings: list[bytes] = []
    known: list[int] = []  # vertices before each face
    beginnings = (b"#", *(f"{word} ".encode() for word in passed_over))
    for line in data.split(b"\n"):
        head = line[:2]
        if head == b"v ":
            rows.append(line)
        elif head == b"f ":
            rings.append(line)
            known.append(len(rows))
        elif not line.startswith(beginnings) and any(word.decode() not in passed_over for word in line.split()[:1]):
            return None
        if len(line) > longest:
            return None
    if not rings:
        return None
    try:
        vertices = _vertices(b"\n".join(rows), len(rows))
        corners = _corners(b"\n".join(rings) + b"\n", len(rings))
    except (ValueError, OverflowError):
        return None
    if vertices is None or corners is None or (corners >= np.array(known)[:, None]).any():
        return None
    fans = [corners[:, (0, k, k + 1)] for k in range(1, corners.shape[1] - 1)]
    return vertices, np.stack(fans, axis=1).reshape(-1, 3).astype(np.int32)


def _vertices(text: bytes, n: int) -> Vertices | None:
    """Lines "v x y z" -> (n, 3)."""
    words = text.split()
    if len(words) != 4 * n or words[::4].count(b"v") != n or text.count(b"v") != n:
        return None
    del words[::4]
    if text.replace(b"v", b"").translate(None, LETTERS):
        return None
    vertices = np.fromiter(map(float, words), np.float64, 3 * n).reshape(-1, 3)
    return vertices if np.isfinite(vertices).all() else None


def _corners(text: bytes, n: int) -> NDArray[np.int64] | None:
    """Lines "f a b c" or "f a b c d", all alike -> (n, 3) or (n, 4), counted from 0."""
    if b"/" in text:
        text = _rest.sub(b"", text)
    # 0 stands in the place of f, so that what is no table shows: no index is 0
    if _long.search(text) or text.count(b"f") != n or text.replace(b"f", b"").translate(None, DIGITS):
        return None
    numbers = np.fromstring(text.replace(b"f", b"0").decode("ascii"), dtype=np.int64, sep=" ")
    if numbers.size not in (4 * n, 5 * n):
        return None
    table = numbers.reshape(n, -1)
    return table[:, 1:] - 1 if not table[:, 0].any() and (table[:, 1:] > 0).all() else None
