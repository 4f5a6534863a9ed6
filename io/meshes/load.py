"""Mesh files -> Mesh shapes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rbdyn.arguments import named_options
from rbdyn.collision.shapes import Mesh
from rbdyn.errors import Error, MeshError
from rbdyn.io.meshes.dae import read_dae
from rbdyn.io.meshes.merge import Faces, Notes, Vertices
from rbdyn.io.meshes.msh import read_msh
from rbdyn.io.meshes.obj import read_obj
from rbdyn.io.meshes.stl import read_stl
from rbdyn.io.meshes.through_trimesh import read_glb, read_ply
from rbdyn.io.paths import MEGABYTE, read_regular

MAX_BYTES = 512 * MEGABYTE
READERS: dict[str, Callable[[bytes, str, Notes], tuple[Vertices, Faces]]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".msh": read_msh,
    ".dae": read_dae,
    ".ply": read_ply,
    ".glb": read_glb,
}


def check_format(name: str) -> None:
    """MeshError if files named like this are not read."""
    suffix = Path(name).suffix.lower()
    if suffix not in READERS:
        raise MeshError(f"mesh {name[-300:]!r}: format {suffix!r} is not read; choices: {', '.join(READERS)}")


@named_options
def load_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Read a mesh file.

    Parameters
    ----------
    path : path-like
        An STL (binary or ASCII), OBJ, MSH (MuJoCo's old format) or, with ``pip install "rbdyn[mesh]"``, COLLADA, PLY
        or GLB file of at most 512 MB; the suffix says which.

    Returns
    -------
    mesh : Mesh
        Its vertices [m] (STL, OBJ, MSH and PLY have no unit: metres are assumed; COLLADA states one, glTF's is the
        metre) and faces.  Vertices that are exactly equal are merged; OBJ keeps its own.  Faces of OBJ with fewer than
        three corners are left out, with a warning.

    Raises
    ------
    PathError
        If there is no such regular file, or it is too large.
    MeshError
        If the format is not read, or the file is truncated, empty, malformed or not finite; with the line if it has
        lines.
    MissingExtraError
        If the file is COLLADA and pycollada is not installed, or PLY or GLB and trimesh is not.
    """
    name = os.fspath(path)
    check_format(name)
    return mesh_of(read_regular(name, MAX_BYTES), name)


def mesh_of(
    data: bytes, name: str, notes: Notes | None = None, take: Callable[[Any], None] | None = None
) -> Mesh:
    """The mesh that the bytes of a file of that name hold; errors as `load_mesh`.

    `notes` takes what was left out, which is warned of without them; `take` is as of `read_dae`.
    """
    found: Notes = [] if notes is None else notes
    suffix = Path(name).suffix.lower()
    more = (take,) if take is not None and suffix == ".dae" else ()
    vertices, faces = READERS[suffix](data, name, found, *more)
    try:
        mesh = Mesh(vertices, faces, path=name)
    except Error as error:
        raise MeshError(f"{name}: {error}") from None
    for line, text in found if notes is None else ():
        warnings.warn(f"{name}:{line}: {text}", stacklevel=3)
    return mesh
