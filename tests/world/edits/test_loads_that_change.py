"""What rests goes on resting when a load becomes less: impulses of the step before are no start for the next one."""

import numpy as np
import pytest

from rbdyn.world import World

SIZE, HEAVY = 0.2, 1000.0  # [m], [kg]


def tower(dt, heavy, height=10):
    """Cubes of 1 kg at rest on one another, one of them heavy."""
    world = World(dt)
    world.add_ground()
    cubes = [world.add_box(SIZE, SIZE, SIZE, HEAVY if k == heavy else 1.0) for k in range(height)]
    for k, cube in enumerate(cubes):
        cube.set_pose((0.0, 0.0, SIZE * (k + 0.5)))
    world.step(round(0.2 / dt))
    return world, cubes


def fastest(world, cubes, steps=20):
    """The largest speed in some steps [m/s]."""
    speed = 0.0
    for _ in range(steps):
        world.step()
        speed = max(speed, *(float(np.linalg.norm(cube.linear_velocity)) for cube in cubes))
    return speed


@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_a_tower_rests_when_one_of_its_cubes_becomes_light(dt):
    world, cubes = tower(dt, heavy=3)
    cubes[3].mass = 1.0
    assert fastest(world, cubes) < 1e-5
    floor = sum(c.force_on(cubes[0])[2] for c in world.contacts if c.position[2] < 0.5 * SIZE)
    assert floor == pytest.approx(10 * 9.81, rel=1e-4)


def test_a_tower_rests_when_its_load_is_taken_away():
    world, cubes = tower(5e-3, heavy=9)
    world.remove(cubes.pop())
    assert fastest(world, cubes) < 1e-5


def test_a_tower_rests_when_gravity_becomes_weak():
    world, cubes = tower(2e-3, heavy=9)
    world.gravity = (0.0, 0.0, -0.1)
    assert fastest(world, cubes) < 1e-5
