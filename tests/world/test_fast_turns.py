"""Bodies that turn by tenths of a radian in a step while they touch the ground: they go on, and make no energy."""

import numpy as np
import pytest
from world.scenes import World, random_quat

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, Ellipsoid
from rbdyn.mechanism import Geometry

GRAVITY = 9.81


def prism(corners, radius, half_width):
    """The hull of a prism that stands on a face, its axis along y."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False) - 0.5 * np.pi + np.pi / corners
    return ConvexHull([[radius * np.cos(a), y, radius * np.sin(a)] for a in angles for y in (-half_width, half_width)])


def ball_of_corners():
    points = np.random.default_rng(1).normal(size=(30, 3))
    points *= 0.1 / np.linalg.norm(points, axis=1)[:, None]
    return ConvexHull(np.vstack([points, -points]))


def shape_of(name):
    """A shape, and one like it whose inertia is known."""
    if name == "hull":
        return ball_of_corners(), Ellipsoid((0.1, 0.1, 0.1))
    shape = {"plank": Box((0.4, 0.05, 0.02)), "rod": Cylinder(0.01, 0.4), "disc": Cylinder(0.1, 0.01),
             "cylinder": Cylinder(0.1, 0.2), "capsule": Capsule(0.02, 0.3),
             "ellipsoid": Ellipsoid((0.1, 0.07, 0.05))}[name]  # fmt: skip
    return shape, shape


def energy(body):
    return body.kinetic_energy + body.potential_energy


def share_of_way(world, body):
    """How far it moves in a step, over what the smaller one of its speeds before and after makes of it."""
    start, speed = body.position, np.linalg.norm(body.linear_velocity)
    world.step()
    speed = min(speed, np.linalg.norm(body.linear_velocity))
    return np.linalg.norm(body.position - start) / (speed * world.time_step) if speed > 0.3 else 1.0


@pytest.mark.parametrize(("corners", "dt", "turn"), [(20, 0.01, 0.3), (64, 0.01, 0.3), (100, 0.002, 0.5)])
@pytest.mark.parametrize("lean", [0.0, 0.5, 1.0])
def test_a_prism_rolls_on(corners, dt, turn, lean):
    """It moves with its velocity in every step; faces that hit the ground take energy, and nothing brings any."""
    world = World(dt)
    world.add_ground()
    wheel = world.add_single_body([Geometry(prism(corners, 0.1, 0.1))], 1.0, 0.005 * np.eye(3))
    spin = turn / dt
    wheel.set_pose((0, 0, 0.1 * np.cos(np.pi / corners)))
    wheel.set_velocity((0.1 * spin, 0, 0), (lean, spin, 0))
    start = energy(wheel)
    steps = int(2.0 / dt)
    for _ in range(steps):
        assert share_of_way(world, wheel) > 0.9
        assert energy(wheel) < 1.001 * start
    assert 0.6 * 0.1 * turn * steps < wheel.position[0] < 0.1 * turn * steps


@pytest.mark.parametrize("name", ["plank", "rod", "disc", "cylinder", "capsule", "ellipsoid", "hull"])
@pytest.mark.parametrize(("dt", "turn"), [(0.005, 0.6), (0.005, 1.2), (0.01, 0.6), (0.01, 1.2)])
def test_what_tumbles_does_not_hang_in_the_air(name, dt, turn):
    """Thrown down with a spin: its centre goes on, and its energy rises by what it swings by in contact at most.

    That is m g v dt / 2, up and down.  A bounce in the middle of a step may take a single one's way.
    """
    shape, like = shape_of(name)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        world = World(dt)
        world.set_erp(0.0)                                 # a correction of poses lifts what it moves
        world.add_ground()
        body = world.add_single_body([Geometry(shape)], 1.0, like.inertia(1.0))
        axis = rng.normal(size=3)
        body.set_pose((0, 0, 0.3), random_quat(rng))
        body.set_velocity((2, 0, -1), turn / dt / np.linalg.norm(axis) * axis)
        least, before, fastest = energy(body), 1.0, 0.0
        for _ in range(100):
            share = share_of_way(world, body)
            assert max(share, before) > 0.2
            before, fastest = share, max(fastest, abs(body.linear_velocity[2]))
            assert energy(body) - least < GRAVITY * fastest * dt
            least = min(least, energy(body))


@pytest.mark.parametrize("name", ["rod", "disc", "cylinder"])
@pytest.mark.parametrize(("dt", "turn"), [(0.005, 0.6), (0.01, 0.3)])
def test_two_that_wait_for_each_other_are_not_led_into_the_ground(name, dt, turn):
    """One thrown onto the other: none goes in by more than a fifth of its radius."""
    shape, like = shape_of(name)
    radius = np.linalg.norm(shape.farthest((0, 0, 1.0)) + shape.farthest((1.0, 0, 0)) * (1, 0, 0))
    for seed in range(6):
        rng = np.random.default_rng(seed)
        world = World(dt)
        world.add_ground()
        bodies = [world.add_single_body([Geometry(shape)], 1.0, like.inertia(1.0)) for _ in range(2)]
        for i, body in enumerate(bodies):
            axis = rng.normal(size=3)
            body.set_pose((0.03 * i, 0, 0.3 + 0.3 * i), random_quat(rng))
            body.set_velocity((2, 0, -1 - 2 * i), turn / dt / np.linalg.norm(axis) * axis)
        for _ in range(100):
            world.step()
            for body in bodies:
                lowest = shape.farthest(body.rotation.T @ (0, 0, -1.0))
                assert body.position[2] + (body.rotation @ lowest)[2] > -0.2 * radius
