"""Motors, and softness, of joints that have no coordinate of their own: what a caller gives, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbdyn.arguments import as_array, number, shown
from rbdyn.errors import Error


def drive_numbers(
    was: dict[str, Any],
    present: float,
    p: float | None,
    d: float | None,
    target: float | None,
    velocity: float | None,
    force: float | None,
    effort_limits: Any,
) -> dict[str, float]:
    """What changes, by name; what a motor that has no target yet holds is where the joint stands."""
    numbers = {
        what: number(value, what, low=low)
        for what, value, low in (
            ("p", p, 0.0), ("d", d, 0.0), ("target", target, -math.inf), ("velocity", velocity, -math.inf),
            ("force", force, -math.inf),
        )
        if value is not None
    }  # fmt: skip
    if was["p"] == 0.0 and numbers.get("p", 0.0) > 0.0 and target is None:
        numbers["target"] = present
    if effort_limits is not None:
        numbers["effort_lower"], numbers["effort_upper"] = _efforts(effort_limits)
    return numbers


def _efforts(given: Any) -> tuple[float, float]:
    """(lower, upper) with lower <= 0 <= upper, from one number for both or a pair; infinite for none."""
    pair = (-given, given) if isinstance(given, (int, float, np.number)) else given
    try:
        lower, upper = (float(x) for x in pair)
    except (TypeError, ValueError):
        lower = upper = math.nan
    if not lower <= 0.0 <= upper:
        raise Error("effort_limits must be a number >= 0, or (lower, upper) with lower <= 0 <= upper, "
                    f"got {shown(given)}")  # fmt: skip
    return lower, upper


def softness_numbers(softness: Any, damping: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of rotations and of translations; one number is that of translations."""
    soft, damped = (_pair(value, what) for value, what in ((softness, "softness"), (damping, "damping")))
    for s, c in zip(soft, damped, strict=True):
        if c > 0.0 and s == 0.0:
            raise Error(f"damping {c:g} needs a softness above 0: rows that do not give way are not damped")
    return soft, damped


def _pair(value: Any, what: str) -> tuple[float, float]:
    if isinstance(value, (int, float, np.number)):
        return 0.0, number(value, what, low=0.0)
    try:
        pair = as_array(value, (2,), what)
    except Error:
        raise Error(f"{what} must be a number, or (of rotations, of translations), got {shown(value)}") from None
    return number(pair[0], f"{what}[0]", low=0.0), number(pair[1], f"{what}[1]", low=0.0)
