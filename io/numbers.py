"""The strict number reader of every file format: ASCII decimal, finite, the whole string, the right count.

Python's own `float` takes "1_000", "nan", "infinity" and Arabic digits; C's `atof` takes "0,5" for 0.  Both turn a
typing error into a wrong robot.
"""

from __future__ import annotations

import math
import re

from rbdyn.errors import Error
from rbdyn.io.decimals import decimals

BLANK = " \t\r\n"
MAX_LENGTH = 1000  # characters of one number: converting digits costs more than linear time
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_number = re.compile(DECIMAL)
_infinite = re.compile("[+-]?inf(?:inity)?", re.IGNORECASE)
_blanks = re.compile(f"[{BLANK}]+")


def shown(text: str, length: int = 60) -> str:
    """`text` quoted, cut in the middle if long."""
    return repr(text) if len(text) <= length else f"{text[: length - 20]!r}...{text[-10:]!r} ({len(text)} characters)"


def number(text: str) -> float:
    """The number that `text` spells.

    Parameters
    ----------
    text : str
        An ASCII decimal number: sign, digits, point, exponent; blanks around it are allowed.

    Returns
    -------
    value : float
        Finite.

    Raises
    ------
    Error
        If the string is anything else; the message quotes it first.

    Examples
    --------
    >>> number(" -1.5e3 ")
    -1500.0
    """
    quick = decimals(text, 1)
    if quick is not None:
        return quick[0]
    word = text.strip(BLANK)
    if len(word) > MAX_LENGTH or _number.fullmatch(word) is None:
        raise Error(f"{shown(word)} is not a number{_hint(word)}")
    value = float(word)
    if math.isinf(value):
        raise Error(f"{shown(word)} is not a finite number (the largest is about 1.8e308)")
    return value


def number_or_infinite(text: str) -> float:
    """As `number`; inf and infinity are numbers too, whatever their case.

    Examples
    --------
    >>> number_or_infinite("-INF")
    -inf
    """
    word = text.strip(BLANK)
    return float(word) if _infinite.fullmatch(word) else number(word)


def vector(text: str, n: int) -> tuple[float, ...]:
    """The `n` numbers that `text` spells, separated by blanks.

    Parameters
    ----------
    text : str
        As for `number`, n times.
    n : int
        How many there must be.

    Raises
    ------
    Error
        If one of them is not a number, or there are more or fewer.
    """
    quick = decimals(text, n)
    if quick is not None:
        return quick
    stripped = text.strip(BLANK)
    words = _blanks.split(stripped) if stripped else []
    if len(words) != n:
        comma = " (separate numbers by blanks, not commas)" if "," in stripped else _template_hint(stripped)
        raise Error(f"{shown(stripped)} holds {len(words)} value{'s' * (len(words) != 1)}, needed {n} numbers{comma}")
    return tuple(number(word) for word in words)


def _template_hint(word: str) -> str:
    if "$" in word:
        return " (a xacro expression? read the file with load_xacro)"
    if "@@" in word or "{" in word:
        return " (a template? give its parameters: params={...})"
    return ""


def _hint(word: str) -> str:
    """What the writer may have meant."""
    low = word.lower()
    checks = (
        (not word, "it is empty"),
        ("," in word, "decimal comma?"),
        ("_" in word, "no underscores"),
        (low.strip("+-") in {"nan", "inf", "infinity", "1.#inf", "1.#qnan"}, "it must be finite"),
        (low.lstrip("+-").startswith("0x"), "hexadecimal is not accepted"),
        (not word.isascii(), "ASCII digits only"),
        (len(word) > MAX_LENGTH, "too long"),
        (_blanks.search(word) is not None, "one number is needed"),
    )
    template = _template_hint(word)
    if template:
        return template
    for applies, hint in checks:
        if applies:
            return f" ({hint})"
    leading = _number.match(word)
    return f" (what is {shown(word[leading.end() :], 20)} behind it? no units, no suffixes)" if leading else ""
