"""<params>, <include>, <array>, `exist`, @@name, {expression} and [THIS_DIR]: what is left is plain elements."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

from rbdyn.errors import Error, FileError, PathError, WorldFileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import number, shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import MAX_BYTES, parse_xml
from rbdyn.io.templates import Template
from rbdyn.io.worlds.item import FILE, Item

MAX_INCLUDES = 1000
MAX_DEPTH = 20  # of files in files, and of arrays in arrays
MAX_ELEMENTS = 200_000  # after arrays are written out
MAX_COPIED = 60_000  # of them, by arrays: a short file may not take long
ROOT = "raisim"
MARKS = ("@@", "{", "}", "[THIS_DIR]")  # an attribute without one stays as it is
SCOPE = "{rbdyn}scope"  # attribute of a robot's element: which of `Expander.robots` has the parameters there


class Expander:
    """Writes one document out.

    Parameters
    ----------
    file : str
        Its name, for messages.
    finders : function of str to FileFinder
        Finds the files that a file of that name includes.
    diagnostics : Diagnostics
        Takes what was repaired in included files.
    """

    def __init__(self, file: str, finders: Any, diagnostics: Diagnostics) -> None:
        self._file, self._finders, self._diagnostics = file, finders, diagnostics
        self._includes = self._elements = self._copied = 0
        self.scopes: list[Template] = []  # of the parameters of files, one each
        self.robots: list[Template] = []  # what is known where robots of files stand

    @property
    def unused(self) -> list[str]:
        """Names of the files' own parameters that nothing was filled with."""
        return [name for scope in self.scopes for name in scope.unused]

    def expand(self, root: Any, template: Template) -> None:
        """Everything inside `root`, with the file's own parameters, which the caller's precede."""
        if root.attrib.pop("literal", None) is not None:  # of `save_world`: braces are letters
            return
        scope = self._with_params(root, template, self._file)
        self._inside(root, scope, self._file, (self._file,), 0, str(root.tag))

    def _with_params(self, root: Any, template: Template, file: str) -> Template:
        """The parameters in <params><param name value/></params>; those that are given already keep their values."""
        given, here = set(template.names), set()
        scope = template
        for params in root.findall("params"):
            for element in params:
                item = Item(element, file)
                if element.tag != "param":
                    raise item.error("needed <param name value>")
                name = item.text("name")
                if name in here:
                    raise item.error("is there twice")
                here.add(name)
                if name not in given:  # each may use those before it
                    scope = _scope_inside(scope, {name: self._filled(element, "value", scope, file)}, item)
                    self.scopes.append(scope)
            root.remove(params)
        return scope

    def _inside(self, parent: Any, scope: Template, file: str, files: tuple[str, ...], depth: int, home: str) -> None:
        """Everything in `parent`; `home` is its tag, or of an array that of the element it writes into."""
        if depth > MAX_DEPTH:
            raise Item(parent, file).error(f"files and arrays are nested more than {MAX_DEPTH} deep")
        for child in list(parent):
            self._elements += 1
            if self._elements > MAX_ELEMENTS:
                raise Item(child, file).error(f"the file grows to more than {MAX_ELEMENTS} elements")
            if child.get("exist") is not None:  # before all else, which need not be right then
                child.set("exist", self._filled(child, "exist", scope, file))
                if not exists(Item(child, file)):
                    parent.remove(child)
                    continue
            if child.tag == "array":
                self._array(parent, child, scope, file, files, depth, home)
                continue
            for name, text in child.attrib.items():
                if any(mark in text for mark in MARKS):
                    child.set(name, self._filled(child, name, scope, file))
            if child.tag == "include":
                self._include(parent, child, scope, file, files, depth, home)
                continue
            if child.get("urdf_path") or child.get("urdfPath"):
                child.set(SCOPE, str(len(self.robots)))
                self.robots.append(scope)
            if len(child):
                self._inside(child, scope, file, files, depth, str(child.tag))

    def _filled(self, element: Any, name: str, scope: Template, file: str) -> str:
        text = element.get(name)
        if text is None:
            raise Item(element, file).error(f"attribute {name!r} is missing")
        if "[THIS_DIR]" in text:
            text = text.replace("[THIS_DIR]", Path(file).absolute().parent.as_posix() if file != "<text>" else ".")
        try:
            return scope.fill(text)
        except Error as error:
            raise Item(element, file).error(f"{shown(str(name))[1:-1]}={shown(text)}: {error}") from None

    def _array(
        self, parent: Any, array: Any, scope: Template, file: str, files: tuple[str, ...], depth: int, home: str
    ) -> None:
        """Copies of what is in it, for idx = start, start + increment, ... before end."""
        for name in array.attrib:
            array.set(name, self._filled(array, name, scope, file))
        item = Item(array, file)
        index = item.text("idx")
        start, end, increment = item.number("start", 0.0), item.number("end"), item.number("increment", 1.0)
        item.check(self._diagnostics, *(child.tag for child in array))
        if increment == 0.0:
            raise item.error("increment must not be 0")
        copies = max(0.0, (end - start) / increment)  # none, as Python's range has it, where it leads away
        place = item.file
        count = math.ceil(min(copies, 1e15) - 1e-9)  # 0 to 1 by 0.1 are ten, whatever 0.1 is
        size = max(1, sum(1 for _ in array.iterdescendants()))
        self._copied += count * size
        if self._copied > MAX_COPIED:
            raise item.error(f"{count} copies of {size} elements: arrays make at most {MAX_COPIED} elements")
        for k in range(count):
            inner = _scope_inside(scope, {index: start + k * increment}, item)
            holder = copy.deepcopy(array)
            self._inside(holder, inner, file, files, depth + 1, home)
            for child in list(holder):
                if FILE not in child.attrib:
                    child.set(FILE, place)
                array.addprevious(child)
        parent.remove(array)

    def _include(
        self, parent: Any, node: Any, scope: Template, file: str, files: tuple[str, ...], depth: int, home: str
    ) -> None:
        """Put what another file holds in the place of <include value>."""
        item = Item(node, file)
        name = item.text("file") if item.get("value") is None else item.text("value")
        if not name.strip():
            raise item.error("the name of the file is empty")
        item.check(self._diagnostics)
        self._includes += 1
        if self._includes > MAX_INCLUDES:
            raise item.error(f"more than {MAX_INCLUDES} files are included")
        try:
            finder: FileFinder = self._finders(file)
            path = finder.find(name)
            data = finder.read(path, MAX_BYTES)
        except FileError as error:
            raise PathError(f"{item.where}: <include>: {error}") from None
        if str(path) in files or any(Path(f).resolve() == path for f in files if f != "<text>"):
            raise item.error(f"{shown(name)} includes itself: {' -> '.join([*files, str(path)])}")
        root = parse_xml(data, str(path), self._diagnostics, WorldFileError, "world")
        if root.tag != ROOT:
            raise WorldFileError(f"{path}:{root.sourceline}: the root element is <{root.tag}>, needed <{ROOT}>")
        inner = self._with_params(root, scope, str(path))
        self._inside(root, inner, str(path), (*files, str(path)), depth + 1, ROOT)
        found = list(root)
        if home == "objects" and (parts := root.findall("objects")):
            if rest := sorted({str(child.tag) for child in found} - {"objects"}):
                text = f"in <objects> a file gives its objects; {', '.join(rest)} of {shown(name)} are left out"
                self._diagnostics.warn(item.where, text)
            found = [obj for part in parts for obj in part]
        for child in found:
            if FILE not in child.attrib:
                child.set(FILE, str(path))
            node.addprevious(child)
        parent.remove(node)


def exists(item: Item) -> bool:
    """Whether `exist` says that an element is there; without it, it is."""
    text = item.element().attrib.pop("exist", None)
    if text is None:
        return True
    words = {"true": True, "false": False}
    word = text.strip().lower()
    try:
        return words[word] if word in words else number(text) != 0.0
    except Error as error:
        raise item.error(f"exist={error}") from None


def _scope_inside(scope: Template, values: dict[str, Any], item: Item) -> Template:
    if not values:
        return scope
    try:
        return scope.with_values(values)
    except Error as error:
        raise item.error(error) from None
