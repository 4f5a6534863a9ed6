"""The pages on formats do what they say, and name every element that is read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rbdyn.io.sdf.read_joints import KINDS
from rbdyn.io.sdf.read_shapes import SHAPES
from rbdyn.io.sdf.vocabulary import NOT_READ, READ
from rbdyn.io.worlds import constraints, load, read_objects, read_robots, settings
from rbdyn.io.worlds.materials import TAGS as MATERIALS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["export", "mjcf", "sdf", "world_files"])
def test_a_page_does_what_it_says(page):
    pytest.importorskip("mujoco")
    code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.DOTALL))
    said = re.findall(r"^print\(.*?#\s*(.+)$", code, re.MULTILINE)
    assert said
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == said


def test_every_element_of_world_files_is_documented():
    page = (ROOT / "docs" / "world_files.md").read_text()
    spelt_otherwise = {"timeStep", "time_step", "articulatedSystem", "height_map"}
    for tag in {*load.TAGS, *read_objects.TAGS, *constraints.TAGS, *MATERIALS} - spelt_otherwise:
        assert f"<{tag}" in page, tag
    for word in (*settings.PLAIN, "integrator", "substeps", *read_robots.OPTIONS):
        assert word in page, word


def test_every_joint_type_and_shape_of_sdf_is_documented():
    page = (ROOT / "docs" / "sdf.md").read_text()
    assert all(f"`{kind}`" in page for kind in KINDS)
    assert all(f"`<{shape}>`" in page for shape in SHAPES)


def test_every_word_of_sdf_is_documented():
    page = (ROOT / "docs" / "sdf.md").read_text()
    words = {word for tag in NOT_READ for word in NOT_READ[tag].split()} - {"frame", "axis2"}
    words |= set(READ) | {word for _, children in READ.values() for word in children.split()}
    assert [word for word in sorted(words) if f"<{word}" not in page] == []
