"""Layers: a file imports from its own package and from layers below, never from above or beside.

The whole text of a file counts: imports inside functions, under TYPE_CHECKING, and cimports.  CONTRIBUTING.md gives
the reasons for each layer.  Inside packages no module imports itself by way of others; nothing reaches up by the type
of an object or by private attributes of another package; kernels and lanes name no State and no object.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = {"rbdyn": "", "collision": "collision", "contact": "contact", "io": "io"}
LAYERS = {
    "archive": -2,
    "errors": -2,
    "memory": -2,
    "pool": -2,
    "rounding": -2,
    "held_signals": -2,
    "signals": -2,
    "version": -2,
    "arguments": -1,
    "spatial": 0,
    "backends": 0,
    "collision.shapes": 0.5,
    "sensors.descriptions": 0.5,
    "mechanism": 1,
    "rendering": 1,
    "collision": 1,
    "contact": 1,
    "model": 2,
    "kernels": 3,
    "io": 2,
    "batch": 4,
    "algorithms": 4,
    "models": 4,
    "stepping": 4,
    "world": 5,
    "scenery": 5.5,
    "io.worlds": 6,
    "parallel": 6,
    "recording": 6,
    "sensors": 6,
    "testing": 6,
    "gym": 6.5,
    "viewer": 6.5,
    "cli": 6.7,
    "__main__": 7,
    "__init__": 7,
}
NAMES = r"\(([^)]*)\)|([^\n#]+)"
FROM_ROOT = re.compile(rf"^[ \t]*from[ \t]+rbdyn[ \t]+c?import[ \t]+(?:{NAMES})", re.MULTILINE)
FROM_INSIDE = re.compile(r"^[ \t]*(?:from|import|cimport)[ \t]+rbdyn\.([\w.]+)", re.MULTILINE)
WHOLE = re.compile(r"^[ \t]*c?import[ \t]+rbdyn[ \t]*(?:$|#|,|as\b)", re.MULTILINE)
RELATIVE = re.compile(r"^[ \t]*from[ \t]+\.+[\w.]*[ \t]+c?import", re.MULTILINE)


def sources():
    """Inner dotted name (`world.world`) and path of every source file."""
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".pyx", ".pxd", ".pxi", ".pyi"}:
                inner = [*filter(None, [package]), *path.relative_to(ROOT / folder).with_suffix("").parts]
                yield ".".join(inner[:-1] if inner[-1] == "__init__" and len(inner) > 1 else inner), path


def layer(name):
    """The key of LAYERS that a dotted name falls under: the longest that begins it."""
    keys = [key for key in LAYERS if (name + ".").startswith(key + ".")]
    return max(keys, key=len) if keys else None


def imported(text):
    """Dotted names below rbdyn that a file imports or cimports; "__init__" for the package as a whole."""
    for match in FROM_ROOT.finditer(text):
        for item in (match[1] or match[2]).split(","):
            name = item.split("#")[0].split()[:1]
            if name:
                yield name[0] if layer(name[0]) else "__init__"
    yield from FROM_INSIDE.findall(text)
    if WHOLE.search(text):
        yield "__init__"


def offences(name, text):
    """What a file may not import, in words."""
    own = layer(name)
    if own is None:
        return [f"{name} is in no layer; give it one in {__name__} and CONTRIBUTING.md"]
    found = [f"{name}: relative import" for _ in RELATIVE.finditer(text)]
    for target in imported(text):
        goal = layer(target)
        if goal is None:
            found.append(f"{name} imports {target}, which is in no layer")
        elif goal != own and LAYERS[goal] >= LAYERS[own]:
            found.append(f"{name} (layer {LAYERS[own]}) imports {target} (layer {LAYERS[goal]})")
    return found


SOURCES = list(sources())


def test_imports_point_down():
    assert [line for name, path in SOURCES for line in offences(name, path.read_text())] == []


def test_every_package_is_seen():
    """The test above reads the four folders, compiled sources included."""
    names = {name for name, _ in SOURCES}
    assert {"spatial._algebra", "world.world", "collision.shapes", "contact.solver", "io.urdf.load"} <= names
    assert len(SOURCES) > 100


@pytest.mark.parametrize(
    "name, text, count",
    [
        ("spatial.frames", "from rbdyn.world import World", 1),
        ("spatial.frames", "    from rbdyn.model.model cimport Model", 1),
        ("mechanism.body", "from rbdyn.collision import shapes", 1),
        ("mechanism.body", "from rbdyn.collision.shapes import Box", 0),
        ("mechanism.body", "from rbdyn import collision, contact", 2),
        ("contact.solver", "from rbdyn.collision.backend import CollisionBackend", 1),
        ("collision.shapes", "from rbdyn.collision.backend import CollisionBackend", 1),
        ("collision.backend", "from rbdyn.collision.shapes import Box", 0),
        ("model.model", "from rbdyn import (  # all\n    mechanism,\n    World,\n)", 1),
        ("model.model", "import rbdyn", 1),
        ("model.model", "import rbdyn as r", 1),
        ("world.world", "from .observers cimport Observers", 1),
        ("world.world", "cimport rbdyn.kernels.aba", 0),
        ("world.factories", "    from rbdyn import io", 0),
        ("testing.contact", "from rbdyn.cli import main", 1),
        ("attic.thing", "", 1),
        ("world.world", "from rbdyn.attic import thing", 1),
        ("world.world", "# from rbdyn.cli import main\nx = 'import rbdyn.cli'", 0),
    ],
)
def test_imports_up_are_found(name, text, count):
    """Imports up, sideways, relative and of the package as a whole are found; those down are not."""
    assert len(offences(name, text)) == count


def modules():
    """Inner dotted name -> text of a module: `x.pyx`, `x.pxd` and `x.pxi` are one; stubs count for none."""
    found = {}
    for name, path in SOURCES:
        if path.suffix != ".pyi":
            found[name] = found.get(name, "") + path.read_text()
    return found


MODULES = modules()
SAID = re.compile(r'""".*?"""|#[^\n]*', re.DOTALL)
PRIVATE = re.compile(r"(?:[\w\])]+)\.(_[a-z]\w*)\b")
DEFINED = re.compile(r"\b(?:def|cdef [\w .*\[\]]+?|class)[ \t]+(_[a-z]\w*)[ \t]*[(:]|\w+\.(_[a-z]\w*)\b[^\n=]*=[^=]")
CONJURED = re.compile(
    r"\btype\((?!(?:self|cls|error)\))([^()]+)\)(?:\.__new__)?\(|(\S+)\.__class__\(|\b(?:__import__|sys\.modules)\b"
)
IMPORTS = re.compile(r"^[ \t]*(?:from|import|cimport)[ \t][^\n]*", re.MULTILINE)
TAKEN = re.compile(rf"^[ \t]*from[ \t]+rbdyn\.([\w.]+)[ \t]+c?import[ \t]+(?:{NAMES})", re.MULTILINE)
OBJECTS = re.compile(
    r"\b(?:State|Model|World|Mechanism|Placement|object|list|dict|tuple|str|cnp|gil|def|cpdef|class|raise)\b|^import\b",
    re.MULTILINE,
)
SHARED = {"_revision": "the edit counter that a Model and its mechanism share"}


def package(name):
    return name.split(".")[0]


PRIVATE_NAMES = {}
for _name, _text in MODULES.items():
    for _match in DEFINED.finditer(SAID.sub("", _text)):
        PRIVATE_NAMES.setdefault(package(_name), set()).add(_match[1] or _match[2])


def targets(name, text, known=MODULES):
    """Modules of the library that a module imports from, itself left out."""
    for target in imported(text):
        keys = [key for key in known if (target + ".").startswith(key + ".")]
        if keys and (goal := max(keys, key=len)) != name and not name.startswith(goal + "."):
            yield goal


def dependencies(files):
    """What each file of (name, suffix, text) needs: a declaration file is a node of its own.

    Cimports of a declaration need declarations only; those of compiled code also load what is declared there.
    """
    known = {name for name, _, _ in files}
    suffixes = {kind: {name for name, suffix, _ in files if suffix == kind} for kind in (".pxd", ".pyx")}
    graph = {}
    for name, suffix, text in files:
        if suffix == ".pyi":
            continue
        cimports = "\n".join(line for line in text.splitlines() if " cimport " in line)
        imports = "\n".join(line for line in text.splitlines() if " cimport " not in line)
        needs = graph.setdefault(f"{name} (declared)" if suffix == ".pxd" else name, set())
        needs.update(f"{goal} (declared)" for goal in targets(name, cimports, known) if goal in suffixes[".pxd"])
        if suffix != ".pxd":
            needs.update(goal for goal in targets(name, cimports, known) if goal in suffixes[".pyx"])
        needs.update(targets(name, imports, known))
    return {node: {goal for goal in needs if goal in graph} for node, needs in graph.items()}


def circle(graph):
    """A circle of a graph of modules, as a list of names; empty if there is none."""
    state, path = {}, []

    def visit(name):
        state[name] = 1
        path.append(name)
        for goal in sorted(graph[name]):
            if state.get(goal) == 1:
                return [*path[path.index(goal) :], goal]
            if goal not in state and (found := visit(goal)):
                return found
        path.pop()
        state[name] = 2
        return []

    for name in sorted(graph):
        if name not in state and (found := visit(name)):
            return found
    return []


def reaches(name, text):
    """Ways up that are no imports, and private names of other packages, in words."""
    text = SAID.sub("", text)
    found = []
    for match in TAKEN.finditer(text):
        for item in (match[2] or match[3]).split(","):
            word = item.split()[:1]
            if word and re.match(r"_[a-z]", word[0]) and package(match[1]) != package(name):
                found.append(f"{name} imports {word[0]}, which is private to {match[1]}")
    text = IMPORTS.sub("", text)
    found += [f"{name} finds a class without an import: {match[0]}" for match in CONJURED.finditer(text)]
    for match in PRIVATE.finditer(text):
        word = match[1]
        others = [p for p, names in PRIVATE_NAMES.items() if word in names]
        if others and package(name) not in others and word not in SHARED:
            found.append(f"{name} uses {match[0]}, which is private to {', '.join(others)}")
    return found


def objects_named(text):
    """What a kernel may not name: a State, a Model or any Python object."""
    return OBJECTS.findall(SAID.sub("", text))


def test_no_module_imports_itself_by_way_of_others():
    graph = dependencies([(name, path.suffix, path.read_text()) for name, path in SOURCES])
    assert sum(map(len, graph.values())) > 300
    assert circle(graph) == []


def test_nothing_reaches_up_by_other_ways():
    assert [line for name, text in MODULES.items() for line in reaches(name, text)] == []


def test_kernels_name_no_object():
    kernels = {name: text for name, text in MODULES.items() if name.startswith("kernels.")}
    assert len(kernels) > 10
    assert {name: found for name, text in kernels.items() if (found := objects_named(text))} == {}


def test_lanes_know_neither_model_nor_state():
    lanes = {name: set(targets(name, text)) for name, text in MODULES.items() if name.startswith("batch.")}
    assert len(lanes) > 5
    assert [name for name, goals in lanes.items() if {"model.model", "model.state"} & goals] == []


# ---- the tests inside packages find what they look for ---------------------------------------------------------------


def test_circles_of_names_are_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([("model.a", ".py", "from rbdyn.model.b import f"), ("model.b", ".py", "from rbdyn.model.a import g")], True),
        ([("world.a", ".py", "from rbdyn.world.b import f"), ("world.b", ".py", " from rbdyn.world.a import g")], True),
        (
            [
                ("model.a", ".pxd", ""),
                ("model.b", ".pxd", ""),
                ("model.a", ".pyx", "from rbdyn.model.b cimport f"),
                ("model.b", ".pyx", "from rbdyn.model.a cimport g"),
            ],
            True,
        ),
        (
            [
                ("model.a", ".pxd", "from rbdyn.model.b cimport B"),
                ("model.b", ".pxd", "from rbdyn.model.a cimport A"),
            ],
            True,
        ),
        (
            [
                ("model.a", ".pxd", "from rbdyn.model.b cimport B"),
                ("model.a", ".pyx", "from rbdyn.model.b import f"),
                ("model.b", ".pxd", ""),
                ("model.b", ".pyx", ""),
            ],
            False,
        ),
    ],
)
def test_circles_of_files_are_found(files, found):
    """By imports at the top and in functions, by cimports of compiled code, and among declarations."""
    assert bool(circle(dependencies(files))) == found


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("model.state", "twin = type(other)(3)", 1),
        ("model.state", "twin = type(self.world)(3)", 1),
        ("model.state", "twin = type(worlds[0])(3)", 1),
        ("model.state", "twin = type(other).__new__(type(other))", 1),
        ("model.state", "twin = other.__class__(3)", 1),
        ("model.state", "World = sys.modules['rbdyn'].World", 1),
        ("model.state", "World = __import__('rbdyn').World", 1),
        ("model.state", "twin = type(self)(3)", 0),
        ("model.state", "raise type(error)(text)", 0),
        ("world.world", "state.model._joint(name)", 1),
        ("model.state", "model._joint(name)", 0),
        ("world.world", "from rbdyn.spatial.rotations import Array, _hidden", 1),
        ("world.world", "from rbdyn.spatial.rotations import (\n    Array,\n    _hidden,\n)", 1),
        ("spatial.frames", "from rbdyn.spatial.rotations import _hidden", 0),
        ("kernels.aba", "from rbdyn.model._model cimport CModel", 0),
    ],
)
def test_other_ways_up_are_found(name, text, count):
    assert len(reaches(name, text)) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cdef inline void f(State s) noexcept nogil:", True),
        ("from rbdyn.model.model cimport Model", True),
        ("cdef inline object f(const CModel* m):", True),
        ("cdef inline void f(CData* d, list found):", True),
        ("def f(x):", True),
        ("cpdef double f(double x) noexcept nogil:", True),
        ("    with gil:", True),
        ("import numpy as np", True),
        ("# a State\ncdef inline void f(CData* d) noexcept nogil:", False),
        ("from libc.math cimport sqrt", False),
    ],
)
def test_objects_in_kernels_are_found(text, found):
    assert bool(objects_named(text)) == found
    assert set(targets("model.state", "from rbdyn.model._model cimport CModel")) == {"model._model"}
