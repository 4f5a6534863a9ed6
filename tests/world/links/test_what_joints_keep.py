"""Constraints that ask for what a robot's joints keep already: they do nothing, whatever else holds the robot."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import models


def quadruped(world, height=1.0):
    robot = world.add_articulated_system(models.path("quadruped"), self_collision=False)
    q = models.QUADRUPED_STANCE.q.copy()
    q[2] += height
    robot.set_state(q)
    return robot


def energy(world, robot, ball):
    own = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
    return own + ball.kinetic_energy - ball.mass * world.gravity[2] * ball.position[2]


@pytest.mark.parametrize("second", ["rod", "rope", "ball joint"])
@pytest.mark.parametrize("kept", ["rod", "weld", "joint"])
def test_what_a_leg_keeps_already_may_be_asked_for_beside_another_constraint(kept, second):
    """The knee stays where it is from the hip, and hips stay on the base; such rows have no mobility but rounding.

    Taken for rows that move something they took any impulse: the robot was thrown at 1e20 m/s within six steps.
    """
    world = World(1e-3)
    robot = quadruped(world)
    ball = world.add_sphere(0.1, 5.0, mask=0)
    ball.set_pose(position=(1, 0, 1))
    if kept == "rod":
        inner = world.add_stiff_wire((robot, "LF_SHANK"), (robot, "LF_HIP"), stretch_type="both")
    elif kept == "weld":
        inner = world.add_weld((robot, "LF_HIP"), (robot, "RF_HIP"))
    else:
        inner = world.add_joint((robot, "LF_HIP"), (robot, "LF_THIGH"), rbdyn.Joint("again", rbdyn.Planar()))
    if second == "ball joint":
        outer = world.add_joint(ball, (robot, "RH_SHANK"), rbdyn.Joint("ball", rbdyn.Spherical()))
    else:
        kind = "both" if second == "rod" else "stretch_resistant"
        outer = world.add_stiff_wire(ball, (robot, "RF_SHANK"), stretch_type=kind)
    ball.set_velocity(linear=(0.5, 0.3, 0.0))
    start = energy(world, robot, ball)
    for _ in range(400):
        world.step()
        assert energy(world, robot, ball) < start + 0.05
    assert np.abs(outer.error).max() < 1e-3
    if kept == "rod":
        assert inner.impulse == 0.0 and abs(inner.error) < 1e-12


def test_a_rope_that_the_leg_keeps_lets_the_robot_stand():
    """Beside contacts: the robot that stands fell apart in step 73."""
    world = World(2e-3)
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"), self_collision=False)
    robot.set_state(models.QUADRUPED_STANCE.q)
    robot.set_pd_gains(300.0, 5.0)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    world.add_stiff_wire((robot, "LF_HIP"), (robot, "LF_SHANK"))
    world.step(500)
    weight = sum(contact.force_on(robot)[2] for contact in world.contacts)
    assert weight == pytest.approx(robot.total_mass * 9.81, rel=1e-3)
    assert np.abs(robot.v).max() < 1e-3
