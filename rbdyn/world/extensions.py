"""Methods of a World that packages above it carry out: to see, to sense and to record is built upon a World.

A World may not import what is built upon it, so these packages are named here by `rbdyn/__init__`, which sees
everything, and imported when a method is first called.  A new one is a function below, a line in world.pyx and
world.pyi, and a line in `rbdyn/__init__`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_providers: dict[str, str] = {}


def provide(methods: dict[str, str]) -> None:
    """Say which functions carry out methods: {"record": "rbdyn.recording:record"}; each takes the World first."""
    _providers.update(methods)


def provided(method: str) -> Callable[..., Any]:
    """The function that carries out a method, imported now if it was not yet."""
    module, _, function = _providers[method].partition(":")
    return getattr(importlib.import_module(module), function)
