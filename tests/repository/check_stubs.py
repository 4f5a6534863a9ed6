"""A hand-written stub says what its compiled module has: mypy's stubtest.

That no stub is missing is mypy's part: it refuses an import of a compiled module without one.  Run
``python tests/repository/check_stubs.py`` after a build; it reads the mirror in build/tree and imports the modules in
place.
"""

import os
import pathlib
import sys

from mypy import stubtest

from rbdyn.batch.processor import instructions

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "tree"
ALLOWED = pathlib.Path(__file__).with_name("stubtest_allowed.txt")
HOMES = {"rbdyn": "rbdyn", "collision": "rbdyn.collision", "contact": "rbdyn.contact", "io": "rbdyn.io"}


def stubbed_modules():
    """List dotted names of the compiled modules with a stub, but for those of instructions that the processor lacks."""
    lacking = () if "avx2" in instructions() else ("_avx2",)
    for folder, package in HOMES.items():
        for source in sorted((ROOT / folder).rglob("*.pyi")):
            if source.with_suffix(".pyx").exists() and not source.stem.endswith(lacking):
                yield ".".join([package, *source.relative_to(ROOT / folder).with_suffix("").parts])


def main():
    """Exit code 1 if a stub is wrong."""
    modules = list(stubbed_modules())
    sys.path[0] = str(ROOT)
    os.chdir(TREE)
    os.environ["MYPYPATH"] = str(TREE)
    options = ["--mypy-config-file", str(ROOT / "pyproject.toml"), "--allowlist", str(ALLOWED)]
    options += ["--ignore-unused-allowlist", "--ignore-disjoint-bases"]
    return stubtest.test_stubs(stubtest.parse_options([*options, *modules]))


if __name__ == "__main__":
    sys.exit(main())
