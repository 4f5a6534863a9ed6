"""What the numbers of a robot mean, whatever format they come from: limits, colours, sizes.

Each rule takes `warn(text, kind)`, which reports what was assumed; see `rbdyn.io.diagnostics`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence

Warn = Callable[[str, str], None]
Color = tuple[float, float, float, float]
ONE_DOF = ("revolute", "prismatic", "helical")  # a continuous joint has no limits
LIMITED = (*ONE_DOF, "spherical")
UNLIMITED = sys.float_info.max  # how files say "no limit" to readers that take finite numbers alone
SPHERICAL_NEEDS = "needs lower=0 and the largest angle as upper"


def position_limits(kind: str, lower: float | None, upper: float | None, warn: Warn) -> tuple[float, float] | None:
    """(lower, upper) of a joint of that URDF type; None for no limit.

    URDF's default is 0 for both.  Equal limits, and infinite ones, mean none; so do the largest numbers there are.
    """
    low, high = (x * math.inf if abs(x) == UNLIMITED else x for x in (lower or 0.0, upper or 0.0))
    if kind == "spherical" and upper is None:
        high = low  # RaiSim's robots carry a lone "lower" on spherical joints, which bounds nothing
        if low != 0.0:
            warn(f"a spherical joint {SPHERICAL_NEEDS}; lower {low:.9g} without upper ignored", "limits spherical")
    elif kind in LIMITED and low > high:
        default = " (upper is not given)" if upper is None else " (lower is not given)" if lower is None else ""
        warn(f"lower {low:.9g} is above upper {high:.9g}{default}; swapped", "")
        low, high = high, low
    if low == high:
        if kind in ONE_DOF:
            warn("lower == upper means no position limit", "lower == upper")
        return None
    if kind in ONE_DOF:
        return None if math.isinf(low) and math.isinf(high) else (low, high)
    if kind == "spherical" and low == 0.0:
        return None if math.isinf(high) else (low, high)
    needed = SPHERICAL_NEEDS if kind == "spherical" else "has no position limits"
    warn(f"a {kind} joint {needed}; {low:.9g} to {high:.9g} ignored", f"limits {kind}")
    return None


def velocity_limit(value: float | None, warn: Warn) -> float | None:
    """The largest speed; None for no limit, as which 0 counts too."""
    if value == 0.0:
        warn("velocity 0 would hold it still; taken as no limit", "velocity 0")
        return None
    return _bound("velocity", value, warn)


def effort_limit(value: float | None, warn: Warn) -> float | None:
    """The largest force; None for no limit."""
    if value == 0.0:
        warn("effort 0: no motor can move it", "effort 0")
    return _bound("effort", value, warn)


def _bound(name: str, value: float | None, warn: Warn) -> float | None:
    """None if it is not given, infinite or the largest number, or -1, which is RaiSim's word for no limit."""
    if value == -1.0:
        warn(f"{name} -1 is taken as no limit", f"{name} -1")
        return None
    return None if value is None or value >= UNLIMITED else value


def color(rgba: Sequence[float], warn: Warn) -> Color:
    """Red, green, blue and alpha, each from 0 to 1."""
    r, g, b, a = (min(max(x, 0.0), 1.0) for x in rgba)
    if (r, g, b, a) != tuple(rgba):
        came = " ".join(f"{x:.9g}" for x in rgba)
        warn(f"rgba {came}: each must lie between 0 and 1; {r:g} {g:g} {b:g} {a:g} is taken", "rgba")
    return r, g, b, a


def scale(values: Sequence[float], warn: Warn) -> tuple[float, float, float]:
    """Factors along x, y and z; a fourth number is dropped."""
    if len(values) == 4:
        warn(f"a scale of 4 numbers; the first three are taken, {values[3]:g} is ignored", "scale of 4")
    x, y, z = values[:3]
    return x, y, z


def has_no_extent(kind: str, sizes: Mapping[str, float | Sequence[float]], only_drawn: bool, warn: Warn) -> bool:
    """Test whether a shape is but a point, which collides with nothing and cannot be seen.

    Parameters
    ----------
    kind : str
        What it is called, for the message.
    sizes : dict
        Each of its sizes by name [m].
    only_drawn : bool
        Whether a flat or thin shape, one size of which is 0, counts too: leaving it out changes no motion.
    warn : function of (text, kind)
        Takes what is left out.
    """
    zeros = [x == 0.0 for size in sizes.values() for x in (size if isinstance(size, Sequence) else (size,))]
    empty = any(zeros) if only_drawn else all(zeros)
    if empty:
        given = ", ".join(f"{name} {_words(size)}" for name, size in sizes.items())
        warn(f"a {kind} of {given}; left out", "")
    return empty


def _words(size: float | Sequence[float]) -> str:
    return " ".join(f"{x:g}" for x in (size if isinstance(size, Sequence) else (size,)))
