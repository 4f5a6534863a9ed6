"""Standing still: a stack, the bundled quadruped, ANYmal-C."""

import itertools

import numpy as np
import pytest
from world.scenes import FEET, G, World, anymal_c, anymal_stance, exact, stack, standing_quadruped

from rbdyn.contact import BisectionSolver

ANYMAL = anymal_c()
needs_anymal = pytest.mark.skipif(ANYMAL is None, reason="example-robot-data is not installed")


@pytest.mark.parametrize("friction_law", ["coulomb", "raisim"])
@pytest.mark.parametrize(("depth", "margin"), [(5e-6, 0.0), (0.0, 1e-4), (0.0, None)])
def test_a_stack_of_five_cubes_of_mass_1_to_5_rests(friction_law, depth, margin):
    sweeps = 150 if friction_law == "coulomb" else 2000  # sweeps alone solve the other law
    world = World(2e-3, contact=BisectionSolver(friction_law=friction_law, max_iterations=sweeps))
    if margin is not None:  # None: as a World comes
        world.contact_margin = margin
    ground = world.add_ground()
    boxes = stack(world, depth=depth)
    start = np.array([b.position for b in boxes])
    world.step(150)
    fastest = 0.0
    for _ in range(10):
        world.step(50)
        fastest = max(fastest, *(np.abs(b.linear_velocity).max() for b in boxes))
    assert fastest < 1e-6
    weight = sum(c.force_on(boxes[0])[2] for c in world.contacts if ground in (c.object_a, c.object_b))
    assert weight == pytest.approx(15 * G, rel=1e-6)
    for low, high in itertools.pairwise(boxes):
        carried = sum(c.force_on(high) for c in world.contacts if {c.object_a, c.object_b} == {low, high})
        assert carried[2] == pytest.approx(G * sum(b.mass for b in boxes[boxes.index(high) :]), rel=1e-5)
    drift = np.abs(np.array([b.position for b in boxes]) - start)
    assert drift[:, :2].max() < 1e-5
    assert drift[:, 2].max() < 1e-5


def test_the_stack_rests_on_a_world_that_is_solved_to_rounding():
    world = World(2e-3, contact=exact())
    world.add_ground()
    boxes = stack(world)
    world.step(150)
    assert max(np.abs(b.linear_velocity).max() for b in boxes) < 1e-6


@pytest.mark.parametrize("friction_law", ["coulomb", "raisim"])
def test_the_quadruped_stands_still_on_its_weight(friction_law):
    world = World(2.5e-3, contact=BisectionSolver(friction_law=friction_law))
    world.add_ground()
    robot = standing_quadruped(world)
    world.step(2000)
    assert {c.body_a if c.object_a is robot else c.body_b for c in world.contacts} == {
        f"{leg}_{part}" for leg in ("LF", "RF", "LH", "RH") for part in ("SHANK",)}
    force = sum(c.force_on(robot) for c in world.contacts)
    assert force[2] == pytest.approx(robot.total_mass * G, rel=1e-6)
    assert np.abs(force[:2]).max() < 1e-5
    assert np.abs(robot.v).max() < 1e-6
    assert robot.body_pose("base")[2, 3] > 0.45


def feet(robot):
    return np.array([robot.body_pose(foot)[:3, 3] for foot in FEET])


@needs_anymal
def test_anymal_c_stands_for_ten_seconds():
    world = World(2.5e-3)
    world.add_ground()
    robot = world.add_articulated_system(ANYMAL, self_collision=False)
    q = anymal_stance(robot)
    robot.set_pd_gains(200, 4)
    robot.set_pd_target(q)
    assert len(world.collision) >= 46  # 45 primitives and the ground
    world.step(800)
    settled = feet(robot)
    sweeps = []
    for _ in range(32):
        world.step(100)
        sweeps.append(world.contact.iterations)
    assert world.time == pytest.approx(10.0)
    assert np.abs(feet(robot) - settled)[:, :2].max() < 0.05e-3
    assert max(c.depth for c in world.contacts) < 0.1e-3
    force = sum(c.force_on(robot) for c in world.contacts)
    assert force[2] == pytest.approx(robot.total_mass * G, rel=1e-6)
    assert len({c.geometry_a + c.geometry_b for c in world.contacts}) == 4


@needs_anymal
@pytest.mark.parametrize("margin", [0.0, 1e-3])
def test_a_settled_anymal_c_does_not_creep(margin):
    """kp 150, kd 4, 2 ms."""
    world = World(2e-3)
    world.collision.margin = margin
    world.add_ground()
    robot = world.add_articulated_system(ANYMAL, self_collision=False)
    q = anymal_stance(robot)
    robot.set_pd_gains(150, 4)
    robot.set_pd_target(q)
    world.step(12000)  # the robot sways back and forth on its knees for long
    before = feet(robot)
    sweeps = []
    for _ in range(20):
        world.step(25)
        sweeps.append(world.contact.iterations)
    force = sum(c.force_on(robot) for c in world.contacts)
    assert force[2] == pytest.approx(robot.total_mass * G, rel=1e-9)
    assert np.abs(robot.v).max() < 1e-9
    assert np.abs(feet(robot) - before)[:, :2].max() < 1e-10
    assert max(sweeps) <= 2
