"""Build script: four root folders, one import package.

`rbdyn/ collision/ contact/ io/` are mapped to `rbdyn`, `rbdyn.collision`,
`rbdyn.contact` and `rbdyn.io`.  Cython looks declarations up by dotted name on
disk, so they are mirrored to build/tree first; type checkers read the same
mirror.  CONTRIBUTING.md explains the layout.

Environment: RBDYN_MARCH=native tunes for this machine's processor (bits may
then differ from other machines); RBDYN_CHECKED=1 builds with bounds checks;
RBDYN_CFLAGS is appended to the compiler's flags.
"""

import os
import pathlib
import shutil
import sys

import numpy
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

ROOT = pathlib.Path(__file__).resolve().parent
TOP = {"rbdyn": "rbdyn", "rbdyn.collision": "collision", "rbdyn.contact": "contact", "rbdyn.io": "io"}
MIRRORED = {".pxd", ".pxi", ".py", ".pyi", ".typed"}
CHECKED = os.environ.get("RBDYN_CHECKED", "") == "1"
WORKERS = os.cpu_count() or 1
DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "boundscheck": CHECKED,
    "wraparound": CHECKED,
    "initializedcheck": CHECKED,
    "cdivision": True,
}


def packages() -> dict[str, str]:
    """Package -> its folder, for the four folders and what lies below them."""
    return {
        name + sub: folder + sub.replace(".", "/")
        for name, folder in TOP.items()
        for sub in ["", *("." + package for package in find_packages(folder))]
    }


def mirror(folders: dict[str, str]) -> str:
    """Copy declarations to build/tree/rbdyn/..., keeping their times so that builds stay incremental."""
    tree = pathlib.Path("build/tree")
    kept = set()
    for name, folder in folders.items():
        target = tree.joinpath(*name.split("."))
        target.mkdir(parents=True, exist_ok=True)
        for source in pathlib.Path(folder).iterdir():
            if source.suffix in MIRRORED:
                copy = target / source.name
                kept.add(copy)
                if not copy.exists() or copy.stat().st_mtime != source.stat().st_mtime:
                    shutil.copy2(source, copy)
    for old in tree.rglob("*"):
        if old.is_file() and old not in kept:
            old.unlink()
    return str(tree)


def compile_flags() -> list[str]:
    """Flags that keep results equal on every machine of one kind: no contraction, no fast-math.

    Packing scalar struct fields into vectors (slp-vectorize) costs the kernels 10 to 20 % in stalled loads.
    """
    extra = os.environ.get("RBDYN_CFLAGS", "").split()
    if sys.platform == "win32":
        return ["/O2", "/fp:precise", *extra]
    flags = ["-O3", "-fno-tree-slp-vectorize", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
    if CHECKED:
        flags = ["-O1", "-g", "-ffp-contract=off"]
    march = os.environ.get("RBDYN_MARCH")
    return [*flags, "-Wno-unused-function", *([f"-march={march}"] if march else []), *extra]


def extensions(folders: dict[str, str]) -> list[Extension]:
    """One extension module for each .pyx."""
    return [
        Extension(
            f"{name}.{file.stem}",
            [file.as_posix()],
            include_dirs=["rbdyn/spatial", numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_19_API_VERSION")],
            depends=["rbdyn/spatial/real.h", "rbdyn/spatial/rows.h", "setup.py"],
            extra_compile_args=compile_flags(),
        )
        for name, folder in folders.items()
        for file in sorted(pathlib.Path(folder).glob("*.pyx"))
    ]


class BuildExt(build_ext):
    """Mirror and cythonize when something is compiled, so that asking for metadata or an sdist compiles nothing."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.in_source = bool(self.inplace)

    def build_extension(self, ext: Extension) -> None:
        """Keep what is up to date beside the sources: an editable install would compile it again elsewhere."""
        package, _, _ = ext.name.rpartition(".")
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        present = pathlib.Path(packages()[package], target.name)
        if self.in_source and present.exists() and not newer_group([*ext.sources, *ext.depends], str(present)):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(present, target)
        else:
            super().build_extension(ext)

    def run(self) -> None:
        built = cythonize(
            self.extensions,
            include_path=[mirror(packages())],
            build_dir="build/c",
            compiler_directives=DIRECTIVES,
            nthreads=0 if sys.platform == "win32" else WORKERS,
        )
        for extension, done in zip(self.extensions, built, strict=True):
            extension.sources, extension.depends = done.sources, done.depends
        super().run()


if __name__ == "__main__":  # worker processes of cythonize may import this file again
    os.chdir(ROOT)
    FOLDERS = packages()
    setup(
        packages=list(FOLDERS),
        package_dir=FOLDERS,
        package_data={"*": ["*.pxd", "*.pyx", "*.pyi", "*.h", "py.typed", "*.urdf"]},
        ext_modules=extensions(FOLDERS),
        cmdclass={"build_ext": BuildExt},
        options={"build_ext": {"parallel": WORKERS}},
    )
