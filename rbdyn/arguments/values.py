"""Numbers, choices and flags that a caller gives."""

from __future__ import annotations

import math
import reprlib
from typing import Any

import numpy as np

from rbdyn.errors import Error

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = _brief.maxlong = 80


def shown(value: object) -> str:
    """What came, in at most 80 letters; whatever its own `__repr__` does."""
    try:
        text = " ".join(_brief.repr(value).split())
    except Exception:  # an int of more digits than Python writes, or a __repr__ deep inside that fails
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


# What says that a value is no number or no array.  Others come out: a handler of a signal may have raised them.
UNREADABLE = (TypeError, ValueError, ArithmeticError, RuntimeError, AttributeError, LookupError)


def number(
    value: Any,
    name: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    unit: str = "",
    error: type[Error] = Error,
) -> float:
    """A finite number x with low <= x <= high and x > above; no bool, no text, no complex number."""
    x = math.nan
    if type(value) is float:  # the usual case
        x = value
    elif not isinstance(value, (bool, np.bool_, str, bytes, complex, np.complexfloating)):
        try:
            x = float(value)
        except UNREADABLE:
            x = math.nan
    if not (math.isfinite(x) and low <= x <= high and x > above):
        limits = [
            f"above {above:g}" if above > -math.inf else "",
            f"at least {low:g}" if low > -math.inf and low > above else "",
            f"at most {high:g}" if high < math.inf else "",
        ]
        need = " and ".join(["finite", *filter(None, limits)])
        raise error(f"{name} must be a number{unit and ' ' + unit}, {need}, got {shown(value)}")
    return x


def whole(value: Any, name: str, least: int = 0, most: int | None = None, *, error: type[Error] = Error) -> int:
    """A whole number, Python's or NumPy's, from `least` to `most`."""
    right = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not right or value < least or (most is not None and value > most):
        need = f"{least} or more" if most is None else f"from {least} to {most}"
        raise error(f"{name} must be a whole number, {need}, got {shown(value)}")
    return int(value)


def choice(value: Any, name: str, choices: tuple[str, ...], *, error: type[Error] = Error) -> str:
    """One of the words in `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"{name} must be one of {', '.join(map(repr, choices))}, got {shown(value)}")
    return str(value)


def name(value: Any, what: str, *, error: type[Error] = Error) -> str:
    """A name: a string that is not empty, NumPy's made a plain one."""
    if not isinstance(value, str) or not value:
        raise error(f"{what} must be a non-empty string, got {shown(value)}")
    return str(value)


def flag(value: Any, name: str, *, error: type[Error] = Error) -> bool:
    """True or False, Python's or NumPy's."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def plain_array(value: Any, name: str, dtype: Any = None, *, error: type[Error] = Error) -> np.ndarray:
    """`value` as NumPy reads it, of any shape and type, which the caller checks; an array is not copied.

    Raises
    ------
    Error
        If it is no array: rows of different lengths, or what `dtype` cannot hold, such as complex numbers.
    """
    try:
        given = np.asarray(value, object if dtype is object else None)
        if dtype is None or given.dtype.kind != "c":
            return given if dtype is None else np.asarray(given, dtype)
    except (TypeError, ValueError, OverflowError):
        pass
    raise error(f"{name} must be an array of numbers whose rows are of one length, got {shown(value)}")
