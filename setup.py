"""Build script: four root folders, one import package.

`rbdyn/ collision/ contact/ io/` are mapped to `rbdyn`, `rbdyn.collision`,
`rbdyn.contact` and `rbdyn.io`.  Cython looks declarations up by dotted name on
disk, so they are mirrored to build/tree first; type checkers read the same
mirror.  CONTRIBUTING.md explains the layout.

Environment: RBDYN_MARCH=native tunes for this machine's processor (bits may
then differ from other machines); RBDYN_CHECKED=1 builds with bounds checks.
"""

import os
import pathlib
import shutil
import sys

import numpy
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

ROOT = pathlib.Path(__file__).resolve().parent
os.chdir(ROOT)
TOP = {"rbdyn": "rbdyn", "rbdyn.collision": "collision", "rbdyn.contact": "contact", "rbdyn.io": "io"}
PACKAGES = {
    name + sub: folder + sub.replace(".", "/")
    for name, folder in TOP.items()
    for sub in ["", *("." + package for package in find_packages(folder))]
}
MIRRORED = {".pxd", ".pxi", ".py", ".pyi", ".typed"}
CHECKED = os.environ.get("RBDYN_CHECKED", "") == "1"


def mirror() -> str:
    """Copy declarations to build/tree/rbdyn/..., keeping their times so that builds stay incremental."""
    tree = pathlib.Path("build/tree")
    kept = set()
    for name, folder in PACKAGES.items():
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
    if sys.platform == "win32":
        return ["/O2", "/fp:precise"]
    flags = ["-O3", "-fno-tree-slp-vectorize", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-unused-function"]
    if CHECKED:
        flags = ["-O1", "-g", "-ffp-contract=off", "-Wno-unused-function"]
    march = os.environ.get("RBDYN_MARCH")
    return [*flags, f"-march={march}"] if march else flags


extensions = [
    Extension(
        f"{name}.{file.stem}",
        [file.as_posix()],
        include_dirs=["rbdyn/spatial", numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_19_API_VERSION")],
        depends=["rbdyn/spatial/real.h"],
        extra_compile_args=compile_flags(),
    )
    for name, folder in PACKAGES.items()
    for file in sorted(pathlib.Path(folder).glob("*.pyx"))
]
directives = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "boundscheck": CHECKED,
    "wraparound": CHECKED,
    "initializedcheck": CHECKED,
    "cdivision": True,
}
workers = os.cpu_count() or 1
setup(
    packages=list(PACKAGES),
    package_dir=PACKAGES,
    package_data={"*": ["*.pxd", "*.pyx", "*.pyi", "*.h", "py.typed", "*.urdf"]},
    ext_modules=cythonize(
        extensions,
        include_path=[mirror()],
        build_dir="build/c",
        compiler_directives=directives,
        nthreads=0 if sys.platform == "win32" else workers,
    ),
    options={"build_ext": {"parallel": workers}},
)
