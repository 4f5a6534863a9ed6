"""Sensors: what robots are told of their World, at their own rates, with limits and noise."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbdyn.sensors import descriptions as descriptions

_HOME: dict[str, str] = {}  # public name -> module: files that describe sensors need no World

__all__ = ["descriptions"]


def __getattr__(name: str) -> object:
    if name == "descriptions":
        return importlib.import_module("rbdyn.sensors.descriptions")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
