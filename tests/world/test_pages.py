"""The manual's pages on a World in use do what they say."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
ROBOT = """
import numpy as np
import rbdyn
from rbdyn import Geometry, SpatialInertia, Transform, models
from rbdyn.collision import Box, Sphere

world = rbdyn.World(time_step=0.001)
ground = world.add_ground()
robot = world.add_articulated_system(models.path("quadruped"))
robot.set_state(models.QUADRUPED_STANCE.q)
robot.set_pd_gains(p=250.0, d=10.0)
world.step(50)
T = Transform(translation=(0, 0, 0.01))
"""
CALLERS = """
called = []
def controller(world): called.append("controller")
def camera(world): called.append("camera")
"""


def run(page, before="", after=""):
    """All Python blocks of a page, in order, in one namespace."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    names = {}
    for block in (before, *blocks, after):
        exec(block, names)
    return names


def said(page):
    return re.findall(r"^print\(.*#\s*(.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)


def test_the_world(capsys):
    """Schedules were called as their rates say; prints say what stands beside them."""
    names = run("world.md", ROBOT + CALLERS)
    assert capsys.readouterr().out.splitlines() == said("world.md")
    assert names["called"].count("camera") >= 299 and names["called"].count("controller") >= 1999


def test_handles():
    names = run("handles.md", ROBOT)
    robot = names["robot"]
    assert robot.body("LF_SHANK").mass == 2.0
    assert robot.contacts_per_self_pair == 1 and robot.collide_with_parent is False
    names["world"].step(10)


def test_control(capsys):
    run("control.md")
    assert capsys.readouterr().out.splitlines() == said("control.md")


def test_surgery(capsys):
    page = "surgery.md"
    code = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    assert len(code) == 1
    exec(code[0], {})
    assert capsys.readouterr().out.splitlines() == said(page)


@pytest.mark.parametrize("page", ["world.md", "handles.md", "control.md", "surgery.md"])
def test_prints_say_something(page):
    assert len(said(page)) >= (0 if page == "handles.md" else 2)
