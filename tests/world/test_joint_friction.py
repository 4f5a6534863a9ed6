"""Dry friction of joints, and limits of their velocity, against closed forms and laws on random arms."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import testing

G = 9.81


def slider(mass=2.0, axis=(1, 0, 0), **joint):
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(mass, (0, 0, 0), 0.01 * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("rail", rbdyn.Prismatic(axis), **joint))
    return mechanism


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
def test_a_sliding_mass_comes_to_rest_where_coulomb_says(dt):
    m, f, v = 2.0, 3.0, 1.2
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, friction=f))
    robot.set_state([0.0], [v])
    world.step(round(0.4 / dt))
    assert robot.v[0] == pytest.approx(v - f / m * 0.4, rel=1e-12)
    assert robot.q[0] == pytest.approx(v * 0.4 - 0.5 * f / m * 0.16, rel=1e-12)
    world.step(round(0.8 / dt))
    assert robot.v[0] == 0.0
    assert robot.q[0] == pytest.approx(0.5 * m * v * v / f, abs=dt * dt * f / m)


@pytest.mark.parametrize("push", [2.9, 3.1, -3.1])
def test_a_force_below_the_friction_moves_nothing(push):
    m, f = 2.0, 3.0
    world = World(2e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, friction=f))
    robot.set_generalized_force([push])
    world.step(500)
    moving = max(abs(push) - f, 0.0) * np.sign(push)
    assert robot.v[0] == pytest.approx(moving / m, abs=1e-15 if moving == 0.0 else 1e-9)


def test_friction_of_a_random_arm_obeys_its_law(seed):
    """What Newton's law leaves over is within the friction, opposite to what moves, and holds what rests."""
    rng = np.random.default_rng(seed)
    dt = 1e-3
    world = World(dt)
    world.integrator = "semi_implicit"
    mechanism = testing.rand_tree_mechanism([rbdyn.Revolute] * 5 + [rbdyn.Prismatic], seed=seed)
    for joint in mechanism.tree_joints:
        joint.friction = 10 ** rng.uniform(-1, 3)
    robot = world.add_articulated_system(mechanism)
    robot.set_state(robot.model.random(seed), rng.normal(size=robot.nv))
    f = robot.model.array("friction")
    stuck = slid = 0
    for _ in range(100):
        state, v = robot.state.copy(), robot.v
        world.step()
        tau = rbdyn.mass_matrix(state) @ (robot.v - v) / dt + rbdyn.bias_forces(state)
        slack = 1e-4 * np.abs(tau).max()
        assert (np.abs(tau) <= f + slack).all()
        rests = np.abs(robot.v) < 1e-6
        assert tau[~rests] == pytest.approx(-f[~rests] * np.sign(robot.v[~rests]), abs=slack)
        stuck, slid = stuck + int(rests.sum()), slid + int((~rests).sum())
    assert stuck > 20 and slid > 20


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
def test_a_falling_mass_gets_no_faster_than_its_joint_may(dt):
    m, most = 2.0, 1.5
    world = World(dt)
    robot = world.add_articulated_system(slider(m, axis=(0, 0, 1), velocity_limit=most))
    start = most / G
    world.step(round(0.5 / dt))
    assert robot.v[0] == pytest.approx(-most, rel=1e-12)
    assert robot.q[0] == pytest.approx(-0.5 * most * start - most * (0.5 - start), abs=G * dt * dt)


def test_a_joint_that_is_too_fast_slows_down_without_a_jump():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, velocity_limit=1.0))
    robot.set_state([0.0], [-3.0])
    speeds = []
    for _ in range(60):
        world.step()
        speeds.append(-robot.v[0])
    assert speeds[0] == pytest.approx(1.0 + 0.8 * 2.0, rel=1e-12)
    assert speeds == sorted(speeds, reverse=True) and speeds[-1] == pytest.approx(1.0, abs=1e-5)


def test_no_joint_of_a_falling_arm_is_too_fast(seed):
    """Also where others stop at their limits, or something hits the arm; energy falls all the while."""
    mechanism = testing.rand_tree_mechanism([rbdyn.Revolute] * 6, seed=seed)
    for joint in mechanism.tree_joints:
        joint.velocity_limit = 1.0
        joint.position_limits = (-1.0, 1.0)
    world = World(2e-3)
    robot = world.add_articulated_system(mechanism)
    robot.set_state(robot.model.random(seed), np.zeros(robot.nv))
    start = last = rbdyn.potential_energy(robot.state)
    fast = 0
    for _ in range(400):
        world.step()
        assert np.abs(robot.v).max() <= 1.0 + 1e-6
        fast += np.abs(robot.v).max() > 0.999
        last = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
        assert last <= start + 1e-4 * abs(start)
    assert fast > 5
