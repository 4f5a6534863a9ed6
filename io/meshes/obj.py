"""Wavefront OBJ files: vertices and polygons.  Textures, normals, groups and materials are passed over, unread."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np

from rbdyn.errors import Error, MeshError
from rbdyn.io.meshes.merge import Faces, Notes, Vertices
from rbdyn.io.meshes.obj_quick import read_plain
from rbdyn.io.numbers import number, shown

PASSED_OVER = frozenset(
    ["vn", "vt", "vp", "o", "g", "s", "mg", "l", "p", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"]
    + ["usemtl", "mtllib", "usemap", "maplib"]
)
MAX_LINE = 1_000_000
MAX_CONTINUED = 1000
_corner = re.compile(r"([+-]?[0-9]{1,10})(?:/[+-]?[0-9]*){0,2}")


def read_obj(data: bytes, name: str, notes: Notes | None = None) -> tuple[Vertices, Faces]:
    """Vertices and faces of an OBJ file; a polygon becomes a fan about its first corner.

    Parameters
    ----------
    data : bytes
        The file, UTF-8.
    name : str
        For messages.
    notes : list of (int, str), optional
        Takes lines and what was left out there: faces of fewer than 3 corners, which are lines and points.

    Raises
    ------
    MeshError
        With name:line, if a number is malformed or not finite, an index is out of range, a statement is unknown, or
        there are no faces.
    """
    plain = read_plain(data, PASSED_OVER, MAX_LINE)
    if plain is not None:
        return plain
    vertices, faces = array("d"), array("i")
    thin: list[int] = []
    for line, words in _statements(data, name):
        try:
            if words[0] == "v":
                vertices.extend(_vertex(words))
            elif words[0] in ("f", "fo"):
                ring = [_index(word, len(vertices) // 3) for word in words[1:]]
                if len(ring) < 3:
                    thin.append(line)
                for k in range(1, len(ring) - 1):
                    faces.extend((ring[0], ring[k], ring[k + 1]))
            elif words[0] not in PASSED_OVER:
                raise Error(f"unknown statement {shown(words[0], 40)}; is this an OBJ file of triangles and polygons?")
        except Error as error:
            raise MeshError(f"{name}:{line}: {error}") from None
    if thin and notes is not None:
        more = f" ({len(thin)} such faces)" if len(thin) > 1 else ""
        notes.append((thin[0], f"a face of fewer than 3 corners{more}; left out"))
    if not faces:
        raise MeshError(f"{name}: the mesh has no faces ({len(vertices) // 3} vertices)")
    return np.array(vertices).reshape(-1, 3), np.array(faces, dtype=np.int32).reshape(-1, 3)


def _statements(data: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, words) of each statement; a backslash at the end of a line continues it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MeshError(f"{name}:{line}: not a text file in UTF-8") from None
    pending: list[str] = []
    first = 1
    for line, content in _lines(text):
        if len(content) > MAX_LINE:
            raise MeshError(f"{name}:{line}: a line of {len(content)} characters, at most {MAX_LINE} are read")
        content = content.split("#", 1)[0].rstrip()
        first = first if pending else line
        if content.endswith("\\"):
            pending.append(content[:-1])
            if len(pending) > MAX_CONTINUED:
                raise MeshError(f"{name}:{line}: a statement goes on over more than {MAX_CONTINUED} lines")
            continue
        words = " ".join([*pending, content]).split()
        pending = []
        if words:
            yield first, words


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines and their numbers, one at a time."""
    start, line = 0, 1
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield line, text[start:end]
        start, line = end + 1, line + 1


def _vertex(words: list[str]) -> tuple[float, float, float]:
    if len(words) not in (4, 5, 7, 8):  # x y z, then perhaps w, perhaps a colour
        raise Error(f"a vertex has {len(words) - 1} numbers, needed x y z")
    if len(words) in (5, 8) and number(words[4]) != 1.0:
        raise Error(f"a rational vertex (w = {words[4]}) is not supported")
    return number(words[1]), number(words[2]), number(words[3])


def _index(word: str, count: int) -> int:
    """Zero-based vertex index of a face corner "v", "v/t", "v//n" or "v/t/n"; negative counts back from the last."""
    match = _corner.fullmatch(word)
    if match is None:
        raise Error(f"{shown(word, 40)} is not a face corner")
    k = int(match.group(1))
    if k == 0 or abs(k) > count:
        raise Error(f"vertex index {k} is out of range: {count} vertices so far, counted from 1")
    return k - 1 if k > 0 else count + k
