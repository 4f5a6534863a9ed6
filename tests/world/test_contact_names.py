"""Contacts are known again by where they are: what rests on rough ground is solved once, and keeps its impulses."""

import numpy as np
import pytest

import rbdyn
from rbdyn.collision import CollisionBackend, HeightMap


def test_a_pile_on_rough_ground_keeps_its_impulses():
    """Triangles with an edge in common take turns to name a contact; solved anew each time, loads wandered for ever."""
    grid = np.linspace(-2.0, 2.0, 41)
    bowl = 0.15 * (grid[:, None] ** 2 + grid[None] ** 2)
    rough = bowl + 0.05 * np.random.default_rng(1).normal(size=bowl.shape)
    rng, world = np.random.default_rng(1), rbdyn.World(2e-3)
    world.set_default_material(friction=0.6)
    world.add_height_map(HeightMap(rough, size=(4.0, 4.0)))
    for k in range(30):
        box = world.add_box(*rng.uniform(0.05, 0.2, 3), 10 ** rng.uniform(-1.0, 1.0))
        q = rng.normal(size=4)
        box.set_pose((*rng.uniform(-0.3, 0.3, 2), 0.6 + 0.12 * k), q / np.linalg.norm(q))
    world.run(8.0)
    world.step(100)
    assert world.contact.statistics.iterations < 300 and world.contact.statistics.unconverged == 0
    before = world.problem
    world.step()
    after = world.problem
    assert before.impulse.shape == after.impulse.shape
    largest = np.abs(before.impulse).max()
    np.testing.assert_allclose(after.impulse, before.impulse, atol=1e-3 * largest)


class Renaming(CollisionBackend):
    """One contact below each of two balls, under another name in each step."""

    step = 0

    def detect(self, scene):
        self.step += 1
        scene.add_contact(0, 1, (0.0, 0.0, 0.0), (0.0, 0.0, -1.0), 0.0, 7 + self.step)
        scene.add_contact(0, 1, (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), 0.0, 1000 - self.step)


def test_names_of_a_backend_that_change_are_kept():
    """The next step begins with the impulses of the one before, and each contact with its own."""
    world = rbdyn.World(1e-3, collision=Renaming())
    world.add_ground()
    world.add_box(3.0, 1.0, 0.2, 2.0).set_pose((0.25, 0.0, 0.1))
    world.step()
    first = world.problem
    world.step(5)
    last = world.problem
    assert [tuple(key)[3] for key in last.key] == [tuple(key)[3] for key in first.key]
    assert world.contact.iterations <= 1
    np.testing.assert_allclose(last.impulse[:, 2], 2.0 * 9.81e-3 * np.array([0.75, 0.25]), rtol=1e-6)
    assert last.impulse[0, 2] == pytest.approx(3.0 * last.impulse[1, 2], rel=1e-6)
