"""STL files, binary and ASCII.  Normals in the file are ignored: the corner order says which side is out."""

from __future__ import annotations

import re

import numpy as np

from rbdyn.errors import MeshError
from rbdyn.io.meshes.merge import Faces, Notes, Vertices, merge_vertices

HEADER = 84  # bytes: 80 of comment, a little-endian uint32 count
FACET = 50  # bytes: normal and three corners as float32, two attribute bytes
_layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
NUMBER = r"[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,4})?"
CHUNK = 20_000  # facets whose numbers are words at one time
_any = r"\S+"
_facet = re.compile(
    (
        rf"\s*facet\s+normal\s+{_any}\s+{_any}\s+{_any}\s+outer\s+loop"
        + rf"\s+vertex\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})" * 3
        + r"\s+endloop\s+endfacet(?=\s|\Z)"
    ).encode(),
    re.IGNORECASE,
)
_solid = re.compile(rb"\s*solid(?:[^\S\n][^\n]*)?(?:\n|\Z)", re.IGNORECASE)
_end = re.compile(rb"\s*endsolid[^\n]*(?:\n|\Z)", re.IGNORECASE)


def read_stl(data: bytes, name: str, notes: Notes | None = None) -> tuple[Vertices, Faces]:
    """Vertices and faces of an STL file.

    Parameters
    ----------
    data : bytes
        The file.  Binary if its length is 84 + 50 n with the n it states, whatever the first word; else ASCII if it
        starts with "solid".
    name : str
        For messages.
    notes : list of (int, str), optional
        Left as it is.

    Raises
    ------
    MeshError
        If it is truncated, empty, neither of the two forms, or holds a number that is not finite.
    """
    count = int.from_bytes(data[80:HEADER], "little") if len(data) >= HEADER else -1
    if count >= 0 and len(data) == HEADER + FACET * count:
        with np.errstate(invalid="ignore"):  # NaN that signals: it is refused below
            corners = np.frombuffer(data, _layout, count, HEADER)["corners"].reshape(-1, 3).astype(np.float64)
    elif data[:200].lstrip().lower().startswith(b"solid"):
        corners = _ascii_corners(data, name)
    elif count < 0:
        raise MeshError(f"{name}: not an STL file: {len(data)} bytes, and it does not start with 'solid'")
    else:
        raise MeshError(
            f"{name}: a binary STL file of {count} triangles has {HEADER + FACET * count} bytes, this one {len(data)} "
            "(truncated, or not STL)"
        )
    if len(corners) == 0:
        raise MeshError(f"{name}: the mesh has no triangles")
    finite = np.isfinite(corners).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise MeshError(f"{name}: triangle {bad // 3} has a corner that is not finite: {corners[bad].tolist()}")
    return merge_vertices(corners)


def _ascii_corners(data: bytes, name: str) -> Vertices:
    """Corners of all solids of an ASCII file, (3 m, 3)."""
    data = data.rstrip()
    words: list[tuple[bytes, ...]] = []
    parts = [np.empty((0, 3))]
    place = 0
    while place < len(data):
        solid = _solid.match(data, place)
        if solid is None:
            raise _syntax_error(data, place, name, "'solid'")
        place = solid.end()
        while facet := _facet.match(data, place):
            words.append(facet.groups())
            place = facet.end()
            if len(words) == CHUNK:
                parts.append(_numbers(words))
                words = []
        end = _end.match(data, place)
        if end is None:
            raise _syntax_error(data, place, name, "a facet of three finite vertices, or 'endsolid'")
        place = end.end()
    return np.concatenate([*parts, _numbers(words)])


def _numbers(words: list[tuple[bytes, ...]]) -> Vertices:
    return np.array(words).astype(np.float64).reshape(-1, 3) if words else np.empty((0, 3))


def _syntax_error(data: bytes, place: int, name: str, needed: str) -> MeshError:
    rest = data[place:]
    place += len(rest) - len(rest.lstrip())
    line = data.count(b"\n", 0, place) + 1
    return MeshError(f"{name}:{line}: ASCII STL: needed {needed} here (truncated, or a number is malformed)")
