"""Layers: a file imports from its own package and from layers below, never from above or beside.

The whole text of a file counts: imports inside functions, under TYPE_CHECKING, and cimports.  CONTRIBUTING.md gives
the reasons for each layer.  Inside packages no module imports itself by way of others; nothing reaches up by the type
of an object or by private attributes of another package; kernels and lanes name no State and no object.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOMES = {"rbdyn": "", "collision": "collision", "contact": "contact", "io": "io"}
FLOORS = {
    "errors": -2,  # the ground under the house
    "memory": -2,
    "version": -2,
    "arguments": -1,
    "spatial": 0,
    "backends": 0,
    "collision.shapes": 0.5,
    "mechanism": 1,
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
    "sensors": 6,
    "parallel": 6,
    "testing": 6,
    "cli": 6,
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
    for folder, package in HOMES.items():
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".pyx", ".pxd", ".pxi", ".pyi"}:
                inner = [*filter(None, [package]), *path.relative_to(ROOT / folder).with_suffix("").parts]
                yield ".".join(inner[:-1] if inner[-1] == "__init__" and len(inner) > 1 else inner), path


def floor(name):
    """The key of FLOORS that a dotted name falls under: the longest that begins it."""
    keys = [key for key in FLOORS if (name + ".").startswith(key + ".")]
    return max(keys, key=len) if keys else None


def imported(text):
    """Dotted names below rbdyn that a file imports or cimports; "__init__" for the package as a whole."""
    for match in FROM_ROOT.finditer(text):
        for item in (match[1] or match[2]).split(","):
            name = item.split("#")[0].split()[:1]
            if name:
                yield name[0] if floor(name[0]) else "__init__"
    yield from FROM_INSIDE.findall(text)
    if WHOLE.search(text):
        yield "__init__"


def offences(name, text):
    """What a file may not import, in words."""
    home = floor(name)
    if home is None:
        return [f"{name} is on no floor; give it one in {__name__} and CONTRIBUTING.md"]
    found = [f"{name}: relative import" for _ in RELATIVE.finditer(text)]
    for target in imported(text):
        goal = floor(target)
        if goal is None:
            found.append(f"{name} imports {target}, which is on no floor")
        elif goal != home and FLOORS[goal] >= FLOORS[home]:
            found.append(f"{name} (floor {FLOORS[home]}) imports {target} (floor {FLOORS[goal]})")
    return found


SOURCES = list(sources())


@pytest.mark.parametrize("name, path", SOURCES, ids=[str(path.relative_to(ROOT)) for _, path in SOURCES])
def test_imports_point_down(name, path):
    assert offences(name, path.read_text()) == []


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
def test_the_test_has_teeth(name, text, count):
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
CONJURED = re.compile(r"\btype\((?!self\b|cls\b|error\b)(\w+)\)\(")
IMPORTS = re.compile(r"^[ \t]*(?:from|import|cimport)[ \t][^\n]*", re.MULTILINE)
SHARED = {"_revision": "the edit counter that a Model and its mechanism share"}


def package(name):
    return name.split(".")[0]


PRIVATE_NAMES = {}
for _name, _text in MODULES.items():
    for _match in DEFINED.finditer(SAID.sub("", _text)):
        PRIVATE_NAMES.setdefault(package(_name), set()).add(_match[1] or _match[2])


def targets(name, text):
    """Modules of the library that a module imports from, itself left out."""
    for target in imported(text):
        keys = [key for key in MODULES if (target + ".").startswith(key + ".")]
        if keys and (goal := max(keys, key=len)) != name and not name.startswith(goal + "."):
            yield goal


def dependencies():
    """What each file needs: a declaration file is a node of its own, which cimports lead to and imports do not."""
    headers = {name for name, path in SOURCES if path.suffix == ".pxd"}
    graph = {}
    for name, path in SOURCES:
        if path.suffix == ".pyi":
            continue
        lines = path.read_text().splitlines()
        cimports = "\n".join(line for line in lines if " cimport " in line)
        imports = "\n".join(line for line in lines if " cimport " not in line)
        node = f"{name} (declared)" if path.suffix == ".pxd" else name
        needs = graph.setdefault(node, set())
        needs.update(f"{goal} (declared)" for goal in targets(name, cimports) if goal in headers)
        needs.update(targets(name, imports))
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
    """Ways up that are no imports, in words."""
    text = IMPORTS.sub("", SAID.sub("", text))
    found = [f"{name} makes what the type of {match[1]} says" for match in CONJURED.finditer(text)]
    for match in PRIVATE.finditer(text):
        word = match[1]
        others = [p for p, names in PRIVATE_NAMES.items() if word in names]
        if others and package(name) not in others and word not in SHARED:
            found.append(f"{name} uses {match[0]}, which is private to {', '.join(others)}")
    return found


def objects_named(text):
    """What a kernel may not name: a State, a Model or any Python object."""
    return re.findall(r"\b(?:State|Model|Placement|object|list|dict|tuple|str|cnp)\b", SAID.sub("", text))


def test_no_module_imports_itself_by_way_of_others():
    graph = dependencies()
    assert sum(map(len, graph.values())) > 300
    assert circle(graph) == []


@pytest.mark.parametrize("name", MODULES)
def test_nothing_reaches_up_by_other_ways(name):
    assert reaches(name, MODULES[name]) == []


@pytest.mark.parametrize("name", [n for n in MODULES if n.startswith("kernels.")])
def test_kernels_name_no_object(name):
    assert objects_named(MODULES[name]) == []


@pytest.mark.parametrize("name", [n for n in MODULES if n.startswith("batch.")])
def test_lanes_know_neither_model_nor_state(name):
    assert not {"model.model", "model.state"} & set(targets(name, MODULES[name]))


def test_the_tests_inside_packages_find_what_they_look_for():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert reaches("model.state", "twin = type(other)(3)") and not reaches("model.state", "twin = type(self)(3)")
    assert reaches("world.world", "state.model._joint(name)") and not reaches("model.state", "model._joint(name)")
    assert objects_named("cdef inline void f(State s)") and not objects_named("# a State\ncdef inline void f(CData* d)")
    assert set(targets("model.state", "from rbdyn.model._model cimport CModel")) == {"model._model"}
