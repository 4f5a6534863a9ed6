"""Build script: four root folders, one import package.

`rbdyn/ collision/ contact/ io/` are mapped to `rbdyn`, `rbdyn.collision`,
`rbdyn.contact` and `rbdyn.io`.  Cython looks declarations up by dotted name on
disk, so they are mirrored to build/tree first; type checkers read the same
mirror.  CONTRIBUTING.md explains the layout.

Environment: RBDYN_MARCH=native tunes for this machine's processor (bits may
then differ from other machines); RBDYN_CHECKED=1 builds with bounds checks;
RBDYN_SANITIZE=address,undefined builds for the sanitizers of GCC and Clang
(CONTRIBUTING.md says how to run them); RBDYN_CFLAGS is appended to the
compiler's flags.  Changed flags compile everything anew, and translate it if they concern Cython.
"""

import gc
import os
import pathlib
import platform
import re
import shutil
import sys
import threading

import numpy
from Cython import Utils
from Cython.Build import Dependencies, cythonize
from Cython.Compiler import AutoDocTransforms
from Cython.Compiler.StringEncoding import EncodedString
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel
from setuptools.modified import newer_group

ROOT = pathlib.Path(__file__).resolve().parent
TREE = pathlib.Path("build/tree")
TOP = {"rbdyn": "rbdyn", "rbdyn.collision": "collision", "rbdyn.contact": "contact", "rbdyn.io": "io"}
MIRRORED = {".pxd", ".pxi", ".py", ".pyi", ".typed"}
CHECKED = os.environ.get("RBDYN_CHECKED", "") == "1"
SANITIZE = os.environ.get("RBDYN_SANITIZE", "")
MARCH = os.environ.get("RBDYN_MARCH", "")
EXTRA = os.environ.get("RBDYN_CFLAGS", "").split()
FLAGS_FILE = pathlib.Path("build/flags.txt")  # with what the tree was translated to C, and compiled
WORKERS = os.cpu_count() or 1
HEADERS = ["rbdyn/spatial/real.h", "rbdyn/spatial/rows.h", "rbdyn/pool.h"]  # of all modules
DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "embedsignature.format": "clinic",  # docstrings without a first line that repeats the signature
    "boundscheck": CHECKED,
    "wraparound": CHECKED,
    "initializedcheck": CHECKED,
    "cdivision": True,
}


class EmbedSignature(AutoDocTransforms.EmbedSignature):
    """Adds what Cython's "clinic" format leaves out: the signature of a cdef class, for inspect.signature and help.

    Python looks for it at the head of the class's docstring, and does not show it there.
    """

    def visit_DefNode(self, node):
        node = super().visit_DefNode(node)
        cdef_class = getattr(self.class_node, "class_name", None)
        if cdef_class and node.name == "__init__" and self.current_directives["embedsignature"]:
            scope = self.class_node.entry.type.scope
            positional = len(node.args) - node.num_kwonly_args - node.num_posonly_args
            parts = (node.num_posonly_args, positional, node.star_arg, node.num_kwonly_args, node.starstar_arg)
            arguments = ", ".join(self._fmt_arglist(node.args, *parts, hide_self=True))
            scope.doc = EncodedString(f"{cdef_class}({arguments})\n--\n\n{scope.doc or ''}")
        return node


AutoDocTransforms.EmbedSignature = EmbedSignature  # here, as worker processes import this file


def find_pxd(tree, module, filename=None, search=Dependencies.DependencyTree.find_pxd):
    """Cython's search for what a file cimports, knowing where ours are: it looks into 160,000 folders otherwise."""
    if not module.startswith("rbdyn."):
        return search(tree, module, filename)
    path = TREE.joinpath(*module.split("."))
    found = (str(one) for one in (path.with_suffix(".pxd"), path / "__init__.pxd") if Utils.path_exists(str(one)))
    return next(found, None)


def parse_dependencies(path, parse=Dependencies.parse_dependencies):
    """Cython's list of what a file cimports, with modules that it names as ``from package cimport module``.

    Cython 3 finds names after ``cimport`` in parentheses alone: a change of such a module rebuilt nothing.
    """
    cimports, *others = parse(path)
    text = pathlib.Path(path).read_text("utf-8")
    for package, names in re.findall(r"^from (rbdyn[\w.]*) cimport (\w[\w, ]*)$", text, re.MULTILINE):
        cimports = [*cimports, *(f"{package}.{name.split()[0]}" for name in names.split(","))]
    return cimports, *others


Dependencies.DependencyTree.find_pxd = find_pxd
Dependencies.parse_dependencies = parse_dependencies


def packages() -> dict[str, str]:
    """Package -> its folder, for the four folders and what lies below them."""
    return {
        name + sub: folder + sub.replace(".", "/")
        for name, folder in TOP.items()
        for sub in ["", *("." + package for package in find_packages(folder))]
    }


def mirror(folders: dict[str, str]) -> str:
    """Copy declarations to build/tree/rbdyn/..., keeping their times so that builds stay incremental."""
    kept = set()
    for name, folder in folders.items():
        target = TREE.joinpath(*name.split("."))
        target.mkdir(parents=True, exist_ok=True)
        for source in pathlib.Path(folder).iterdir():
            if source.suffix in MIRRORED:
                copy = target / source.name
                kept.add(copy)
                if not copy.exists() or copy.stat().st_mtime != source.stat().st_mtime:
                    shutil.copy2(source, copy)
    for old in TREE.rglob("*"):
        if old.is_file() and old not in kept:
            old.unlink()
    return str(TREE)


def types_folder() -> pathlib.Path:
    """A folder that holds the mirror as `rbdyn-stubs`, where type checkers look first and Python never (PEP 561)."""
    types = ROOT / "build" / "types"
    stubs = types / "rbdyn-stubs"
    shutil.rmtree(stubs, ignore_errors=True)
    stubs.mkdir(parents=True)
    if sys.platform != "win32":  # there a link needs rights that few have
        for path in (ROOT / "build" / "tree" / "rbdyn").iterdir():
            name = "__init__.pyi" if path.name == "__init__.py" else path.name  # mypy asks for it at the top
            (stubs / name).symlink_to(path)
    return types


def compile_flags() -> list[str]:
    """Flags that keep results equal on every machine of one kind: no contraction, no fast-math.

    Packing scalar struct fields into vectors (slp-vectorize) costs the kernels 10 to 20 % in stalled loads.  Loading
    what all joint types need before asking for the type (code-hoisting) costs 4 %: more than the registers hold.
    """
    if sys.platform == "win32":
        return ["/O2", "/fp:precise", *EXTRA]
    flags = ["-O3", "-g0", "-fno-tree-slp-vectorize", "-fno-code-hoisting", "-ffp-contract=off", "-fno-math-errno"]
    flags += ["-fno-trapping-math", "-Wno-ignored-optimization-argument"]
    if CHECKED or SANITIZE:
        flags = ["-O1", "-g", "-ffp-contract=off"]
    if SANITIZE:
        flags += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    silent = ["-Wno-unused-function", "-Wno-psabi", "-Wno-attributes"]
    return [*flags, *silent, *([f"-march={MARCH}"] if MARCH else []), *EXTRA]


def link_flags() -> list[str]:
    """Threads; nothing for debuggers in the modules: a third of their size."""
    if SANITIZE:
        return [f"-fsanitize={SANITIZE}"]
    if not sys.platform.startswith("linux"):
        return []
    return ["-pthread"] if CHECKED else ["-pthread", "-Wl,-s"]


def lanes(module: str) -> list[tuple[str, str]]:
    """The macro that makes `real` a vector in a module of rbdyn.batch; MSVC has no vectors, and no such modules."""
    return [("LANES", "4")] if module in INSTRUCTIONS else []


# What rbdyn.batch chooses at run time where the processor has it.  Nothing fuses a product with a sum, so that the bits
# are those of one state at a time.
INSTRUCTIONS = {"lanes4_avx2": ["-mavx2"]}
# Packages that edit, copy and show, and run no loop over numbers: -O1 compiles them in half of the time, and they are
# as quick.
COLD = ("rbdyn.contact.views", "rbdyn.mechanism", "rbdyn.scenery", "rbdyn.testing", "rbdyn.world.constraints",
        "rbdyn.world.edits", "rbdyn.world.objects", "rbdyn.world.queries", "rbdyn.world.registry",
        "rbdyn.world.snapshot", "rbdyn.world.surgery")  # fmt: skip


# Structs of vectors are large: GCC would keep them in memory, and call what takes or returns them.  ABA takes .45 of
# the time with these.
LARGE = {"sra-max-scalarization-size-Ospeed": 8192, "large-function-growth": 10000, "inline-unit-growth": 1000}
LARGE["max-inline-insns-single"] = 500
# What Cython writes for typed memoryviews, once: each of 29 modules would have it, 100 kB and 3 s to compile.
SHARED = "rbdyn._memoryviews"


def lane_flags(module: str) -> list[str]:
    """Those of a module of lanes."""
    large = LARGE if lanes(module) and sys.platform == "linux" else {}
    return [*(f"--param={name}={value}" for name, value in large.items()), *INSTRUCTIONS.get(module, [])]


def is_built(module: str) -> bool:
    """Whether this machine's compiler can make a module of rbdyn.batch."""
    return module not in INSTRUCTIONS or sys.platform != "win32" and platform.machine() in ("x86_64", "AMD64")


def cold_flags() -> list[str]:
    """List the flags of what runs no loop over numbers; of two levels of optimisation the later one counts."""
    return ["-O1"] if sys.platform != "win32" else []


def module_flags(package: str, module: str) -> list[str]:
    """List the flags of one module."""
    return [*(cold_flags() if package in COLD else []), *lane_flags(module)]


def extensions(folders: dict[str, str]) -> list[Extension]:
    """One extension module for each .pyx, and the one that Cython writes for all of them."""
    arguments = {"extra_compile_args": [*compile_flags(), *cold_flags()], "extra_link_args": link_flags()}
    modules = [Extension(SHARED, [SHARED.replace(".", "/") + ".c"], **arguments)]
    modules += [
        Extension(
            f"{name}.{file.stem}",
            [file.as_posix()],
            include_dirs=["rbdyn", "rbdyn/spatial", numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_19_API_VERSION"), *lanes(file.stem)],
            depends=[*HEADERS, *map(str, sorted(file.parent.glob("*.h")))],
            extra_compile_args=[*compile_flags(), *module_flags(name, file.stem)],
            extra_link_args=link_flags(),
        )
        for name, folder in folders.items()
        for file in sorted(pathlib.Path(folder).glob("*.pyx"))
        if is_built(file.stem)
    ]
    return modules


class Progress:
    """Which modules were compiled: one line that grows on a terminal, a line each elsewhere, nothing when quiet."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._total, self._done, self._lock = total, 0, threading.Lock()
        self._terminal, self._quiet = sys.stderr.isatty(), quiet

    def say(self, what: str) -> None:
        """A text, over the last one on a terminal."""
        if self._terminal:
            print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)
        elif not self._quiet:
            print(what, flush=True)

    def count(self, module: str) -> None:
        """Another module is compiled."""
        with self._lock:
            self._done += 1
            self.say(f"[{self._done}/{self._total}] {module}")

    def end(self) -> None:
        """Leave the terminal's line empty."""
        if self._terminal:
            self.say("")


class BuildExt(build_ext):
    """Mirror and cythonize when something is compiled, so that asking for metadata or an sdist compiles nothing."""

    def initialize_options(self) -> None:
        """Compile in parallel, also where setuptools runs it as a part of an editable install, without our options."""
        super().initialize_options()
        self.parallel = WORKERS

    def finalize_options(self) -> None:
        super().finalize_options()
        self.in_source = bool(self.inplace)
        self.progress = Progress(len(self.extensions or ()), quiet=not self.distribution.verbose)

    def build_extension(self, ext: Extension) -> None:
        """Keep what is up to date beside the sources: an editable install would compile it again elsewhere."""
        package, _, _ = ext.name.rpartition(".")
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        present = pathlib.Path(packages()[package], target.name)
        newer = self.force or newer_group([*ext.sources, *ext.depends], str(present))
        if self.in_source and present.exists() and not newer:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(present, target)
        else:
            super().build_extension(ext)
        self.progress.count(ext.name)

    def run(self) -> None:
        directives, flags = repr((SHARED, sorted(DIRECTIVES.items()))), repr((compile_flags(), link_flags()))
        before = FLAGS_FILE.read_text().splitlines() if FLAGS_FILE.exists() else []
        translated = before[:1] == [directives] and not self.force
        if before != [directives, flags]:
            self.force = True
        self.progress.say("translating Cython to C")
        gc.set_threshold(200_000, 20, 20)  # the translators are forks of this process: a third less time
        built = cythonize(
            self.extensions,
            include_path=[mirror(packages())],
            build_dir="build/c",
            compiler_directives=DIRECTIVES,
            nthreads=0 if sys.platform == "win32" else WORKERS,
            force=not translated,
            quiet=True,
            shared_utility_qualified_name=SHARED,
        )
        for extension, done in zip(self.extensions, built, strict=True):
            extension.sources, extension.depends = done.sources, done.depends
        super().run()
        FLAGS_FILE.write_text(f"{directives}\n{flags}\n")
        self.progress.end()


class ForTypeCheckers:
    """What setuptools does for an editable install, and a path for type checkers, which run no import hooks."""

    def __init__(self, strategy) -> None:
        self.strategy = strategy

    def __enter__(self):
        return self.strategy.__enter__()

    def __exit__(self, *error):
        return self.strategy.__exit__(*error)

    def __call__(self, wheel, files, mapping) -> None:
        self.strategy(wheel, files, mapping)
        wheel.writestr("__editable__.rbdyn_types.pth", f"{types_folder()}\n".encode())


class EditableWheel(editable_wheel):
    def _select_strategy(self, *args, **options):
        return ForTypeCheckers(super()._select_strategy(*args, **options))


if __name__ == "__main__":  # worker processes of cythonize may import this file again
    os.chdir(ROOT)
    FOLDERS = packages()
    setup(
        packages=list(FOLDERS),
        package_dir=FOLDERS,
        package_data={"*": ["*.pxd", "*.pxi", "*.pyx", "*.pyi", "*.h", "py.typed", "*.urdf"]},
        ext_modules=extensions(FOLDERS),
        cmdclass={"build_ext": BuildExt, "editable_wheel": EditableWheel},
    )
