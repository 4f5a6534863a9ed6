"""Towers that are kicked, and loads that slide."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver
from rbdyn.world import World


def tower(world, height, kick=0.02, shape="box", seed=0, friction=0.8):
    """Bodies of 0.2 m and 1 kg on one another, which rest for a tenth of a second and are kicked."""
    rng = np.random.default_rng(seed)
    world.add_ground()
    world.set_default_material(friction)
    add = {"box": lambda: world.add_box(0.2, 0.2, 0.2, 1.0), "cylinder": lambda: world.add_cylinder(0.1, 0.2, 1.0)}[
        shape
    ]
    bodies = [add() for _ in range(height)]
    for k, body in enumerate(bodies):
        body.set_pose((0.0, 0.0, 0.2 * (k + 0.5)))
    world.step(round(0.1 / world.time_step))
    for body in bodies:
        body.set_velocity(kick * rng.normal(size=3), 3 * kick * rng.normal(size=3))
    return bodies


def energy(bodies):
    return sum(body.kinetic_energy + body.potential_energy for body in bodies)


@pytest.mark.parametrize("shape", ["box", "cylinder"])
@pytest.mark.parametrize(
    ("dt", "height", "kick"), [(1e-3, 15, 0.02), (1e-3, 25, 0.02), (2e-3, 25, 0.05), (2e-3, 40, 0.02)]
)
def test_towers_that_were_kicked_come_to_rest(shape, dt, height, kick):
    """Kicked towers never gain energy, and rest after two seconds."""
    for seed in range(2):
        world = World(dt)
        bodies = tower(world, height, kick, shape, seed)
        most = energy(bodies)
        for _ in range(round(2.0 / dt)):
            world.step()
            assert energy(bodies) <= most
        assert world.contact.converged
        assert max(np.linalg.norm(body.linear_velocity) for body in bodies) < 1e-5
        assert max(np.hypot(*body.position[:2]) for body in bodies) < 0.1
        np.testing.assert_allclose([body.position[2] for body in bodies], 0.2 * (np.arange(height) + 0.5), atol=1e-3)


def test_precise_towers_rest():
    """So do they with a number as the threshold."""
    world = World(2e-3, contact=BisectionSolver(threshold=1e-8))
    bodies = tower(world, 25, seed=2)
    world.step(1000)
    assert max(np.linalg.norm(body.linear_velocity) for body in bodies) < 1e-5


@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_a_brick_that_is_pushed_out_leaves_its_load_behind(dt):
    """A plank on three bricks, the middle one of which is pushed: friction of the two others is twice what drags."""
    world = World(dt)
    world.add_ground()
    world.set_default_material(0.5)
    world.set_material_pair("slip", "default", friction=0.0)
    bricks = [world.add_box(0.1, 0.05, 0.05, 0.2) for _ in range(3)]
    for k, brick in enumerate(bricks):
        brick.set_pose((0.0, 0.1 * (k - 1), 0.025))
    plank = world.add_box(0.1, 0.3, 0.02, 10.0)
    plank.set_pose((0.0, 0.0, 0.06))
    for k in range(4):
        world.add_box(0.04, 0.04, 0.04, 0.1).set_pose((0.0, 0.08 * k - 0.12, 0.09))
    pusher = world.add_box(0.02, 0.01, 0.03, body_type="kinematic", material="slip")
    pusher.set_pose((-0.0601, 0.0, 0.025))
    world.step(round(0.3 / dt))
    pusher.set_velocity((0.005, 0.0, 0.0))
    world.step(round(2.0 / dt))
    assert bricks[1].position[0] > 0.0095
    assert all(abs(body.position[0]) < 2e-4 for body in (plank, bricks[0], bricks[2]))
