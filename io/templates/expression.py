"""Arithmetic of a template: + - * / ** ( ), sin cos exp log sqrt, pi, @@name.  A parser of numbers, not of Python.

sum     = product { ("+" | "-") product }
product = sign { ("*" | "/") sign }
sign    = ("+" | "-") sign | power
power   = atom [ "**" sign ]                    -2**2 is -4, 2**-1 is 0.5, 2**3**2 is 2**9
atom    = number | "@@" name | "pi" | function "(" sum ")" | "(" sum ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from rbdyn.errors import Error
from rbdyn.io.numbers import shown

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
}
CONSTANTS = {"pi": math.pi}
CHOICES = f"+ - * / ** ( ) {' '.join(FUNCTIONS)} {' '.join(CONSTANTS)} @@name"
MAX_LENGTH = 2000  # characters of one expression
MAX_DEPTH = 50  # of parentheses, signs and powers inside one another
_token = re.compile(
    r"[ \t\r\n]*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|@@(?P<variable>[A-Za-z_][A-Za-z0-9_]*)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/()]))"
)
_blanks = re.compile(r"[ \t\r\n]*")


def evaluate(text: str, value_of: Callable[[str], float]) -> float:
    """The number that an expression means.

    Parameters
    ----------
    text : str
        The expression, at most 2,000 characters.
    value_of : callable
        Gives the number of an @@name, or raises Error.

    Returns
    -------
    value : float
        Finite.

    Raises
    ------
    Error
        If the text is no expression, or something in it is not finite; the message quotes it.

    Examples
    --------
    >>> evaluate("2*(@@width - 0.1)**2", {"width": 0.6}.__getitem__)
    0.5
    """
    if len(text) > MAX_LENGTH:
        raise Error(f"an expression has {len(text)} characters, at most {MAX_LENGTH} are read: {shown(text)}")
    reader = _Reader(text, value_of)
    value = reader.sum()
    reader.end()
    return value


class _Reader:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str, value_of: Callable[[str], float]) -> None:
        self._text, self._value_of = text, value_of
        self._place = self._depth = 0
        self._kind: str | None = None
        self._word = ""
        self._advance()

    def sum(self) -> float:
        value = self._product()
        while self._word in ("+", "-"):
            sign = self._take()
            right = self._product()
            value = self._finite(value + right if sign == "+" else value - right)
        return value

    def end(self) -> None:
        if self._kind is not None:
            raise self._error(f"{self._word!r} was not expected there")

    def _product(self) -> float:
        value = self._signed()
        while self._word in ("*", "/"):
            sign = self._take()
            right = self._signed()
            if sign == "/" and right == 0.0:
                raise self._error("division by zero")
            value = self._finite(value * right if sign == "*" else value / right)
        return value

    def _signed(self) -> float:
        if self._word in ("+", "-"):
            sign = self._take()
            value = self._deeper(self._signed)
            return -value if sign == "-" else value
        return self._power()

    def _power(self) -> float:
        base = self._atom()
        if self._word != "**":
            return base
        self._take()
        exponent = self._deeper(self._signed)
        return self._computed(lambda: math.pow(base, exponent), f"{base:g}**{exponent:g}")

    def _atom(self) -> float:
        kind = self._kind
        if kind == "number":
            return self._finite(float(self._take()))
        if kind == "variable":
            return self._value_of(self._take())
        if kind == "word":
            return self._named(self._take())
        if self._word == "(":
            return self._bracketed()
        raise self._error(f"a number was expected, not {self._word!r}" if kind else "something is missing at its end")

    def _named(self, word: str) -> float:
        if word in CONSTANTS:
            return CONSTANTS[word]
        if word not in FUNCTIONS:
            raise self._error(f"{shown(word, 40)} is not known; choices: {CHOICES}")
        if self._word != "(":
            raise self._error(f"{word} needs its argument in parentheses")
        argument = self._bracketed()
        return self._computed(lambda: FUNCTIONS[word](argument), f"{word}({argument:g})")

    def _bracketed(self) -> float:
        self._take()
        value = self._deeper(self.sum)
        if self._word != ")":
            raise self._error("')' is missing")
        self._take()
        return value

    # ---- helpers -----------------------------------------------------------------------------

    def _deeper(self, rule: Callable[[], float]) -> float:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"it is nested more than {MAX_DEPTH} deep")
        value = rule()
        self._depth -= 1
        return value

    def _computed(self, compute: Callable[[], float], what: str) -> float:
        try:
            return self._finite(compute())
        except (OverflowError, ValueError):  # too large; or the root or logarithm of a negative number
            raise self._error(f"{what} is not a finite number") from None

    def _finite(self, value: float) -> float:
        if not math.isfinite(value):
            raise self._error("it is not a finite number")
        return value

    def _take(self) -> str:
        word = self._word
        self._advance()
        return word

    def _advance(self) -> None:
        match = _token.match(self._text, self._place)
        if match is not None:
            self._kind = str(match.lastgroup)
            self._word, self._place = match[self._kind], match.end()
            return
        self._place = _blanks.match(self._text, self._place).end()  # type: ignore[union-attr]
        if self._place < len(self._text):
            letter = self._text[self._place]
            hint = "a power is **" if letter == "^" else f"choices: {CHOICES}"
            raise self._error(f"{letter!r} is not known; {hint}")
        self._kind, self._word = None, ""

    def _error(self, text: str) -> Error:
        return Error(f"expression {shown(self._text)}: {text}")
