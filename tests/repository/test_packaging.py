"""Wheel, sdist -> wheel, editable and in-place installs: each gives all four packages outside the source tree.

The sdist is built from a copy of the tree and everything else from the sdist; of its modules a few are compiled here,
and the others are those that were built in this tree from the same sources.  Nothing is downloaded: the new environment
borrows this interpreter's site-packages for what rbdyn depends on.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

import rbdyn

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = [
    *("rbdyn", "collision", "contact", "io", "tests", "examples", "docs"),
    *("setup.py", "pyproject.toml", "MANIFEST.in", "Makefile", "LICENSE"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
]
MADE = shutil.ignore_patterns("__pycache__", "_build", "*.so", "*.pyd")
PROBE = """
import pathlib
import re
import rbdyn
from rbdyn import collision, contact, io, models
from rbdyn.world import World
world = World(time_step=0.002)
world.add_ground()
robot = world.add_articulated_system(models.quadruped())
world.step(10)
assert robot.nv == 18 and world.time > 0.019
for module in (rbdyn, collision, contact, io):
    print(pathlib.Path(module.__file__).resolve().parent)
"""

pytest.importorskip("Cython", reason="compiling needs Cython")
pytest.importorskip("setuptools", minversion="77", reason="compiling needs setuptools >= 77")


def run(*command, cwd):
    """Run a command; its output, or a failure that shows it."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=inherited | {"PIP_NO_INDEX": "1"},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def compiled_modules():
    """Where each goes below site-packages, and where it is in this tree."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for folder in ("rbdyn", "collision", "contact", "io"):
        home = pathlib.Path("rbdyn") if folder == "rbdyn" else pathlib.Path("rbdyn", folder)
        for source in sorted((ROOT / folder).rglob("*.pyx")):
            module = source.with_name(source.stem + suffix)
            if module.exists():
                yield home / module.relative_to(ROOT / folder), module


def new_environment(folder, *more):
    """A virtual environment without pip that sees this interpreter's packages, no editable ones, and more folders."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder.parent).strip()
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (pathlib.Path(site) / "borrowed.pth").write_text("\n".join([*map(str, more), *sorted(borrowed)]) + "\n")
    return python


def install(python, *what, cwd):
    """pip install into that environment, without dependencies and without a network."""
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*pip, "--force-reinstall", *what, cwd=cwd)


def places(python, cwd):
    """Folders from which an environment imports the four packages; it has simulated a robot then."""
    lines = run(python, "-c", PROBE, cwd=cwd).splitlines()
    assert len(lines) == 4
    return [pathlib.Path(line) for line in lines]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("packaging")


@pytest.fixture(scope="module")
def sdist(work):
    """A source archive, built from a copy of the tree without anything compiled."""
    copy = work / "copy"
    copy.mkdir()
    for name in KEPT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=MADE)
        else:
            shutil.copy2(source, copy)
    code = "from setuptools import build_meta; build_meta.build_sdist('dist')"
    run(sys.executable, "-c", code, cwd=copy)
    return next((copy / "dist").glob("rbdyn-*.tar.gz"))


@pytest.fixture(scope="module")
def unpacked(sdist, work):
    """The source archive, and what was built of the same sources here, if it was, but for every 96th module."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    tree = work / sdist.name.removesuffix(".tar.gz")
    flags = ROOT / "build" / "flags.txt"
    if flags.exists() and (ROOT / "build" / "c").is_dir():
        shutil.copytree(ROOT / "build" / "c", tree / "build" / "c")
        shutil.copy2(flags, tree / "build")
        built = tree / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
        for k, (home, path) in enumerate(compiled_modules()):
            if k % 96:
                (built / home).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, built / home)
    return tree


@pytest.fixture(scope="module")
def wheel(unpacked, work):
    """A wheel, built from the source archive."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", work / "wheels", ".", cwd=unpacked)
    return next((work / "wheels").glob("rbdyn-*.whl"))


def expected_files():
    """Name inside the wheel of every source, declaration, stub and data file, and whether it is compiled."""
    for folder in ("rbdyn", "collision", "contact", "io"):
        home = pathlib.PurePosixPath("rbdyn") if folder == "rbdyn" else pathlib.PurePosixPath("rbdyn", folder)
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".pxd", ".pyx", ".pyi", ".h", ".typed", ".urdf"}:
                yield str(home / path.relative_to(ROOT / folder).as_posix()), path.suffix == ".pyx"


def test_sdist_is_complete(sdist):
    """Every source, tests and papers, and nothing compiled."""
    with tarfile.open(sdist) as archive:
        found = {pathlib.PurePosixPath(*pathlib.PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    wanted = [pathlib.PurePosixPath(name) for name in KEPT]
    for folder in ("rbdyn", "collision", "contact", "io", "tests", "examples"):
        paths = [p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
        wanted += [pathlib.PurePosixPath(p.relative_to(ROOT)) for p in paths if p.suffix not in {".so", ".pyd"}]
    assert len(wanted) > 400
    assert [str(name) for name in wanted if name not in found] == []
    assert [str(name) for name in found if name.suffix in {".so", ".c", ".pyd"}] == []


def test_wheel_is_complete(wheel):
    """Whatever lies in the four folders: for import, for cimport, for type checkers, and the robots."""
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {name.split(".")[0] for name in names if name.endswith((".so", ".pyd"))}
    wanted = list(expected_files())
    assert {"rbdyn/py.typed", "rbdyn/spatial/real.h", "rbdyn/models/quadruped.urdf"} <= {name for name, _ in wanted}
    for name, compiled in wanted:
        assert name in names, name
        assert not compiled or name.removesuffix(".pyx") in modules, name
    assert not [name for name in names if name.startswith(("collision", "contact", "io", "tests", "examples"))]


def test_one_version():
    """That of the code is the one on top of the changelog."""
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == rbdyn.__version__


def test_metadata(wheel):
    """Version, licence and dependencies as the wheel states them."""
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(n for n in archive.namelist() if n.endswith("METADATA"))).decode()
    stated = (f"Version: {rbdyn.__version__}", "Requires-Python: >=3.10", "License-Expression: MIT")
    for line in ("Name: rbdyn", *stated, "Requires-Dist: lxml"):
        assert f"\n{line}" in metadata
    for package in ("numpy", "scipy", "python-fcl"):
        assert f"\nRequires-Dist: {package}" in metadata
    assert "Requires-Dist: Cython" not in metadata


def test_wheel_works(wheel, work):
    """In a new environment, where there is also a command `rbdyn`."""
    python = new_environment(work / "for_wheel")
    install(python, wheel, cwd=work)
    assert all((work / "for_wheel") in place.parents for place in places(python, cwd=work))
    assert "COMMAND" in run(python, "-m", "rbdyn", "--help", cwd=work)
    assert run(python.with_name("rbdyn" + python.suffix), "--version", cwd=work) == f"rbdyn {rbdyn.__version__}\n"


def test_third_parties_can_cimport(wheel, work):
    """A module of a third party, compiled against the installed declarations."""
    site = work / "site"
    zipfile.ZipFile(wheel).extractall(site)
    third_party = work / "third_party"
    third_party.mkdir()
    (third_party / "third_party.pyx").write_text(
        "from rbdyn.spatial._algebra cimport vec3, cross3, Vec3\n"
        "def z_of_cross():\n"
        "    cdef Vec3 c = cross3(vec3(1, 2, 0), vec3(3, 4, 0))\n"
        "    return c.z\n"
    )
    (third_party / "setup.py").write_text(
        "from setuptools import Extension, setup\n"
        "from Cython.Build import cythonize\n"
        f"include = [{str(site / 'rbdyn' / 'spatial')!r}]\n"
        "extension = Extension('third_party', ['third_party.pyx'], include_dirs=include)\n"
        f"setup(name='third_party', ext_modules=cythonize([extension], include_path=[{str(site)!r}]))\n"
    )
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=third_party)
    code = "import third_party; print(third_party.z_of_cross())"
    assert run(sys.executable, "-c", code, cwd=third_party).split() == ["-2.0"]


def modification_times(tree):
    """Object files of the compiler -> when they were written."""
    return {path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o*")}


def test_in_place_works(unpacked, work):
    """build_ext --inplace; a second time it compiles nothing."""
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=unpacked)
    where = [unpacked / name for name in ("rbdyn", "collision", "contact", "io")]
    python = new_environment(work / "for_in_place", unpacked)
    assert places(python, cwd=work) == where
    assert places(python, cwd=unpacked) == where
    built = modification_times(unpacked)
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=unpacked)
    assert built and built == modification_times(unpacked)


@pytest.mark.parametrize("mode", ["lenient", "strict", "compat"])
def test_editable_works(unpacked, work, mode):
    """Each editable mode of setuptools imports from the source tree, or in strict mode from links to it."""
    python = new_environment(work / f"for_{mode}")
    install(python, "-e", ".", "--config-settings", f"editable_mode={mode}", cwd=unpacked)
    assert all(unpacked in place.parents or place == unpacked for place in places(python, cwd=work))
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=work).strip()
    paths = [line for file in pathlib.Path(site).glob("*.pth") for line in file.read_text().splitlines()]
    stubs = [pathlib.Path(path, "rbdyn-stubs") for path in paths if pathlib.Path(path, "rbdyn-stubs").exists()]
    assert len(stubs) == 1 or sys.platform == "win32", "type checkers run no import hooks"
    for name in ("py.typed", "io/urdf/load.py", "models/__init__.py", "world/world.pyi", "contact/solver.pyi"):
        assert all((folder / name).exists() for folder in stubs)


def test_modules_named_after_cimport_are_rebuilt_from():
    """``from package cimport module``: Cython alone finds the package, and changes of the module rebuilt nothing."""
    from Cython.Build import Dependencies

    source = ast.parse((ROOT / "setup.py").read_text("utf-8"))
    function = next(x for x in source.body if isinstance(x, ast.FunctionDef) and x.name == "parse_dependencies")
    found = {"pathlib": pathlib, "re": re, "Dependencies": Dependencies}
    exec(compile(ast.Module([function], []), "setup.py", "exec"), found)
    cimports = found["parse_dependencies"](str(ROOT / "contact" / "solve" / "newton.pyx"))[0]
    assert {"rbdyn.contact.laws.cone", "rbdyn.contact.laws.disc", "rbdyn.contact.solve.factor"} <= set(cimports)
