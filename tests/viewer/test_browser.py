"""The viewer and a saved page in a real browser: headless Chromium with WebGL in software, which takes a minute.

Run by .ci/run and with the nightly tests, or by itself: SEEDS=5 python -m pytest tests/viewer/test_browser.py
"""

import os
import time

import numpy as np
import pytest
from viewer.browser import browser, errors, picture

import rbdyn
from rbdyn import models
from rbdyn.cli.main import main
from rbdyn.models import QUADRUPED_STANCE

pytest.importorskip("viser", reason="needs viser")
slow = pytest.mark.skipif(int(os.environ.get("SEEDS", "4")) < 5, reason="takes a minute; runs with SEEDS=5 and more")


def scene():
    world = rbdyn.World(2e-3)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(QUADRUPED_STANCE.q)
    dog.set_pd_gains(250.0, 10.0)
    dog.set_pd_target(QUADRUPED_STANCE.q)
    ball = world.add_sphere(0.25, 1.0, name="ball")
    ball.set_pose((0.0, -0.8, 2.5))
    return world


def swinging():
    """What moves all the time."""
    state = rbdyn.State(rbdyn.Model(models.double_pendulum()))
    state.set([2.0, 0.5])
    return rbdyn.simulate(state, 10.0, time_step=0.01)


def part(image):
    """Where no panel is."""
    return image[150:500, 50:540].astype(int)


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.3)


def is_drawn(driver):
    """Many colours, some of them the quadruped's orange."""
    seen = part(picture(driver)).reshape(-1, 3)
    orange = (seen[:, 0] > seen[:, 2] + 60) & (seen[:, 0] > 120)
    return len(np.unique(seen // 8, axis=0)) > 60 and orange.sum() > 200


def moved(driver, before):
    """Share of the pixels that are others than before."""
    return (np.abs(part(picture(driver)) - before).max(axis=-1) > 25).mean()


def press(driver, label):
    """Click at the button of this label in the panel."""
    driver.execute_script(
        "for (const b of document.querySelectorAll('button')) if (b.innerText.trim() == arguments[0]) b.click();", label
    )


@slow
def test_in_a_browser(tmp_path, monkeypatch):
    world = scene()
    pressed = []
    with world.view(open_browser=False) as viewer, browser(tmp_path / "profile") as driver:
        viewer.add_button("call me", lambda: pressed.append(world.time))
        driver.get(viewer.address)
        wait_for(lambda: viewer.clients == 1)
        wait_for(lambda: is_drawn(driver))
        before = part(picture(driver))
        world.step(350)  # the ball falls into the picture, and beside the robot
        wait_for(lambda: moved(driver, before) > 0.005)
        press(driver, "call me")
        wait_for(lambda: viewer.poll() > 0)
        assert pressed == [world.time]
        assert errors(driver) == []
        monkeypatch.chdir(tmp_path)
        assert main(["demo", "--pages"]) == 0  # what `make demo` writes
        driver.get(f"file://{tmp_path / 'demo.png'}")
        assert is_drawn(driver)
        driver.get(f"file://{tmp_path / 'demo.html'}")
        wait_for(lambda: is_drawn(driver))
        assert errors(driver) == []
        swinging().save(tmp_path / "run.html", rate=20.0)
        driver.get(f"file://{tmp_path / 'run.html'}")
        wait_for(lambda: len(np.unique(part(picture(driver)).reshape(-1, 3) // 8, axis=0)) > 30)
        before = part(picture(driver))
        wait_for(lambda: moved(driver, before) > 0.002)  # it plays by itself
        assert errors(driver) == []
