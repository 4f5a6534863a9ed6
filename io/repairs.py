"""Numbers of robot files that are no numbers, and yet can mean one thing only: other readers take them so.

Each gives the text that is meant, and what to say of it; None where there are two ways to take it, as in "0,5".
"""

from __future__ import annotations

import re

from rbdyn.io.numbers import DECIMAL, MAX_LENGTH

_decimal = re.compile(DECIMAL)
_commas = re.compile(r",[ \t\r\n]+")
_blanks = re.compile(r"[ \t\r\n]+")


def number(text: str) -> tuple[str, str] | None:
    """ "-1.57.", which C reads as -1.57."""
    word = text.strip()
    decimal = word[:-1]
    if len(text) > MAX_LENGTH or not word.endswith(".") or "." not in decimal or _decimal.fullmatch(decimal) is None:
        return None
    return decimal, "a point too many; ignored"


def vector(text: str, n: int, name: str) -> tuple[str, str] | None:
    """ "0.07, 0, -0.69", whose commas are followed by blanks; and rpy="1 2 3 0", of which three numbers are left."""
    text = text.strip()
    if "," in text:
        blank = _commas.sub(" ", text)
        return None if "," in blank else (blank, "commas between numbers; taken as blanks")
    words = _blanks.split(text)
    if name == "rpy" and len(words) == n + 1 and words[n].strip("0.") == "":
        return " ".join(words[:n]), "a number too many, 0; ignored"
    return None
