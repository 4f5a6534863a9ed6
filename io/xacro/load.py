"""xacro file -> Mechanism."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rbdyn.arguments import check_options, number, shown
from rbdyn.errors import Error, PathError, UrdfError, missing_extra
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.paths import FileFinder, read_regular
from rbdyn.io.safe_xml import MAX_BYTES
from rbdyn.io.urdf.load import load_source
from rbdyn.io.urdf.source import Source, looks_like_xml
from rbdyn.mechanism.mechanism import Mechanism

DEFAULTS: dict[str, Any] = {
    "floating": None,
    "params": None,
    "modules": (),
    "resource_dirs": (),
    "on_missing_mesh": "warn",
    "collision_mesh": "hull",
    "visual_meshes": False,
    "joint_order": None,
    "allow_outside": False,
    "on_missing_sensor": "warn",
    "srdf": None,
}
_color = re.compile(r"\x1b\[[0-9;]*m")


def load_xacro(
    path: str | os.PathLike[str],
    arguments: Mapping[str, object] | None = None,
    *,
    strict: bool = False,
    timeout: float = 60.0,
    **load_options: Any,
) -> Mechanism:
    """Read a robot from a xacro file that you trust.

    xacro evaluates expressions of Python's in a sandbox of its own, and reads the files that the robot file includes
    (``<xacro:include>``, ``load_yaml``).  It runs in a process of its own, with `timeout` and, where the system knows
    such limits, 2 GB of memory.  What comes of it is read as by `load_urdf`, with all its checks.

    Parameters
    ----------
    path : path-like
        The file.
    arguments : mapping, optional
        For ``<xacro:arg>``, by name: strings, numbers, True or False.
    strict : bool
        Raise UrdfError where there would be a warning.
    timeout : float
        Seconds that xacro may take.
    **load_options
        As for `load_urdf`.  ``$(find NAME)`` is NAME's folder where ``package://NAME`` is.

    Returns
    -------
    mechanism : Mechanism
        As `load_urdf` would give.  Lines in messages are of the expanded text, `mechanism.description.text`.

    Raises
    ------
    MissingExtraError
        If xacro is not installed.
    UrdfError
        If xacro refuses the file or takes too long, or as for `load_urdf`.
    PathError, MeshError
        As for `load_urdf`.
    """
    check_options(load_options, ("arguments", "strict", "timeout", *DEFAULTS), "load_xacro()")
    options = DEFAULTS | load_options
    name = os.fspath(path)
    if not isinstance(name, str):
        raise Error(f"path must be a path, got {shown(path)}")
    if looks_like_xml(name):
        raise Error(f"path must be a path, got a text, {shown(name)}; xacro reads files: write it to one")
    diagnostics = Diagnostics(strict)
    text, notes = expanded(Path(name), _arguments(arguments), options["resource_dirs"], timeout)
    for line in notes:
        diagnostics.warn(name, line)
    source = Source(text, f"{name} (expanded)", Path(name))
    return load_source(source, diagnostics=diagnostics, base_dir=None, **options)


def expanded(path: Path, arguments: dict[str, str], resource_dirs: Any, timeout: float) -> tuple[str, list[str]]:
    """The URDF that xacro makes of a file, and what it said."""
    if importlib.util.find_spec("xacro") is None:
        raise missing_extra(f"reading {path}", "xacro", "xacro")
    read_regular(path, MAX_BYTES)  # is it there, and a file?
    finder = FileFinder(path, resource_dirs)
    task = {"path": str(path.absolute()), "arguments": arguments, "folders": [str(f) for f in finder.resources]}
    seconds = number(timeout, "timeout", above=0.0, unit="[s]")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rbdyn.io.xacro.expand"],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            env=_environment(),
            cwd=Path(__file__).parent,  # Python takes modules from where it is started: from no folder of the robot's
        )
    except subprocess.TimeoutExpired:
        raise UrdfError(f"{path}: xacro took more than {seconds:g} s") from None
    except OSError as error:
        raise PathError(f"{path}: cannot run xacro: {error.strerror or error}") from None
    said = [line for line in _color.sub("", done.stderr).splitlines() if line.strip()]
    if done.returncode != 0 or not done.stdout.strip():
        why = "; ".join(line.strip() for line in said[-6:]) or f"it ended with {done.returncode}"
        raise UrdfError(f"{path}: xacro: {why:.1200}")
    return done.stdout, [f"xacro: {line.strip()}" for line in said]


def _environment() -> dict[str, str]:
    """That of this process, in which the other one finds the same packages.

    Python 3.10 does not start with a folder in PYTHONPATH that holds one called io.
    """
    paths = [str(Path(p).absolute()) for p in sys.path]
    if sys.version_info < (3, 11):
        paths = [p for p in paths if not (Path(p) / "io" / "__init__.py").is_file()]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def _arguments(given: Mapping[str, object] | None) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Error(f"arguments must be a mapping of names to values, got {shown(given)}")
    texts: dict[str, str] = {}
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, (str, bool, int, float)):
            raise Error(f"arguments must be names with strings, numbers, True or False, got {shown({name: value})}")
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts
