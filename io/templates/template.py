"""A template's parameters, and the texts and trees that they fill."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rbdyn.arguments import number as checked_number
from rbdyn.arguments import shown as shown_value
from rbdyn.errors import Error, FileError, UrdfError
from rbdyn.io.diagnostics import did_you_mean
from rbdyn.io.numbers import number, shown
from rbdyn.io.templates.expression import evaluate

Params = Mapping[str, object] | Iterable[tuple[str, object]]
MAX_VALUE = 4096  # characters of one parameter
MAX_PARAMS = 10_000
MAX_FILLED = 64 << 20  # characters that one template may grow to: a short text may name a long value often
_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_mark = re.compile(r"@@([A-Za-z_][A-Za-z0-9_]*)?|\{([^{}]*)(\}?)|\}")
_not_xml = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_lone = re.compile(r"[ \t\r\n]*@@([A-Za-z_][A-Za-z0-9_]*)[ \t\r\n]*")


class Template:
    """Parameters by name, and what fills texts with them.

    "@@name" becomes the parameter as it is; "{expression}" the number that it means, without a point if it is whole;
    "{@@name}" the parameter as it is, which separates a name from letters behind it ("{@@side}_leg").  Filled text is
    not read again: a parameter that holds "@@" or braces is refused.

    Parameters
    ----------
    params : mapping or iterable of pairs, optional
        Names (letters, digits, underscores) and values: numbers, or strings of at most 4,096 characters.

    Raises
    ------
    Error
        If a name or value is none, or a name comes twice.

    Examples
    --------
    >>> t = Template({"width": 0.6, "side": "left"})
    >>> t.fill("{@@side}_wheel at 0 {@@width/2 + 0.1} 0")
    'left_wheel at 0 0.4 0'
    >>> t.unused
    []
    """

    def __init__(self, params: Params | None = None) -> None:
        self._values = _checked(params)
        self._outer: Template | None = None
        self._used: set[str] = set()
        self._budget = [MAX_FILLED]

    @property
    def values(self) -> dict[str, str]:
        """The parameters of this scope, as the texts that are filled in."""
        return dict(self._values)

    def use_all(self) -> None:
        """Count all parameters as used: others are given them."""
        self._used.update(self._values)
        if self._outer is not None:
            self._outer.use_all()

    @property
    def all_values(self) -> dict[str, str]:
        """Those of outer scopes too."""
        return {**(self._outer.all_values if self._outer else {}), **self._values}

    @property
    def names(self) -> list[str]:
        """Names of all parameters, those of outer scopes too."""
        return [*self._values, *(self._outer.names if self._outer else ())]

    @property
    def unused(self) -> list[str]:
        """Names of the parameters of this scope that nothing was filled with yet."""
        return [name for name in self._values if name not in self._used]

    def with_values(self, params: Params) -> Template:
        """A scope inside this one, whose parameters come first; what it uses of this one counts as used here.

        Parameters
        ----------
        params : mapping or iterable of pairs
            As for the class.

        Returns
        -------
        inner : Template
            The scope.
        """
        inner = Template(params)
        inner._outer, inner._budget = self, self._budget
        return inner

    def fill(self, text: str) -> str:
        """`text` with its parameters and expressions filled in.

        Parameters
        ----------
        text : str
            Any text; without "@@" and braces it comes back as it is.

        Returns
        -------
        filled : str

        Raises
        ------
        Error
            If a parameter is not known, a brace is open or an expression is none; without a place, which the caller
            knows.
        """
        if "@@" not in text and "{" not in text and "}" not in text:
            return text
        filled = _mark.sub(lambda mark: self._replaced(mark, text), text)
        self._budget[0] -= len(filled)
        if self._budget[0] < 0:
            raise Error(f"the template grows to more than {MAX_FILLED} characters")
        return filled

    def fill_tree(self, root: Any, file: str, error: type[FileError] = UrdfError) -> None:
        """Fill all attributes of an lxml tree, in place: values cannot become elements, and lines stay.

        Parameters
        ----------
        root : lxml element
            The root of the tree.
        file : str
            Its name, for messages.
        error : type of FileError
            What to raise.

        Raises
        ------
        FileError
            Of the class `error`, with file:line, the element and the attribute; what went before is filled then.
        """
        for element in root.iter():
            for name, text in element.attrib.items():
                if "@@" in text or "{" in text or "}" in text:
                    try:
                        element.set(name, self.fill(text))
                    except Error as problem:
                        place = f"{file}:{element.sourceline}: <{shown(str(element.tag))[1:-1]}>"
                        raise error(f"{place}: {shown(name)[1:-1]}={shown(text)}: {problem}") from None

    # ---- inside ------------------------------------------------------------------------------

    def _replaced(self, mark: re.Match[str], text: str) -> str:
        if mark[0].startswith("@@"):
            if mark[1] is None:
                raise Error(f"'@@' without a name (letters, digits, _) in {shown(text)}")
            return self._value(mark[1])
        if not mark[3]:
            kind = "opened and not closed" if mark[0].startswith("{") else "closed and not opened"
            inside = " (braces cannot stand in braces)" if "{" in text[mark.end() : mark.end() + 1] else ""
            raise Error(f"a brace is {kind} in {shown(text)}{inside}")
        lone = _lone.fullmatch(mark[2])
        if lone is not None:
            return self._value(lone[1])
        return _spelled(evaluate(mark[2], self._number))

    def _number(self, name: str) -> float:
        value = self._value(name)
        try:
            return number(value)
        except Error as problem:
            raise Error(f"@@{name} stands in an expression: {problem}") from None

    def _value(self, name: str) -> str:
        scope: Template | None = self
        while scope is not None:
            if name in scope._values:
                scope._used.add(name)
                return scope._values[name]
            scope = scope._outer
        known = self.names
        listed = ", ".join(shown(k, 40)[1:-1] for k in sorted(set(known))[:20]) or "none; give params={...}"
        more = f", ... ({len(known)} in all)" if len(known) > 20 else ""
        raise Error(f"no parameter named {shown(name)}{did_you_mean(name, known)} (known: {listed}{more})")


def _checked(params: Params | None) -> dict[str, str]:
    """Parameters as strings."""
    if params is None:
        return {}
    if isinstance(params, (str, bytes)) or not isinstance(params, (Mapping, Iterable)):
        raise Error(f"params must be a mapping of names to values, or pairs of them, got {shown_value(params)}")
    values: dict[str, str] = {}
    for item in params.items() if isinstance(params, Mapping) else params:
        if isinstance(item, (str, bytes)) or not hasattr(item, "__len__") or len(item) != 2:
            raise Error(f"params must hold pairs (name, value), got {shown_value(item)}")
        name, value = item
        if not isinstance(name, str) or _name.fullmatch(name) is None or len(name) > MAX_VALUE:
            hint = " (without the @@)" if isinstance(name, str) and name.startswith("@@") else ""
            raise Error(f"params: a name must be of letters, digits and _, got {shown_value(name)}{hint}")
        if name in values:
            raise Error(f"params: {shown(name)} is there twice")
        values[str(name)] = _spelled_value(name, value)
        if len(values) > MAX_PARAMS:
            raise Error(f"params: more than {MAX_PARAMS} parameters")
    return values


def _spelled_value(name: str, value: object) -> str:
    if not isinstance(value, str):
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and abs(int(value)) < 2**63:
            return str(int(value))
        return _spelled(checked_number(value, f"params[{shown(name)}]"))
    if len(value) > MAX_VALUE:
        raise Error(f"params[{shown(name)}] has {len(value)} characters, at most {MAX_VALUE}")
    if "@@" in value or "{" in value or "}" in value:
        raise Error(f"params[{shown(name)}]={shown(value)} holds a template mark; a parameter is filled in as it is")
    if _not_xml.search(value):
        raise Error(f"params[{shown(name)}]={shown(value)} holds a character that XML does not allow")
    return str(value)


def _spelled(value: float) -> str:
    """The shortest text of the same number; whole ones without a point, as names and counts need them."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
