"""Wires, welds and joints between links of one robot that depend on one another: they may lock it, and make no energy.

The seeds are those of random scenes in which steps made energy without bound, by what turned out of rows that
contradict one another: 2 x 10^3 J to 10^28 J from 10^2.
"""

import contextlib

import numpy as np
import pytest

import rbdyn
from rbdyn import World, models
from rbdyn.errors import Error
from rbdyn.mechanism import Helical, Joint, Planar, Prismatic, Revolute, Spherical

JOINTS = (Revolute(), Spherical(), Prismatic(), Planar(), Helical((0, 0, 1), 0.1))
RESISTS = ("stretch_resistant", "compression_resistant", "both")


def add_body(world, rng):
    """A box, a sphere or a capsule of 0.1 to 30 kg, turned and thrown by chance."""
    mass = 10 ** rng.uniform(-1, 1.5)
    body = (
        lambda: world.add_box(*rng.uniform(0.05, 0.3, 3), mass),
        lambda: world.add_sphere(rng.uniform(0.05, 0.15), mass),
        lambda: world.add_capsule(0.05, 0.2, mass),
    )[rng.integers(3)]()
    place, q = rng.uniform(-1, 1, 3) * [1, 1, 0.3] + [0, 0, 0.5], rng.normal(size=4)
    body.set_pose(position=place, orientation=q / np.linalg.norm(q))
    body.set_velocity(linear=rng.normal(size=3), angular=rng.normal(size=3))
    return body


def add_link(world, ends, rng):
    """A wire, a weld or a joint between two of the ends, or a wire over a third."""
    a, b = ends[rng.integers(len(ends))], ends[rng.integers(len(ends))]
    kind = rng.integers(4)
    if kind == 0:
        world.add_stiff_wire(a, b, stretch_type=RESISTS[rng.integers(3)], restitution=0 if rng.random() < 0.5 else 0.5)
    elif kind == 1:
        world.add_weld(a, b)
    elif kind == 2:
        world.add_joint(a, b, Joint("x", JOINTS[rng.integers(5)]))
    else:
        world.add_stiff_wire(a, b, via=[(ends[rng.integers(len(ends))], rng.uniform(-0.1, 0.1, 3))])


def scene(number):
    """Some bodies, a quadruped in each fourth seed, and links between any of them, their links and the world."""
    rng = np.random.default_rng(number)
    world = World([0.001, 0.002, 0.005][number % 3])
    world.add_ground(-1.0 if number % 2 else -3.0)
    bodies = [add_body(world, rng) for _ in range(rng.integers(3, 10))]
    ends, robot = [*bodies, None], None
    if number % 4 == 0:
        robot = world.add_articulated_system(models.path("quadruped"), self_collision=False)
        q = models.QUADRUPED_STANCE.q.copy()
        q[2] += 1.5
        robot.set_state(q)
        robot.set_joint_friction(0.2, 0.4)
        ends += [(robot, name) for name in robot.body_names]
    for _ in range(rng.integers(2, 12)):
        with contextlib.suppress(Error):               # what cannot be linked
            add_link(world, ends, rng)
    return world, bodies, robot


def energy(bodies, robot):
    total = sum(b.kinetic_energy + b.potential_energy for b in bodies)
    return total + (rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) if robot else 0.0)


@pytest.mark.parametrize("number", [24, 76, 80, 105, 112, 140, 160, 192])
def test_links_that_depend_on_one_another_make_no_energy(number):
    """What is allowed is a fall of 1 cm of all that is there: motion of 20 rad/s at 5 ms is of that order."""
    world, bodies, robot = scene(number)
    weight = 9.81 * (sum(b.mass for b in bodies) + (robot.total_mass if robot else 0.0))
    world.step()
    start = energy(bodies, robot)
    for _ in range(int(1.5 / world.time_step)):
        world.step()
        assert energy(bodies, robot) < start + 0.01 * weight
