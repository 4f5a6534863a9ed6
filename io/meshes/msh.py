"""MSH files, MuJoCo's old binary format.  Normals and texture coordinates in the file are ignored."""

from __future__ import annotations

import struct

import numpy as np

from rbdyn.errors import Error, MeshError
from rbdyn.io.meshes.hull import convex_hull
from rbdyn.io.meshes.merge import Faces, Notes, Vertices, merge_vertices

HEADER = 16  # bytes: how many vertices, normals, texture coordinates and faces, as little-endian int32
SIZES = (12, 12, 8, 12)  # bytes of one of each
GMSH = b"$MeshFormat"  # how the files of another program of this suffix begin


def read_msh(data: bytes, name: str, notes: Notes | None = None) -> tuple[Vertices, Faces]:
    """Vertices and faces of an MSH file; of one without faces those of the convex hull, as MuJoCo takes it.

    Parameters
    ----------
    data : bytes
        The file: a header of four int32, then float32 vertices (n, 3), normals (n, 3) and texture coordinates (n, 2),
        and int32 faces (n, 3), all little-endian.
    name : str
        For messages.
    notes : list of (int, str), optional
        Left as it is.

    Raises
    ------
    MeshError
        If its length is not the one that its header says, it has no vertices, a face names a vertex that is not there,
        a vertex is not finite, or it has no faces and its vertices have no hull.
    """
    if data.startswith(GMSH):
        raise MeshError(f"{name}: an MSH file of Gmsh, which is not read; MuJoCo's begins with four counts")
    if len(data) < HEADER:
        raise MeshError(f"{name}: not an MSH file: {len(data)} bytes, and its header has {HEADER}")
    counts = struct.unpack("<4i", data[:HEADER])
    said = "{} vertices, {} normals, {} texture coordinates and {} faces".format(*counts)
    length = HEADER + sum(size * count for size, count in zip(SIZES, counts, strict=True))
    if min(counts) < 0 or length != len(data):
        needed = "is impossible" if min(counts) < 0 else f"has {length} bytes"
        raise MeshError(f"{name}: an MSH file of {said} {needed}, this one {len(data)} (truncated, or not MSH)")
    n, m = counts[0], counts[3]
    if n == 0:
        raise MeshError(f"{name}: the mesh has no vertices")
    with np.errstate(invalid="ignore"):  # NaN that signals: it is refused below
        vertices = np.frombuffer(data, "<f4", 3 * n, HEADER).reshape(-1, 3).astype(np.float64)
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise MeshError(f"{name}: vertex {bad} is not finite: {vertices[bad].tolist()}")
    if m == 0:
        try:
            return convex_hull(vertices)
        except Error as error:
            raise MeshError(f"{name}: the mesh has no faces, and {error}") from None
    faces = np.frombuffer(data, "<i4", 3 * m, length - 12 * m).reshape(-1, 3)
    wrong = ((faces < 0) | (faces >= n)).any(axis=1)
    if wrong.any():
        bad = int(np.argmax(wrong))
        raise MeshError(f"{name}: face {bad} is {faces[bad].tolist()}, and there are {n} vertices")
    return merge_vertices(vertices[faces.reshape(-1)])
