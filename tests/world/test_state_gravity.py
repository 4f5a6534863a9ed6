"""robot.state uses the mechanism's gravity before the first step, the World's after it, and its copy never."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import models


def expected(robot):
    mechanism = models.six_axis_arm()
    mechanism.gravity = robot.world.gravity
    state = rbdyn.State(rbdyn.Model(mechanism))
    state.set(robot.q, robot.v)
    return rbdyn.bias_forces(state)


def arm(world):
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_state(np.linspace(0.2, 0.8, 6))
    return robot


def test_before_the_first_step():
    world = World(1e-3, gravity=(0.0, 3.0, -1.0))
    robot = arm(world)
    assert rbdyn.bias_forces(robot.state) == pytest.approx(expected(robot), abs=1e-10)


def test_after_a_step():
    world = World(1e-3, gravity=(0.0, 3.0, -1.0))
    robot = arm(world)
    world.step(5)
    assert rbdyn.bias_forces(robot.state) == pytest.approx(expected(robot), abs=1e-10)


def test_after_gravity_changed():
    world = World(1e-3, gravity=(0.0, 3.0, -1.0))
    robot = arm(world)
    world.step(5)
    world.gravity = (0.0, 0.0, -1.6)
    assert rbdyn.bias_forces(robot.state) == pytest.approx(expected(robot), abs=1e-10)


def test_a_copy_of_the_state():
    world = World(1e-3, gravity=(0.0, 3.0, -1.0))
    robot = arm(world)
    world.step(5)
    assert rbdyn.bias_forces(robot.state.copy()) == pytest.approx(expected(robot), abs=1e-10)


def test_on_a_moved_base():
    """Gravity in the turned root's axes, as the step itself uses."""
    turn = np.array([np.cos(0.35), np.sin(0.35), 0.0, 0.0])
    R = rbdyn.Transform(quat=turn).rotation
    world, plain = World(1e-3), World(1e-3, gravity=R.T @ [0, 0, -9.81])
    robot, other = arm(world), arm(plain)
    robot.set_base_pose((0, 0, 1), turn)
    assert rbdyn.bias_forces(robot.state) == pytest.approx(expected(other), abs=1e-10)
