"""Robots by name, through the package robot_descriptions."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rbdyn.errors import Error, PathError, missing_extra, unknown_name
from rbdyn.io.formats import load
from rbdyn.io.numbers import shown
from rbdyn.mechanism.mechanism import Mechanism

PACKAGE = "robot_descriptions"
SUFFIX = "_description"  # of its modules
_name = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def load_description(name: str, **options: Any) -> Mechanism:
    """Read a robot of the package robot_descriptions, such as "panda_description" or "go1_mj_description".

    That package keeps repositories of robots: the first time that a robot is asked for, it downloads one.  It is not
    part of rbdyn, and runs code of its own.

    Parameters
    ----------
    name : str
        One of its modules.
    **options
        For `load`.

    Returns
    -------
    mechanism : Mechanism

    Raises
    ------
    UnknownNameError
        If it knows no robot of this name.
    MissingExtraError
        If it is not installed: ``pip install "rbdyn[descriptions]"``.
    PathError
        If what it downloads cannot be had.
    """
    if not isinstance(name, str) or not name.endswith(SUFFIX) or _name.fullmatch(name) is None:
        raise Error(f'name must be one of robot_descriptions, such as "panda_description", got {shown(str(name))}')
    try:
        package = importlib.import_module(PACKAGE)
    except ImportError:
        raise missing_extra("load_description", PACKAGE, "descriptions") from None
    known = _known(package)
    if known and name not in known:
        raise unknown_name("robot description", name, known)
    try:
        module = importlib.import_module(f"{PACKAGE}.{name}")
    except ModuleNotFoundError:
        raise unknown_name("robot description", name, known) from None
    except Exception as error:  # git's and the network's
        raise PathError(f"robot_descriptions cannot give {name!r}: {type(error).__name__}: {error}") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    if path is None:
        raise Error(f"robot_descriptions.{name} has neither URDF_PATH nor MJCF_PATH")
    folders = [Path(folder) for key in ("PACKAGE_PATH", "REPOSITORY_PATH") if (folder := getattr(module, key, None))]
    given = options.pop("resource_dirs", ())
    given = [given] if isinstance(given, (str, Path)) else list(given)
    return load(Path(path), resource_dirs=[*folders, *given], **options)


def _known(package: Any) -> list[str]:
    """The names that the package lists, if it does."""
    listed: Iterable[str] = getattr(package, "DESCRIPTIONS", ())
    if not listed:
        try:
            listed = importlib.import_module(f"{PACKAGE}._descriptions").DESCRIPTIONS
        except (ImportError, AttributeError):
            return []
    return list(listed)
