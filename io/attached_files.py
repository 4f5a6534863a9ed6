"""Where RaiSim looks for the files that belong to a robot: its modules, and the sensor sets of its links."""

from __future__ import annotations

import os
from pathlib import Path

from rbdyn.errors import PathError
from rbdyn.io.paths import FileFinder, MissingFileError

FOLDERS = ("sensor", "sensors")  # of sensor sets
SUFFIXES = ("", ".xml", ".urdf")  # a module "d455" is d455.xml


def find_module(finder: FileFinder, name: str | os.PathLike[str]) -> Path:
    """The file of a module that the caller names, which may lie anywhere.

    The first of: the path itself if it is absolute; BASE/name, BASE/modules/name, BASE/../modules/name,
    BASE/module/name, BASE/../module/name (RaiSim manual, "URDF modules").  BASE is each of the resource folders, then
    the robot's own.

    Raises
    ------
    PathError
        If there is no such file; the message lists the places.
    """
    path = Path(name)
    places = [path] if path.is_absolute() else [p / path for p in _module_folders(finder)]
    for place in places:
        for suffix in SUFFIXES if not path.suffix else ("",):
            candidate = place.with_name(place.name + suffix) if place.name else place
            if _is_file(candidate):
                return candidate
    listed = ", ".join(map(str, places)) or "nowhere: a text has no folder; give base_dir or resource_dirs"
    raise PathError(f"no module {os.fspath(name)!r:.300}; searched {listed:.1000}")


def _module_folders(finder: FileFinder) -> list[Path]:
    bases = [*finder.resources, *finder.own]
    inside = ("", "modules", "../modules", "module", "../module")
    return list(dict.fromkeys(base / folder for base in bases for folder in inside))


def find_sensor_file(finder: FileFinder, name: str) -> Path:
    """The file of <link sensor="name">, which a robot file names and which may not lead elsewhere.

    The first of BASE/name, BASE/sensor/name, BASE/sensors/name, BASE/../name, BASE/../sensors/name (RaiSim's page
    "Sensors"); BASE as for modules, but the robot's own folder first.

    Raises
    ------
    MissingFileError
        If there is no such file; the message lists the places.
    PathError
        If it lies outside the folders that the robot may read.
    """
    if not name.strip() or "\0" in name:
        raise PathError(f"{name!r:.300} is not a file name")
    if "://" in name or Path(name).is_absolute():
        return finder.find(name)
    bases = [*finder.own, *finder.resources]
    folders = [b / f for b in bases for f in ("", *FOLDERS)]
    beside = [b.parent / "sensors" for b in bases]
    above = [b.parent for b in bases] if Path(name).name == name else []
    for folder in (*folders, *above, *beside):
        candidate = folder / name
        if not os.path.lexists(candidate):
            continue
        roots = [*finder.roots, *beside, *([folder] if folder in above and not candidate.is_symlink() else [])]
        return finder.first(name, [candidate], roots)
    listed = ", ".join(map(str, dict.fromkeys((*folders, *above, *beside)))) or "nowhere; give base_dir"
    raise MissingFileError(f"no file {name!r:.300}; searched {listed:.1000}")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
