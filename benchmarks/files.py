"""Reading files: robots by rbdyn and by other readers, without their meshes; and meshes of 50 MB."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import os
import resource
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import table
from benchmarks.timing import by_turns
from rbdyn.io import load_mesh, load_urdf
from rbdyn.io.meshes.write import obj_text

ROBOTS = {
    "ANYmal C": "anymal_c_simple_description/urdf/anymal.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
    "PR2": "pr2_description/urdf/pr2.urdf",
}
LIMIT = 8e-3  # [s] for Talos
NO_MESHES = ("build_scene_graph", "build_collision_scene_graph", "load_meshes", "load_collision_meshes")


def run(quick: bool) -> None:
    """Print the tables of this section."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    _robots(5 if quick else 15)
    _mesh(1 if quick else 3)
    warnings.resetwarnings()
    logging.disable(logging.NOTSET)


def _robots(rounds: int) -> None:
    rows = []
    for name, end in ROBOTS.items():
        file = _file(end)
        if file is None:
            continue
        readers = {reader: call for reader, call in _readers(file).items() if _works(call)}
        seconds = by_turns(readers, 1, rounds)
        for reader, call in readers.items():
            mine = reader == "rbdyn"
            within = ("met" if seconds[reader] < LIMIT else "MISSED") if mine and name == "Talos" else ""
            ratio = "" if mine else f"{seconds[reader] / seconds['rbdyn']:.2f}"
            rows.append([name, reader, f"{1e3 * seconds[reader]:.2f}", ratio, f"{_peak(call) / 1e6:.1f}", within])
    title = f"robot files without meshes, median of {rounds}"
    table.show(title, ["robot", "reader", "ms", "ratio", "peak MB", f"Talos within {1e3 * LIMIT:g} ms"], rows)


def _readers(file: Path) -> dict[str, Callable[[], object]]:
    text = str(file)
    found: dict[str, Callable[[], object]] = {"rbdyn": lambda: load_urdf(text, collision_mesh="skip")}
    for package in ("pinocchio", "yourdfpy", "urchin", "mujoco"):
        try:
            module = importlib.import_module(package)
        except ImportError:
            continue
        found[package] = {
            "pinocchio": lambda m=module: m.buildModelFromUrdf(text, m.JointModelFreeFlyer()),
            "yourdfpy": lambda m=module: m.URDF.load(text, **dict.fromkeys(NO_MESHES, False)),
            "urchin": lambda m=module: m.URDF.load(text, lazy_load_meshes=True),
            "mujoco": lambda m=module: m.MjSpec.from_file(text),
        }[package]
    return found


def _works(call: Callable[[], object]) -> bool:
    try:
        call()
    except Exception:
        return False
    return True


def _mesh(rounds: int) -> None:
    """A ball of a million triangles in binary STL, whose corners become half a million vertices, and as OBJ."""
    with tempfile.TemporaryDirectory() as folder:
        stl, obj = Path(folder) / "ball.stl", Path(folder) / "ball.obj"
        stl.write_bytes(_ball(1000, 525))
        mesh = load_mesh(stl)
        obj.write_bytes(obj_text(mesh.vertices, mesh.faces).encode())
        for what, file in (("a binary STL file", stl), ("an OBJ file", obj)):
            readers: dict[str, Callable[[], object]] = {"rbdyn": lambda file=file: load_mesh(file)}
            try:
                trimesh = importlib.import_module("trimesh")
                readers["trimesh"] = lambda file=file, load=trimesh.load: load(file)
            except ImportError:
                pass
            seconds = by_turns(readers, 1, rounds)
            rows = [
                [r, f"{seconds[r]:.2f}", f"{seconds[r] / seconds['rbdyn']:.2f}", f"{_peak(call) / 1e6:.0f}"]
                for r, call in readers.items()
            ]
            title = f"{what} of {file.stat().st_size / 1e6:.0f} MB, median of {rounds}"
            table.show(title, ["reader", "s", "ratio", "peak MB"], rows)


def _ball(around: int, down: int) -> bytes:
    """A sphere as binary STL, some 2 around down triangles."""
    turn, fall = np.linspace(0, 2 * np.pi, around, endpoint=False), np.linspace(0, np.pi, down)
    rings = np.stack(
        [
            np.outer(np.sin(fall), np.cos(turn)),
            np.outer(np.sin(fall), np.sin(turn)),
            np.outer(np.cos(fall), turn * 0 + 1),
        ],
        -1,
    )
    a, b = rings[:-1], rings[1:]
    c, d = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    corners = np.concatenate([np.stack([a, b, c], 2).reshape(-1, 3, 3), np.stack([c, b, d], 2).reshape(-1, 3, 3)])
    facets = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = corners
    return b"ball".ljust(80, b"\0") + np.uint32(len(facets)).tobytes() + facets.tobytes()


def _peak(call: Callable[[], object]) -> float:
    """Bytes that a call takes at most, in a process of its own in which everything is imported."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        before = _most()
        call()
        os.write(writer, str(_most() - before).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return float(text or "nan")


def _most() -> int:
    """Largest resident memory so far [bytes]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _file(end: str) -> Path | None:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(f.locate())).resolve() for f in files if str(f).endswith(end)), None)
