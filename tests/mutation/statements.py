"""Logical statements of the functions without the GIL in Cython source: where they stand, and what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEADER = re.compile(r"^(cdef|cpdef)\b.*\(.*\).*\bnogil\s*:$")
NAME = re.compile(r"(\w+)\s*\(")
OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Statement:
    """One logical line of a function, its comments and line breaks taken away."""

    path: str
    function: str
    first: int  # physical lines, from 0
    last: int
    indent: str
    text: str


def depth_of(text):
    """How many brackets `text` leaves open."""
    return sum((c in OPENING) - (c in CLOSING) for c in text)


def logical_lines(lines):
    """(first, last, indent, text) of every logical line; docstrings and comments are left out."""
    k = 0
    while k < len(lines):
        first, text = k, uncommented(lines[k])
        if text.lstrip().startswith(('"""', 'r"""', "'''")) or text.count('"""') == 1:
            quotes = "'''" if "'''" in text else '"""'
            if text.count(quotes) < 2:
                k += 1
                while quotes not in lines[k]:
                    k += 1
            k += 1
            continue
        indent = re.match(r"\s*", text)[0]
        text = text.strip()
        while text and (depth_of(text) > 0 or text.endswith("\\")):
            k += 1
            text = text.rstrip("\\").rstrip() + " " + uncommented(lines[k]).strip()
        if text:
            yield first, k, indent, text
        k += 1


def uncommented(line):
    """A line without its comment; Cython kernels have no `#` in strings."""
    return line.split("#")[0].rstrip()


def statements(path, source):
    """The statements of all functions of a file that are declared nogil, blocks that take the GIL left out."""
    function, base, gil = None, "", None
    for first, last, indent, text in logical_lines(source.split("\n")):
        if function and len(indent) <= len(base):
            function = gil = None
        if HEADER.match(text):
            function, base = NAME.search(text)[1], indent
            continue
        if function is None:
            continue
        if gil is not None and len(indent) > len(gil):
            continue
        gil = indent if text == "with gil:" else None
        if gil is None:
            yield Statement(path, function, first, last, indent, text)


def split(text, separator):
    """Parts of `text` between separators that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in OPENING) - (c in CLOSING)
        if c == separator and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def declaration(text):
    """(declaration without values, assignments) of a `cdef` with values, or None: an assignment may stand in an if."""
    if not text.startswith("cdef ") or "=" not in text:
        return None
    names, assignments = [], []
    for k, part in enumerate(split(text, ",")):
        target, *value = re.split(r"(?<![=<>!])=(?!=)", part, maxsplit=1)
        target = target.strip()
        names.append(target)
        if value:
            name = target.split()[-1]
            if not name.isidentifier() or (k > 0 and name != target):
                return None
            assignments.append(f"{name} = {value[0].strip()}")
    kind = names[0].rsplit(None, 1)[0]
    if "const" in kind.split() and "*" not in kind:
        return None  # cannot be assigned to later
    return ", ".join(names), assignments
