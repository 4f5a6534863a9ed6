"""Where the files named inside a robot file are, and which of them may be read.

A robot file is untrusted input.  What it names is resolved with all symbolic links, and must then lie under the
folder of the robot file, its package, the caller's `resource_dirs` or a package of the ROS environment.  Only regular
files are opened, without waiting for anybody, and their size is checked before they are read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from rbdyn.arguments import flag
from rbdyn.errors import PathError

CHUNK = 1 << 16  # bytes of a file whose size says nothing
MEGABYTE = 1 << 20
MAX_ANCESTORS = 32  # how far up a package.xml is looked for
MAX_SIBLING_LEVELS = 4  # how far up a package beside the robot's own is looked for
SOURCE_FOLDERS = frozenset({"urdf", "robots", "robot", "xacro"})  # by ROS custom, direct children of a package
_scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class MissingFileError(PathError):
    """The file is in none of the places where it may be; other PathErrors say that it may not be read."""


def read_regular(path: str | os.PathLike[str], cap: int, resolved: Path | None = None) -> bytes:
    """The bytes of a regular file.

    Parameters
    ----------
    path : path-like
        The file.
    cap : int
        Largest size accepted [bytes].
    resolved : Path, optional
        What the path was when it was judged, all links resolved: another file than this one is refused.

    Raises
    ------
    PathError
        If it does not exist, may not be read, is not a regular file (a folder, pipe or device) or is too large.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    name = _short(os.fspath(path))
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise PathError(f"no such file: {name}") from None
    except (OSError, ValueError) as error:
        raise PathError(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None
    try:
        if resolved is not None and not _is_at(descriptor, resolved):
            raise PathError(f"{name} was exchanged for another file while it was opened")
        data = _read_open(descriptor, name, cap)
    finally:
        os.close(descriptor)
    if len(data) > cap:
        raise PathError(f"{name} has more than {cap} bytes")
    return data


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one at `path`, which holds no links."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor)) and os.path.realpath(path) == os.fspath(path)
    except OSError:
        return False


def _read_open(descriptor: int, name: str, cap: int) -> bytes:
    """At most cap + 1 bytes of an open file, if it is a regular one."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, socket or device"
        raise PathError(f"{name} is {kind}, not a regular file")
    if status.st_size > cap:
        raise PathError(f"{name} has {status.st_size} bytes, at most {cap} are read")
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(status.st_size + 1)  # asked for all of cap, Python would take as much memory
            while len(data) > status.st_size and len(data) <= cap:  # it grows, or is one of those that have no size
                more = file.read(min(CHUNK, cap + 1 - len(data)))
                if not more:
                    break
                data += more
            return data
    except OSError as error:
        if error.errno is None:  # not the system's: a handler of a signal raised it
            raise
        raise PathError(f"cannot read {name}: {error.strerror or error}") from None


class FileFinder:
    """Finds the files that a robot file names.

    Parameters
    ----------
    robot_file : Path or None
        The robot file; None if it came as text, which has no folder of its own.
    resource_dirs : path or iterable of paths
        Folders to search and to allow, after the robot file's own.
    base_dir : path-like, optional
        The folder of a robot that came as text.
    allow_outside : bool
        Whether files may lie anywhere.

    Raises
    ------
    PathError
        If a resource folder does not exist.
    """

    def __init__(
        self,
        robot_file: Path | None,
        resource_dirs: str | os.PathLike[str] | Iterable[object] = (),
        base_dir: str | os.PathLike[str] | None = None,
        allow_outside: bool = False,
    ) -> None:
        self.own = [] if robot_file is None else _unique([robot_file.absolute().parent, robot_file.resolve().parent])
        if base_dir is not None:
            self.own = [_folder(base_dir, "base_dir")]
        self.allow_outside = flag(allow_outside, "allow_outside")
        self.resources = [_folder(item) for item in _listed(resource_dirs)]
        packages = [p for p in map(_package_root, self.own) if p is not None]
        self.roots = _unique([*self.own, *packages, *self.resources])

    def find(self, filename: str) -> Path:
        """The file that `filename` means, all links resolved.

        Parameters
        ----------
        filename : str
            A path (relative to the robot file or a resource folder, or absolute), "package://NAME/PATH" or
            "file://PATH".

        Raises
        ------
        MissingFileError
            If it is in none of the places searched; the message lists them.
        PathError
            If it lies outside the allowed folders, or the scheme is not known (http is refused).
        """
        if not filename.strip() or "\0" in filename:
            raise PathError(f"{_short(filename)} is not a file name")
        scheme, path = _split(filename)
        if scheme in ("package", "model"):
            package, _, rest = path.lstrip("/").partition("/")  # package:///NAME is common, and means package://NAME
            if package in ("", ".", "..") or os.sep in package:
                raise PathError(f"{_short(filename)}: {package!r} is not a package name")
            folders = self.package_folders(package)
            if not folders:
                raise MissingFileError(
                    f"unknown package {_short(package)}; {self._searched()}, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH"
                )
            return self.first(filename, [f / rest for f in folders], [*folders, *self.roots])
        if Path(path).is_absolute():
            return self.first(filename, [Path(path)], self.roots)
        return self.first(filename, [f / path for f in (*self.own, *self.resources)], self.roots)

    def read(self, path: Path, cap: int) -> bytes:
        """The bytes of a file that `find` has found, as `read_regular` gives them; PathError if it was exchanged since.

        A link that takes the file's place, or a folder's above it, after `find` had looked leads elsewhere.
        """
        return read_regular(path, cap, None if self.allow_outside else path)

    def first(self, filename: str, candidates: list[Path], roots: list[Path]) -> Path:
        """The first of these files that exists, all links resolved; errors as for `find`."""
        allowed = [os.path.realpath(r) for r in roots]
        for candidate in candidates:
            try:
                real = os.path.realpath(candidate)
                exists = os.path.lexists(real)
            except (OSError, ValueError):
                continue
            if exists and not self.allow_outside and not any(_inside(real, root) for root in allowed):
                raise PathError(
                    f"{_short(filename)} lies outside the folders that this robot file may read "
                    f"({', '.join(map(str, roots)) or 'none'}); give resource_dirs=[...], or allow_outside=True"
                )
            if exists:
                return Path(real)
        listed = ", ".join(str(c) for c in candidates[:5]) or "nowhere; give resource_dirs=[...]"
        raise MissingFileError(f"no file {_short(filename)}; searched {_cut(listed, 800)}")

    def _searched(self) -> str:
        return f"searched {', '.join(map(str, self.roots)) or 'no folder (give resource_dirs=[...])'}"

    def package_folders(self, package: str) -> list[Path]:
        """The folders that may be the package: above the robot file, in resource_dirs, in the ROS environment."""
        above = [a for own in self.own for a in _climbed(own)]
        found = [a for a in above if a.name == package]
        for folder in self.resources:
            found += [folder] if folder.name == package else []
            found += [folder / package]
        for folder in _environment("ROS_PACKAGE_PATH"):
            found += [folder] if folder.name == package else [folder / package]
        found += [prefix / "share" / package for prefix in _environment("AMENT_PREFIX_PATH")]
        found += [a / package for a in above if not package.startswith(".")]
        return [f for f in _unique(found) if _is_folder(f)]


def _climbed(folder: Path) -> list[Path]:
    """The folder and those above it in which packages are looked for: a few, and neither the home folder nor the root.

    So package://.ssh and package://etc are no packages.
    """
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE") or ""
    found: list[Path] = []
    for ancestor in (folder, *folder.parents[:MAX_SIBLING_LEVELS]):
        if ancestor == Path(ancestor.anchor) or str(ancestor) == home:
            break
        found.append(ancestor)
    return found


def _split(filename: str) -> tuple[str, str]:
    """Scheme ("" for a plain path) and the rest; PathError for a scheme that is not read."""
    match = _scheme.match(filename)
    if match is None:
        return "", filename
    scheme, rest = match.group(1).lower(), filename[match.end() :]
    if scheme not in ("package", "model", "file"):
        raise PathError(f"{_short(filename)}: {scheme}:// is not read; use a path, package:// or file://")
    return scheme, rest


def check_scheme(filename: str) -> None:
    """PathError if `filename` asks for a scheme that is never read, such as http."""
    _split(filename)


def _package_root(folder: Path) -> Path | None:
    """The package that `folder` lies in: the nearest package.xml above it, or the folder above urdf/ or robots/."""
    for ancestor in (folder, *folder.parents)[:MAX_ANCESTORS]:
        if ancestor != Path(ancestor.anchor) and (ancestor / "package.xml").is_file():
            return ancestor
    above = folder.parent
    return above if folder.name in SOURCE_FOLDERS and above != Path(above.anchor) else None


def _inside(path: str, root: str) -> bool:
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:  # two drives
        return False


def _listed(dirs: str | os.PathLike[str] | Iterable[object]) -> list[object]:
    return [dirs] if isinstance(dirs, (str, os.PathLike)) else list(dirs)


def _folder(item: object, name: str = "resource_dirs") -> Path:
    if not isinstance(item, (str, os.PathLike)):
        what = "must be the path of a folder" if name != "resource_dirs" else "must hold paths of folders"
        raise PathError(f"{name} {what}, got {_short(item)}")
    path = Path(item)
    if not _is_folder(path):
        raise PathError(f"{name}: no folder {_short(str(item))}")
    return path.absolute()


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _environment(variable: str) -> list[Path]:
    return [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p and Path(p).is_absolute()]


def _unique(paths: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))


def _short(name: object) -> str:
    return _cut(repr(name), 300)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
