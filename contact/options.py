"""Checked solver options: the message names the argument, what came and what was needed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbdyn.contact.laws import LAW_NAMES
from rbdyn.errors import ContactError

MOST_ITERATIONS = 1_000_000


def choice(value: Any, choices: tuple[str, ...], name: str) -> int:
    """The index of `value` among `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ContactError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r:.200}")
    return choices.index(value)


def count(value: Any, name: str, most: int = MOST_ITERATIONS) -> int:
    """A whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        raise ContactError(f"{name} must be a whole number from 1 to {most}, got {value!r:.200}")
    return int(value)


def between(value: Any, low: float, high: float, name: str) -> float:
    """A finite number in [low, high]."""
    number = math.nan
    if not isinstance(value, (bool, str, bytes, complex)):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        need = f">= {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ContactError(f"{name} must be a finite number {need}, got {value!r:.200}")
    return number


def share(value: Any, name: str) -> float:
    """A number in (0, 1]."""
    number = between(value, 0.0, 1.0, name)
    if number == 0.0:
        raise ContactError(f"{name} must be greater than 0 and at most 1, got {value!r}")
    return number


def flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ContactError(f"{name} must be True or False, got {value!r:.200}")
    return bool(value)


def laws(solver: type) -> int:
    """The laws that a solver's class attribute `laws` names, bit k for LAW_NAMES[k]."""
    named = getattr(solver, "laws", None)
    if not isinstance(named, (tuple, list)) or not named or any(name not in LAW_NAMES for name in named):
        raise ContactError(f"{solver.__name__}.laws must name some of {LAW_NAMES}, got {named!r:.200}")
    return sum(1 << LAW_NAMES.index(name) for name in set(named))
