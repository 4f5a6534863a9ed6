"""robot.applied_force: the implicit part of the PD law."""

import numpy as np
import pytest
from world.scenes import World, damping_thetas, middle_of_step
from world.test_implicit import SCHEMES, closed_form, slider

import rbdyn
from rbdyn import models


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize(("K", "D"), [(100.0, 0.0), (30.0, 2.0), (0.0, 3.0)])
def test_applied_force_is_mass_times_acceleration(integrator, K, D):
    m, dt = 1.7, 0.01
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(K, D)
    x = np.array([0.3, -1.2])
    A = closed_form(m, K, D, dt, *SCHEMES[integrator])
    robot.set_state(x[:1], x[1:])
    for _ in range(40):
        u = x[1]
        x = A @ x
        world.step()
        assert robot.applied_force[0] == pytest.approx(m * (x[1] - u) / dt, abs=1e-9)


def test_applied_force_is_what_moves_the_arm():
    """M (u+ - u) / dt = applied - passive damping - h, in the middle of the step, on an arm of six axes."""
    rng = np.random.default_rng(0)
    dt = 2e-3
    world = World(dt)
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_state(0.5 * rng.normal(size=6), rng.normal(size=6))
    kp, kd = rng.uniform(10, 300, 6), rng.uniform(1, 10, 6)
    robot.set_pd_gains(kp, kd)
    feed, target = rng.normal(size=6), robot.pd_target[0]
    robot.set_generalized_force(feed)
    damping = robot.model.array("damping")
    assert not robot.model.array("stiffness").any()
    late = damping_thetas(robot, kd + damping, dt, 0.5)
    assert late.max() > 0.6 > 0.5 == late.min()
    for _ in range(5):
        before = robot.state.copy()
        world.step()
        tau = feed + kp * (target - before.q - 0.5 * dt * before.v) - (kd + damping) * before.v
        E = np.diag(late * dt * (kd + damping) + 0.25 * dt * dt * kp)
        start = np.linalg.solve(rbdyn.mass_matrix(before) + E, tau - rbdyn.bias_forces(before))
        middle = middle_of_step(before, start, dt)
        passive = -damping * (before.v + late * (robot.v - before.v))
        assert rbdyn.mass_matrix(middle) @ (robot.v - before.v) / dt == pytest.approx(
            robot.applied_force + passive - rbdyn.bias_forces(middle), abs=1e-9)
        mean = feed + kp * (target - 0.5 * (before.q + robot.q)) - kd * (before.v + late * (robot.v - before.v))
        assert robot.applied_force == pytest.approx(mean, abs=1e-9)
    assert np.abs(robot.applied_force).max() > 1.0


def test_applied_force_is_what_turns_a_ball_joint():
    """J (w+ - w) / dt of an isotropic body; the target's axis is not that of the motion, so that the error turns."""
    J, dt = 0.3, 1e-2
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    body = rbdyn.RigidBody("ball", rbdyn.SpatialInertia(1.0, (0, 0, 0), J * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("socket", rbdyn.Spherical()))
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains(5.0, 0.2)
    robot.set_pd_target([np.cos(0.4), 0.0, np.sin(0.4), 0.0])
    robot.set_state(v=[2.0, 0.0, 1.0])
    for _ in range(20):
        start, error = robot.v, rbdyn.difference(robot.model, robot.q, robot.pd_target[0])
        world.step()
        assert robot.applied_force == pytest.approx(J * (robot.v - start) / dt, abs=1e-12)
        end = rbdyn.difference(robot.model, robot.q, robot.pd_target[0])
        mean = 5.0 * 0.5 * (error + end) - 0.2 * 0.5 * (start + robot.v)
        assert robot.applied_force == pytest.approx(mean, abs=2e-4)


def test_applied_force_is_what_turns_a_fast_wheel_while_another_joint_rests_on_a_stop():
    """J (w+ - w) / dt = applied: nothing connects the two, and the wheel turns by 0.3 rad in its first step."""
    J, dt = 0.1, 5e-3
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    wheel, slide = (rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0, (0, 0, 0), J * np.eye(3))) for name in "ab")
    mechanism.attach(mechanism.root_body, wheel, rbdyn.Joint("axle", rbdyn.Revolute((0, 0, 1))))
    stop = rbdyn.Joint("slider", rbdyn.Prismatic((1, 0, 0)), position_limits=(-1.0, 0.0))
    mechanism.attach(mechanism.root_body, slide, stop)
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains([900.0, 0.0], [9.0, 0.0])
    robot.set_pd_target(robot.q, [0.0, 0.0])
    robot.set_state(v=[60.0, 0.0])
    robot.set_generalized_force([0.0, 100.0])
    robot.control_mode = "pd_plus_feedforward"
    for _ in range(20):
        speed = robot.v[0]
        world.step()
        assert robot.limit_force[1] == pytest.approx(-100.0)
        assert robot.applied_force[0] == pytest.approx(J * (robot.v[0] - speed) / dt, rel=1e-9, abs=1e-9)
