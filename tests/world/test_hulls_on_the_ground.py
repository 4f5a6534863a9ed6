"""Convex hulls that land, roll and rest on a half-space, a box, a hull or a cylinder stay above it."""

import numpy as np
import pytest

from rbdyn import Geometry, World
from rbdyn.collision import Box, ConvexHull, Cylinder

FLOORS = {                                                              # their upper side is 1 m above their origin
    "box": Box((60, 60, 2)),
    "hull": ConvexHull([[x, y, z] for x in (-30, 30) for y in (-30, 30) for z in (-1, 1)]),
    "cylinder": Cylinder(30, 2),
}
on_floors = pytest.mark.parametrize("floor", ["half-space", *FLOORS])


def hull_on(floor, vertices, inertia, dt):
    world = World(dt)
    if floor == "half-space":
        world.add_ground()
    else:
        slab = world.add_single_body([Geometry(FLOORS[floor])], 1.0, np.eye(3), body_type="static")
        slab.set_pose(position=(0, 0, -1))
    return world, world.add_single_body([Geometry(ConvexHull(vertices))], 1.0, inertia)


def lowest(body, vertices):
    return (vertices @ body.rotation.T + body.position)[:, 2].min()


def prism(n):
    t = 2 * np.pi / n * np.arange(n) - np.pi / 2 + np.pi / n
    return np.array([[0.1 * np.cos(a), y, 0.1 * np.sin(a)] for a in t for y in (-0.1, 0.1)])


@on_floors
def test_a_slab_that_lands_nearly_level_lands_on_its_lower_side(floor):
    """At 7 m/s: all four of its lower vertices are within 1 mm of the ground, and none goes into it."""
    slab = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.05, 0.05)])
    world, body = hull_on(floor, slab, np.diag([0.0083, 0.0142, 0.0208]), 0.01)
    q = np.array([1.0, 4e-4, 3e-4, 0.0])
    body.set_pose(position=(0, 0, 0.0504), orientation=q / np.linalg.norm(q))
    body.set_velocity(linear=(1.2, 0.15, -2.35), angular=(-4.2, 12.9, -1.3))
    for _ in range(3):
        world.step()
        assert lowest(body, slab) > -1e-3


@on_floors
@pytest.mark.parametrize(("n", "dt", "spin"), [(20, 0.01, 5.0), (60, 0.002, 20.0), (60, 0.005, 5.0), (60, 0.01, 10.0)])
def test_a_prism_rolls_on_both_of_its_ends(floor, n, dt, spin):
    """It is symmetric and stays so; it goes in by no more than a turn of dt spin brings down between two edges."""
    vertices = prism(n)
    world, body = hull_on(floor, vertices, np.diag([0.0058, 0.005, 0.0058]), dt)
    body.set_pose(position=(0, 0, 0.1 * np.cos(np.pi / n)))
    body.set_velocity(linear=(0.1 * spin, 0, 0), angular=(0, spin, 0))
    turned = 0.1 * (1 - np.cos(np.pi / n + dt * spin))
    for _ in range(int(1 / dt)):
        world.step()
        assert lowest(body, vertices) > -max(turned, 1.5e-4)
        np.testing.assert_allclose(body.angular_velocity[[0, 2]], 0, atol=1e-3)


@on_floors
@pytest.mark.parametrize("n", [8, 60])
def test_a_prism_at_rest_keeps_still(floor, n):
    vertices = prism(n)
    for height, R in ((0.1 * np.cos(np.pi / n), np.eye(3)), (0.1, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])):
        world, body = hull_on(floor, vertices, np.diag([0.0058, 0.005, 0.0058]), 0.005)
        body.set_pose(position=(0, 0, height), orientation=np.array(R, dtype=float))
        world.step(400)
        np.testing.assert_allclose(body.position, [0, 0, height], atol=1e-5)
        np.testing.assert_allclose(body.linear_velocity, 0, atol=1e-6)


def mean_depth_of_drops(floor, dt):
    """Forty round plates land on a rim and go over onto a side: how far the lowest vertex goes in, on average [m]."""
    t, deepest = 2 * np.pi / 40 * np.arange(40), np.zeros(40)
    plate = np.array([[0.2 * np.cos(a), 0.2 * np.sin(a), z] for a in t for z in (-0.02, 0.02)])
    for seed in range(40):
        world, body = hull_on(floor, plate, np.diag([0.0101, 0.0101, 0.02]), dt)
        q = np.random.default_rng(seed).normal(size=4)
        body.set_pose(position=(0, 0, 0.6), orientation=q / np.linalg.norm(q))
        for _ in range(int(0.7 / dt)):
            world.step()
            deepest[seed] = max(deepest[seed], -lowest(body, plate))
    return deepest.mean()


@pytest.mark.parametrize("dt", [0.002, 0.005, 0.01])
def test_a_round_plate_goes_into_other_floors_no_deeper_than_into_a_half_space(dt):
    """That has a kernel of its own, which looks at all vertices; single drops differ, as bounces multiply rounding."""
    plane = mean_depth_of_drops("half-space", dt)
    for floor in FLOORS:
        assert mean_depth_of_drops(floor, dt) < 1.5 * plane
