"""PLY and GLB files, through trimesh (an optional package)."""

from __future__ import annotations

import io
import json
import logging
import re
import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.errors import Error, MeshError, missing_extra
from rbdyn.io.meshes.merge import Faces, Notes, Vertices, merge_vertices

MAX_NODES = 20_000
MAX_TRIANGLES = 10_000_000
MAX_HEADER = 100_000  # bytes of a PLY file
_element = re.compile(rb"element[ \t]+(\S{1,40})[ \t]+(\S{1,40})")


def read_ply(data: bytes, name: str, notes: Notes | None = None) -> tuple[Vertices, Faces]:
    """Vertices and faces of a PLY file, binary or ASCII.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        For messages.
    notes : list of (int, str), optional
        Left as it is.

    Raises
    ------
    MissingExtraError
        If trimesh is not installed.
    MeshError
        If the file is malformed, empty, claims more elements than it has bytes, or holds a number that is not finite.
    """
    return _read(data, name, "ply", _check_ply)


def read_glb(data: bytes, name: str, notes: Notes | None = None) -> tuple[Vertices, Faces]:
    """Vertices and faces of all triangles in the scene of a binary glTF file; y up, as it is, like COLLADA's.

    Parameters
    ----------
    data : bytes
        The file.  Buffers in other files are not read.
    name : str
        For messages.
    notes : list of (int, str), optional
        Left as it is.

    Raises
    ------
    MissingExtraError
        If trimesh is not installed.
    MeshError
        If the file is malformed, empty, claims more than it holds, or holds a number that is not finite.
    """
    return _read(data, name, "glb", _check_glb)


def _read(data: bytes, name: str, kind: str, check: Callable[[bytes], None]) -> tuple[Vertices, Faces]:
    try:
        import trimesh
    except ImportError:
        raise missing_extra(f"reading {name}", "trimesh", "mesh") from None
    logger = logging.getLogger("trimesh")
    disabled, logger.disabled = logger.disabled, True  # it logs what it then raises
    try:
        check(data)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False)
            corners = _corners(scene)
    except Error as error:
        raise MeshError(f"{name}: {error}") from None
    except Exception as error:  # trimesh lets errors of many kinds out of malformed files
        raise MeshError(
            f"{name}: malformed {kind.upper()} file: {type(error).__name__}: {str(error)[:200]}"
        ) from None
    finally:
        logger.disabled = disabled
    if not len(corners):
        raise MeshError(f"{name}: the mesh has no triangles")
    if not np.isfinite(corners).all():
        raise MeshError(f"{name}: a vertex is not finite")
    return merge_vertices(corners)


def _corners(scene: Any) -> Vertices:
    """The corners of all triangles of a scene, (3 m, 3), in its frame."""
    parts, count = [np.empty((0, 3))], 0
    for node in scene.graph.nodes_geometry:
        pose, geometry = scene.graph[node]
        mesh = scene.geometry[geometry]
        faces = np.asarray(getattr(mesh, "faces", np.empty((0, 3))), dtype=np.int64)
        vertices = np.asarray(mesh.vertices, dtype=np.float64)
        count += len(faces)
        if count > MAX_TRIANGLES:
            raise Error(f"its scene has more than {MAX_TRIANGLES} triangles")
        if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise Error(f"vertex index out of range: {faces.max()} of {len(vertices)}")
        if faces.size:
            placed = vertices @ pose[:3, :3].T + pose[:3, 3]
            parts.append(placed[faces.reshape(-1)])
    return np.concatenate(parts)


def _check_ply(data: bytes) -> None:
    """Error for more elements than bytes."""
    if not data.startswith(b"ply"):
        raise Error("not a PLY file: it does not start with 'ply'")
    end = data.find(b"end_header", 0, MAX_HEADER)
    if end < 0:
        raise Error(f"no end_header in the first {MAX_HEADER} bytes")
    for name, count in _element.findall(data[:end]):
        if not count.isdigit() or int(count) > len(data):
            text = f"element {name.decode('ascii', 'replace')} {count.decode('ascii', 'replace')}"
            raise Error(f"{text}: the file has {len(data)} bytes")


def _check_glb(data: bytes) -> None:
    """Error for accessors of more elements than bytes, and for too many nodes."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise Error("not a GLB file: it does not start with 'glTF'")
    length, kind = struct.unpack("<I4s", data[12:20])
    if kind != b"JSON" or 20 + length > len(data):
        raise Error("its first chunk is no JSON, or longer than the file")
    document = json.loads(data[20 : 20 + length])
    if not isinstance(document, dict):
        raise Error("its JSON is no object")
    if len(document.get("nodes", ())) > MAX_NODES:
        raise Error(f"more than {MAX_NODES} nodes")
    for accessor in document.get("accessors", ()):
        count = accessor.get("count", 0) if isinstance(accessor, dict) else -1
        if not isinstance(count, int) or not 0 <= count <= len(data):
            raise Error(f"an accessor of {str(count)[:40]} elements: the file has {len(data)} bytes")
