"""Every compiled module that has something for Python has a hand-written stub beside it, with every public name."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOMES = {"rbdyn": "rbdyn", "collision": "rbdyn.collision", "contact": "rbdyn.contact", "io": "rbdyn.io"}
VISIBLE = re.compile(r"^(?:def|cpdef|class|cdef class)\s", re.MULTILINE)
COMPILED = {
    ".".join([package, *path.relative_to(ROOT / folder).with_suffix("").parts]): path
    for folder, package in HOMES.items()
    for path in sorted((ROOT / folder).rglob("*.pyx"))
}
PUBLIC = [name for name, path in COMPILED.items() if path.name[0] != "_" and VISIBLE.search(path.read_text("utf-8"))]
PACKAGES = [
    "rbdyn",
    "rbdyn.algorithms",
    "rbdyn.collision",
    "rbdyn.contact",
    "rbdyn.io",
    "rbdyn.mechanism",
    "rbdyn.model",
    "rbdyn.spatial",
    "rbdyn.world",
]


def stubbed_names(path):
    """Names that a stub or a source file defines at its top."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return found


def test_there_are_compiled_modules():
    assert {"rbdyn.model.model", "rbdyn.collision.backends.native", "rbdyn.contact.solver"} <= set(PUBLIC)


@pytest.mark.parametrize("module", PUBLIC)
def test_has_a_stub_with_every_name(module):
    stub = COMPILED[module].with_suffix(".pyi")
    assert stub.exists(), f"{module} has no stub"
    runtime = importlib.import_module(module)
    own = {name for name, value in vars(runtime).items() if getattr(value, "__module__", None) == module}
    missing = {name for name in own if name[0] != "_"} - stubbed_names(stub)
    assert own and not missing, f"{stub.name} lacks {sorted(missing)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_of_a_compiled_module_is_stubbed(package):
    exporter = importlib.import_module(package)
    for name in exporter.__all__:
        home = getattr(getattr(exporter, name), "__module__", None)
        if home in COMPILED:
            assert name in stubbed_names(COMPILED[home].with_suffix(".pyi")), f"{package}.{name} is not in the stub"


@pytest.mark.parametrize("stub", [p for folder in HOMES for p in sorted((ROOT / folder).rglob("*.pyi"))], ids=str)
def test_no_stub_without_its_module(stub):
    assert stub.with_suffix(".pyx").exists()
