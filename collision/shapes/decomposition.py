"""Approximate convex decomposition of meshes, through coacd (an optional package).

coacd ends its process on some meshes, as very thin ones, cannot be interrupted, and once loaded spoils how other
libraries of C++ read numbers (Pinocchio's URDF reader): it runs in a process of its own.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from rbdyn.arguments import number, shown, whole
from rbdyn.collision.shapes.convex_hull import ConvexHull
from rbdyn.collision.shapes.hull import hull_of
from rbdyn.collision.shapes.surface import joined
from rbdyn.errors import CollisionError, missing_extra

Pieces = tuple[ConvexHull, ...]
REMEMBERED = 256  # decompositions that a process keeps

# Reads vertices, faces and settings from stdin, and writes corners of all pieces and where each begins to stdout.
WORKER = """
import io, json, os, sys
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what is printed does not get among the numbers
sys.path[:], settings = json.loads(sys.argv[1])
import coacd
import numpy as np
coacd.set_log_level("error")
given = np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
pieces = [v for v, _ in coacd.run_coacd(coacd.Mesh(given["vertices"], given["faces"]), **settings)]
start = np.cumsum([0] + [len(v) for v in pieces])
np.savez(out, vertices=np.concatenate([np.zeros((0, 3))] + pieces), start=start)
out.close()
"""

_known: dict[str, Pieces] = {}


def decomposition(
    vertices: np.ndarray,
    faces: np.ndarray,
    threshold: float,
    most: int,
    seed: int,
    cache: str | os.PathLike[str] | None,
) -> Pieces:
    """Convex pieces of a mesh, (n, 3) [m] and (m, 3); the other arguments are those of Mesh.decompose.

    Source: X. Wei, M. Liu, Z. Ling, H. Su, Approximate convex decomposition for 3D meshes with collision-aware
    concavity and tree search (ACM TOG 41, 2022).
    """
    threshold = number(threshold, "threshold", low=0.01, high=1.0, error=CollisionError)
    if not (isinstance(most, (int, np.integer)) and not isinstance(most, bool) and (most == -1 or most >= 1)):
        raise CollisionError(f"most must be a whole number of pieces, 1 or more, or -1 for any, got {shown(most)}")
    most = min(int(most), 2**31 - 1)
    seed = whole(seed, "seed", least=0, most=2**32 - 1, error=CollisionError)
    folder = None if cache is None else _folder(cache)
    settings = {"threshold": threshold, "max_convex_hull": most, "seed": seed}
    key = _key(vertices, faces, settings)
    file = None if folder is None else _file(folder, key)
    stored = None if file is None else _read(file)
    pieces = _known.get(key) or stored or _computed(vertices, faces, settings)
    while len(_known) >= REMEMBERED and key not in _known:
        _known.pop(next(iter(_known)), None)
    _known[key] = pieces
    if folder is not None and stored is None:
        _write(_file(folder, key) or folder / f"{key}-unknown.npz", pieces)
    return pieces


def _key(vertices: np.ndarray, faces: np.ndarray, settings: dict[str, float]) -> str:
    """What a mesh and settings are known by."""
    digest = hashlib.sha256(json.dumps([vertices.shape, faces.shape, settings], sort_keys=True).encode())
    digest.update(np.ascontiguousarray(vertices, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(faces, dtype="<i4").tobytes())
    return digest.hexdigest()


def _version() -> str | None:
    """Of coacd; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    if importlib.util.find_spec("coacd") is None:
        return None
    try:
        return version("coacd")
    except PackageNotFoundError:
        return "unknown"


# ---- files


def _folder(cache: object) -> Path:
    """The folder of files, made if there is none."""
    if not isinstance(cache, (str, os.PathLike)) or not os.fspath(cache):
        raise CollisionError(f"cache must be the path of a folder, got {shown(cache)}")
    try:
        folder = Path(cache)
        folder.mkdir(parents=True, exist_ok=True)
    except (TypeError, ValueError, FileExistsError, NotADirectoryError):
        raise CollisionError(f"cache must be the path of a folder, got {shown(cache)}") from None
    return folder


def _file(folder: Path, key: str) -> Path | None:
    """Where the pieces are stored: of the coacd that is installed; without one of any, None if there are none."""
    version = _version()
    if version is not None:
        return folder / f"{key}-{version}.npz"
    return max(folder.glob(f"{key}-*.npz"), default=None)


def _read(file: Path) -> Pieces | None:
    """The pieces in a file; None if there is none, or it is damaged."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
            return _pieces(stored["vertices"], stored["start"])
    except Exception:  # NumPy, zipfile and zlib let errors of many kinds out of damaged files
        return None


def _write(file: Path, pieces: Pieces) -> None:
    """Store pieces; other processes see all of the file or none."""
    start = np.cumsum([0] + [len(p.vertices) for p in pieces])
    number, name = tempfile.mkstemp(prefix=file.stem[:16], suffix=".tmp", dir=file.parent)
    try:
        with os.fdopen(number, "wb") as part:
            np.savez(part, vertices=np.concatenate([p.vertices for p in pieces]), start=start)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pieces(vertices: np.ndarray, start: np.ndarray) -> Pieces:
    """Hulls of rows start[k] to start[k + 1]; CollisionError or ValueError if they are not such."""
    start = np.asarray(start)
    rows = start.tolist()
    if start.ndim != 1 or start.dtype.kind not in "iu" or len(rows) < 2 or (rows[0], rows[-1]) != (0, len(vertices)):
        raise ValueError("no list of pieces")
    pieces = tuple(ConvexHull(vertices[a:b]) for a, b in zip(rows, rows[1:], strict=False))
    for piece in pieces:
        piece.hull  # noqa: B018  # CollisionError if it is flat
    return pieces


# ---- coacd


def _computed(vertices: np.ndarray, faces: np.ndarray, settings: dict[str, float]) -> Pieces:
    """The pieces, by coacd."""
    if _version() is None:
        raise missing_extra("Mesh.decompose", "coacd", "mesh")
    vertices, faces = joined(vertices, faces)  # else such a mesh counts as open, and takes long
    used = np.unique(faces)
    vertices, faces = vertices[used], np.searchsorted(used, faces)
    hull_of(vertices)  # CollisionError if it is flat
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = 0.5 * (low + high)
    scale = 2.0 ** np.ceil(np.log2(0.5 * (high - low).max()))  # coacd takes lengths below 1e-12 for none
    given = io.BytesIO()
    np.savez(given, vertices=(vertices - middle) / scale, faces=faces.astype(np.int32))
    told = json.dumps([[p for p in sys.path if isinstance(p, str)], settings])
    done = subprocess.run([sys.executable, "-c", WORKER, told], input=given.getvalue(), capture_output=True)
    if done.returncode != 0 or not done.stdout:
        said = " ".join(done.stderr.decode(errors="replace").split())[-200:]
        raise CollisionError(f"coacd fails on this mesh of {len(faces)} triangles: {said or done.returncode}")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as found:
        corners, start = found["vertices"], found["start"]
    clouds = [np.clip(middle + scale * part, low, high) for part in np.split(corners, start[1:-1])]
    pieces = []
    for cloud in clouds:
        try:
            pieces.append(ConvexHull(hull_of(cloud).vertices))
        except CollisionError:  # a flat one holds nothing
            continue
    if not pieces:
        raise CollisionError(f"coacd finds no piece in this mesh of {len(faces)} triangles")
    return tuple(pieces)
