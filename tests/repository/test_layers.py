"""The house has floors: a file imports from its own package and from floors below, never from above or beside.

The whole text of a file counts: imports inside functions, under TYPE_CHECKING, and cimports.  CONTRIBUTING.md gives
the reasons for each floor.
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
