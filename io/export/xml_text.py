"""XML elements whose attributes are numbers, and the text of a tree of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rbdyn.errors import Error, PathError
from rbdyn.io.numbers import shown


def number_text(value: float) -> str:
    """The shortest decimal number that is read back as exactly `value`.

    Examples
    --------
    >>> number_text(0.1), number_text(2.0), number_text(-1e300)
    ('0.1', '2', '-1e+300')
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def numbers_text(values: Iterable[float]) -> str:
    """Numbers separated by blanks."""
    return " ".join(map(number_text, values))


def element(parent: Any, tag: str, **attributes: Any) -> Any:
    """A new element in `parent`, or a root for None; None leaves an attribute out, numbers are written exactly."""
    from lxml import etree

    made = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value is not None:
            try:
                made.set(name.rstrip("_"), _attribute(value))
            except ValueError:  # lxml's: XML has no way to say control characters
                raise Error(f"{name} of <{tag}>: {shown(str(value))} holds characters that XML cannot hold") from None
    return made


def _attribute(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return number_text(value) if isinstance(value, float) else numbers_text(value)


def document(root: Any) -> str:
    """The XML text of a tree, indented, with its declaration."""
    from lxml import etree

    body = etree.tostring(root, pretty_print=True, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}'


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole, or leave what was there; PathError if that cannot be."""
    target = Path(os.fspath(path))
    if not target.name:
        raise PathError(f"path must name a file, got {shown(str(path), 300)}")
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(text.encode("utf-8"))
        beside.replace(target)
    except UnicodeEncodeError:
        raise Error("the text holds characters that are not Unicode (lone surrogates)") from None
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError, ValueError):  # a name that cannot be written cannot be removed either
            beside.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or error
        raise PathError(f"cannot write {shown(str(target), 300)}: {why}") from None
