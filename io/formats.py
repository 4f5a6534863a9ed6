"""Which reader a robot file is for: by its suffix, and by what is in it where suffixes are shared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rbdyn.errors import Error
from rbdyn.io.mjcf.load import load_mjcf
from rbdyn.io.numbers import shown
from rbdyn.io.root_tag import root_tag
from rbdyn.io.sdf.load import load_sdf
from rbdyn.io.urdf.load import load_urdf
from rbdyn.io.urdf.source import PathOrText, looks_like_xml, source_of
from rbdyn.io.xacro import load_xacro
from rbdyn.mechanism.mechanism import Mechanism

READERS: dict[str, Callable[..., Mechanism]] = {
    "urdf": load_urdf,
    "xacro": load_xacro,
    "mjcf": load_mjcf,
    "sdf": load_sdf,
}
SUFFIXES = {".urdf": "urdf", ".xacro": "xacro", ".mjcf": "mjcf", ".sdf": "sdf"}
ROOTS = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf", "sdf": "sdf", "raisim": "world"}


def load(path_or_text: PathOrText, **options: Any) -> Mechanism:
    """Read a robot in any of the formats: URDF, xacro, MJCF, SDF.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, whose suffix says what it is (.urdf, .xacro, .mjcf, .sdf; of others its root element does), or a text.
    **options
        For the reader: `load_urdf`, `load_xacro`, `load_mjcf` or `load_sdf`.

    Returns
    -------
    mechanism : Mechanism

    Raises
    ------
    Error
        If it is in none of these formats; and what the reader raises.

    Examples
    --------
    >>> load('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>').num_velocities
    1
    """
    name = format_of(path_or_text, options.get("text"))
    if name == "world":
        raise Error("this is a world file, not a robot: rbdyn.io.load_world reads it")
    return READERS[name](path_or_text, **options)


def format_of(path_or_text: PathOrText, text: bool | None = None) -> str:
    """ "urdf", "xacro", "mjcf", "sdf" or "world".

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        As for `load`.
    text : bool, optional
        True: it is a text.  False: it is a path.

    Raises
    ------
    Error
        If it is neither.
    PathError
        If there is no such file.
    """
    is_path = text is False or (text is None and isinstance(path_or_text, (str, os.PathLike))
                                and not looks_like_xml(os.fspath(path_or_text)))  # fmt: skip
    if is_path and isinstance(path_or_text, (str, os.PathLike)):
        suffix = Path(os.fsdecode(path_or_text)).suffix.lower()
        if suffix in SUFFIXES:
            return SUFFIXES[suffix]
    source = source_of(path_or_text, text)
    root = root_tag(source.text)
    if root in ROOTS:
        return ROOTS[root]
    if source.path is None:
        return "urdf"  # whose reader says what is wrong with it
    known = ", ".join(f"<{tag}>" for tag in ROOTS)
    what = f"its root element is <{root[:60]}>" if root else "it has no root element"
    raise Error(f"{shown(os.fspath(source.path), 300)}: {what}, needed one of {known}")


def is_robot_file(path: str | os.PathLike[str]) -> bool:
    """Whether a suffix is one of a robot file's."""
    return Path(path).suffix.lower() in SUFFIXES
