"""Velocity limits of joints with several degrees of freedom: one for each component of v."""

import numpy as np
import pytest

import rbdyn
from rbdyn.mechanism import Planar, Spherical
from rbdyn.world import World

INERTIA = np.array([[0.05, 0.01, 0.0], [0.01, 0.08, 0.02], [0.0, 0.02, 0.1]])


def hung(kind, inertia, com=(0, 0, 0), **limits):
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(2.0, com, inertia))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("joint", kind, **limits))
    return mechanism


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
def test_a_ball_that_a_torque_turns_gets_no_faster_than_its_joint_may(dt):
    """T t / I up to the limit, at which the joint gives back all of the torque; the other axes go on."""
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(hung(Spherical(), 0.1 * np.eye(3), velocity_limit=3.0))
    robot.set_generalized_force([2.0, 0.5, 0.0])
    world.step(round(0.1 / dt))
    assert robot.v == pytest.approx([2.0, 0.5, 0.0], abs=1e-9)
    assert not robot.velocity_limit_force.any()
    world.step(round(0.2 / dt))
    assert robot.v == pytest.approx([3.0, 1.5, 0.0], abs=1e-9)
    assert robot.velocity_limit_force == pytest.approx([-2.0, 0.0, 0.0], abs=1e-9)
    robot.set_generalized_force([-2.0, 0.0, 0.0])
    world.step(round(0.1 / dt))
    assert robot.v == pytest.approx([1.0, 1.5, 0.0], abs=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_top_that_is_driven_keeps_all_components_within_their_limits_and_obeys_newton(dt):
    world = World(dt)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(hung(Spherical(), INERTIA, com=(0.1, 0.0, 0.2)))
    limits = np.array([2.0, 1.0, 4.0])
    robot.set_velocity_limits(limits)
    assert robot.velocity_limits.tolist() == limits.tolist()
    rng, acted = np.random.default_rng(5), np.zeros(3, bool)
    for k in range(400):
        if k % 20 == 0:
            robot.set_generalized_force(20.0 * rng.normal(size=3))
        v, tau = robot.v, robot.generalized_force
        M, h = rbdyn.mass_matrix(robot.state), rbdyn.bias_forces(robot.state)
        world.step()
        force = robot.velocity_limit_force
        assert (np.abs(robot.v) <= limits * (1 + 1e-8)).all()
        assert M @ (robot.v - v) / dt + h == pytest.approx(tau + force, abs=1e-8)
        assert (force * robot.v <= 1e-9).all()
        assert np.abs(robot.v[force != 0.0]) == pytest.approx(limits[force != 0.0])
        acted |= force != 0.0
    assert acted.all()


def test_a_plate_slides_and_turns_no_faster_than_it_may():
    world = World(2e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(hung(Planar((1, 0, 0), (0, 1, 0)), 0.1 * np.eye(3), velocity_limit=1.5))
    robot.set_generalized_force([8.0, -4.0, 0.05])
    world.step(500)
    assert np.sort(np.abs(robot.v)) == pytest.approx([0.5, 1.5, 1.5], abs=1e-9)


def test_a_number_for_all_leaves_floating_bases_alone():
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    base = rbdyn.RigidBody("base", rbdyn.SpatialInertia(2.0, (0, 0, 0), np.eye(3)))
    arm = rbdyn.RigidBody("arm", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, base, rbdyn.Joint("float", rbdyn.Floating()))
    mechanism.attach(base, arm, rbdyn.Joint("ball", Spherical()))
    robot = World(1e-3).add_articulated_system(mechanism)
    robot.set_velocity_limits(7.0)
    assert robot.velocity_limits.tolist() == [np.inf] * 6 + [7.0] * 3
    robot.set_velocity_limits(joints={"ball": 2.0})
    assert robot.velocity_limits.tolist() == [np.inf] * 6 + [2.0] * 3
