"""What is far away changes no bit, whatever happens there."""

import numpy as np
import pytest
from world.scenes import World, random_quat, standing_quadruped

from rbdyn import models
from rbdyn.contact import BisectionSolver, PGSSolver


def heap(world, count, at, seed):
    """Boxes that fall on one another around x = at."""
    rng = np.random.default_rng(seed)
    boxes = []
    for k in range(count):
        box = world.add_box(*rng.uniform(0.1, 0.3, 3), rng.uniform(1.0, 8.0))
        box.set_pose((at + rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0.2 + 0.25 * k), random_quat(rng))
        boxes.append(box)
    return boxes


def states(objects):
    return np.concatenate([
        np.concatenate([o.q, o.v]) if hasattr(o, "model") else
        np.concatenate([o.position, o.orientation, o.linear_velocity, o.angular_velocity]) for o in objects
    ])  # fmt: skip


def resting_box(world):
    world.add_box(0.2, 0.2, 0.2, 3.0).set_pose((100.0, 0.0, 0.1))


def tumbling_heap(world):
    heap(world, 12, 100.0, 9)


def quadruped_that_falls(world):
    robot = standing_quadruped(world, 0.0, 0.1)
    q = np.array(robot.q)
    q[:3] = (-100.0, 3.0, 0.6)
    robot.set_state(q)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("neighbour", [resting_box, tumbling_heap, quadruped_that_falls])
def test_far_objects_change_no_bit(neighbour, first):
    """A heap and a standing robot, alone and with something 100 m away that was added before or after them."""
    seen = []
    for others in (False, True):
        world = World(5e-3)
        world.add_ground()
        if others and first:
            neighbour(world)
        robot = standing_quadruped(world)
        q = np.array(robot.q)
        q[1] += 5.0
        robot.set_state(q)
        mine = [robot, *heap(world, 8, 0.0, 4)]
        if others and not first:
            neighbour(world)
        run = []
        for _ in range(6):
            world.step(50)
            run.append(states(mine))
        assert len(world.contacts) > 10
        seen.append(np.array(run))
    np.testing.assert_array_equal(seen[0], seen[1])


def test_rows_of_another_robot_change_no_bit():
    """All contacts act on the base of one robot, and no other block does: friction in the joints of an arm far away."""
    seen = []
    for others in (False, True):
        world = World(5e-3)
        world.add_ground()
        robot = standing_quadruped(world, 0.0, 0.1)
        if others:
            arm = world.add_articulated_system(models.six_axis_arm())
            arm.set_base_pose((0.0, 50.0, 1.0))
            arm.set_state([0.3, -0.8, 0.9, 0.2, 0.5, 0.1], [1.0, -1.0, 0.5, 2.0, -2.0, 1.0])
            arm.set_joint_friction(2.0)
        run = []
        for _ in range(60):
            world.step(5)
            run.append(states([robot]))
        if others:
            assert np.abs(arm.friction_force).max() > 0.5
        seen.append(np.array(run))
    np.testing.assert_array_equal(seen[0], seen[1])


@pytest.mark.parametrize("make", [BisectionSolver, PGSSolver])
def test_what_comes_and_goes_far_away_changes_no_bit(make):
    """Set by hand while nothing was remembered, it made the sweeps of all others begin anew, in the other direction."""
    seen = []
    for others in (False, True):
        world = World(5e-3, contact=make(), position_solver=make())
        world.add_ground()
        mine = heap(world, 8, 0.0, 4)
        run, far = [], []
        for k in range(150):
            if others and k % 7 == 3:
                far.append(world.add_box(0.1, 0.1, 0.1, 1.0))
                far[-1].set_pose((0.3 * k, -500.0, 0.05))
            if others and k % 13 == 8:
                world.remove(far.pop(0))
            world.step()
            run.append(states(mine))
        seen.append(np.array(run))
    np.testing.assert_array_equal(seen[0], seen[1])


def test_a_world_that_is_set_again_repeats_itself():
    """After an odd number of steps, too, with a heap and a robot set one after the other."""
    world = World(5e-3)
    world.add_ground()
    robot, boxes = standing_quadruped(world), heap(world, 8, 5.0, 4)
    start, poses = np.array(robot.q), [(b.position.copy(), b.orientation.copy()) for b in boxes]
    runs = []
    for _ in range(2):
        for box, (position, orientation) in zip(boxes, poses, strict=True):
            box.set_pose(position, orientation)
            box.set_velocity((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        robot.set_state(start, np.zeros(robot.nv))
        world.step(75)
        runs.append(states([robot, *boxes]))
    np.testing.assert_array_equal(runs[0], runs[1])
