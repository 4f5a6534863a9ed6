"""<material>: what happens where two materials meet, in a world file or in one of its own."""

from __future__ import annotations

import os
from typing import Any

from rbdyn.arguments import flag, named_options
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.errors import Error, WorldFileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.templates import Template
from rbdyn.io.templates.template import Params
from rbdyn.io.urdf.source import PathOrText, source_of
from rbdyn.io.worlds.expand import exists
from rbdyn.io.worlds.item import Item

TAGS = ("material", "materials")
MAX_PAIRS = 50_000
OTHERS = {  # names that other programs and older files have
    "threshold": ("restitution_threshold", "res_threshold"),
    "static_threshold": ("static_friction_threshold_velocity",),
}


@named_options
def load_materials(path_or_text: PathOrText, params: Params | None = None, *, strict: bool = False) -> MaterialTable:
    """Read a material file, RaiSim's `basicMaterials.xml` or one of `save_materials`.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character is "<".
    params : mapping or pairs, optional
        Fill "@@name" and "{expression}" in it.
    strict : bool
        Raise WorldFileError for what is not known in it, and for parameters that it does not use.

    Returns
    -------
    table : MaterialTable
        `world.materials.replace(table.default, table.pairs())` gives it to a World.

    Raises
    ------
    WorldFileError
        With file:line, if it cannot be accepted.
    PathError
        If there is no such file.

    Examples
    --------
    >>> table = load_materials('<material><pair_prop name1="steel" name2="ice" friction="0.02"/></material>')
    >>> table.pair("ice", "steel").friction
    0.02
    """
    source = source_of(path_or_text, None)
    diagnostics = Diagnostics(flag(strict, "strict"), WorldFileError)
    root = parse_xml(source.data, source.name, diagnostics, WorldFileError, "material")
    template = Template(params)
    template.fill_tree(root, source.name, WorldFileError)
    if strict and template.unused:
        raise Error(f"params: not used by the file: {', '.join(template.unused)}")
    item = Item(root, source.name)
    for child in list(root):
        if isinstance(child.tag, str) and not exists(Item(child, source.name)):
            root.remove(child)
    if root.tag not in TAGS:
        raise item.error(f"the root element is <{root.tag}>, needed <{TAGS[0]}> or <{TAGS[1]}>")
    return read_materials(item, diagnostics)


@named_options
def save_materials(table: MaterialTable, path: str | os.PathLike[str]) -> None:
    """Write a table of materials; every number is read back exactly.

    Parameters
    ----------
    table : MaterialTable
        Such as `world.materials`.
    path : path-like
        The file; one that is there is replaced.

    Raises
    ------
    PathError
        If the file cannot be written.
    """
    if not isinstance(table, MaterialTable):
        raise Error(f"table must be a MaterialTable, such as world.materials, got {type(table).__name__}")
    root = element(None, "material")
    fill_materials(root, table)
    write_text(path, document(root))


def read_materials(item: Item, diagnostics: Diagnostics) -> MaterialTable:
    """The table that a <material> says; other pairs have its default, or RaiSim's 0.8, 0, 0."""
    default = item.child("default")
    table = MaterialTable(None if default is None else _read_pair(default, diagnostics))
    pairs: dict[tuple[str, str], MaterialPair] = {}
    nodes = list(item.children("pair_prop", "pairProp", "pair"))
    if len(nodes) > MAX_PAIRS:
        raise nodes[MAX_PAIRS].error(f"more than {MAX_PAIRS} pairs")
    for node in nodes:
        a, b = node.text("name1") or "default", node.text("name2") or "default"  # RaiSim calls it ""
        key = (a, b) if a <= b else (b, a)
        if key in pairs:
            raise node.error(f"the pair of {a!r} and {b!r} is there twice")
        pairs[key] = _read_pair(node, diagnostics)
    try:
        table.replace(table.default, pairs)
    except Error as error:
        raise item.error(error) from None
    item.check(diagnostics, "default", "pair_prop", "pairProp", "pair")
    return table


def _read_pair(item: Item, diagnostics: Diagnostics) -> MaterialPair:
    usual = MaterialPair()
    values: dict[str, Any] = {}
    for name in ("friction", "restitution", "threshold", "static_friction", "static_threshold", "torsional_friction",
                 "rolling_friction"):  # fmt: skip
        spellings = [word for word in (name, *OTHERS.get(name, ())) if item.get(word) is not None]
        if len(spellings) > 1:
            raise item.error(f"{' and '.join(spellings)} mean the same; give one")
        fallback = None if name == "static_friction" else getattr(usual, name)
        values[name] = item.number(spellings[0]) if spellings else fallback
    try:
        pair = MaterialPair(**values)
    except Error as error:
        raise item.error(error) from None
    item.check(diagnostics)
    return pair


def fill_materials(parent: Any, table: MaterialTable) -> None:
    """<default> and <pair_prop>s, in RaiSim's words where it has some."""
    _write_pair(element(parent, "default"), table.default)
    for (a, b), pair in sorted(table.pairs().items()):
        _write_pair(element(parent, "pair_prop", name1=a, name2=b), pair)


def _write_pair(node: Any, pair: MaterialPair) -> None:
    words = {"friction": pair.friction, "restitution": pair.restitution, "restitution_threshold": pair.threshold}
    if pair.static_friction != pair.friction:
        words["static_friction"] = float(pair.numbers[3])
    for name in ("static_threshold", "torsional_friction", "rolling_friction"):
        if getattr(pair, name):
            words[name] = getattr(pair, name)
    for name, value in words.items():
        node.set(name, repr(value))
