"""Importing rbdyn loads numpy and nothing else that is heavy; what is heavy comes when a call needs it."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAVY = ["scipy", "lxml", "fcl", "trimesh", "collada", "matplotlib", "xml.etree", "multiprocessing", "asyncio"]
PACKAGES = ["rbdyn", "rbdyn.collision", "rbdyn.contact", "rbdyn.io", "rbdyn.models", "rbdyn.world", "rbdyn.cli.main"]
PACKAGES += ["rbdyn.scenery", "rbdyn.sensors"]


def loaded_by(code):
    """Which of HEAVY are loaded in a fresh interpreter after some code."""
    code = f"{code}\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_imports_are_light():
    """All packages together; what numpy itself loads is not counted against rbdyn."""
    by_numpy = loaded_by("import numpy")
    assert loaded_by("import " + ", ".join(PACKAGES)) - by_numpy == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_can_be_imported_first(package):
    """No package relies on another having been imported before it."""
    loaded_by(f"import {package}")


def test_heavy_modules_come_with_the_calls_that_need_them():
    """The negative control of the test above: a URDF does load lxml."""
    assert "lxml" in loaded_by("from rbdyn import models; models.quadruped()")
