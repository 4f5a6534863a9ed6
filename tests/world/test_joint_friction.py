"""Dry friction of joints, and limits of their velocity, against closed forms and laws on random arms."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import models, testing
from rbdyn.contact import BisectionSolver

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


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
def test_static_friction_holds_and_breaks_loose_at_once(dt, integrator):
    """Up to 5 N at rest, then 2 N: from the first step in which it slides."""
    m, sliding, resting = 2.0, 2.0, 5.0
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m, friction=sliding, static_friction=resting))
    robot.set_generalized_force([-4.99])
    world.step(100)
    assert (robot.q[0], robot.v[0]) == (0.0, pytest.approx(0.0, abs=1e-12))
    assert robot.friction_force[0] == pytest.approx(4.99)
    robot.set_generalized_force([-5.01])
    world.step(100)
    assert robot.friction_force[0] == pytest.approx(sliding)
    assert robot.v[0] == pytest.approx(-(5.01 - sliding) / m * 100 * dt, rel=1e-9)
    robot.set_generalized_force([-3.0])                    # less than the static friction: it slides on
    world.step(100)
    assert robot.v[0] == pytest.approx(-(5.01 + 3.0 - 2 * sliding) / m * 100 * dt, rel=1e-9)
    robot.set_joint_friction(2.0)
    robot.set_state([0.0], [0.0])
    world.step(100)
    assert robot.v[0] == pytest.approx(-(3.0 - 2.0) / m * 100 * dt, rel=1e-9)


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
def test_what_slides_up_a_slope_stays_where_it_comes_to_rest(dt):
    """Between the two frictions gravity turns nothing round that static friction can hold."""
    m, pull, v = 2.0, 4.0, 1.3
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, friction=2.0, static_friction=5.0))
    robot.set_generalized_force([-pull])
    robot.set_state([0.0], [v])
    world.step(round(2.0 / dt))
    assert robot.q[0] == pytest.approx(0.5 * m * v * v / (pull + 2.0), abs=dt * v / 2)
    assert robot.v[0] == pytest.approx(0.0, abs=1e-12)
    assert robot.friction_force[0] == pytest.approx(pull)
    robot.set_joint_friction(2.0, 3.0)
    world.step(round(0.1 / dt))
    assert robot.v[0] == pytest.approx(-(pull - 2.0) / m * 0.1, rel=1e-9)


@pytest.mark.parametrize("dt", [5e-4, 1e-3, 2e-3, 5e-3])
def test_a_mass_on_a_moving_belt_sticks_and_slips(dt):
    """Period and amplitude of the closed form, to the share of a step by which it breaks loose too early or too late.

    Stick: x' = V up to k x = f_s.  Slip: x = f_k / k + (D / k) cos w t + (V / w) sin w t, D = f_s - f_k, w^2 = k / m,
    until x' = V again.
    """
    m, k, speed, sliding, resting = 2.0, 20.0, 0.3, 2.0, 5.0
    w, fall = np.sqrt(k / m), resting - sliding
    period = (2 * np.pi - 2 * np.arctan(fall * w / (k * speed))) / w + 2 * fall / (k * speed)
    amplitude = np.hypot(fall / k, speed / w)
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    block = rbdyn.RigidBody("block", rbdyn.SpatialInertia(m, (0, 0, 0), np.eye(3)))
    belt = rbdyn.RigidBody("belt", rbdyn.SpatialInertia(1e7, (0, 0, 0), np.eye(3)))    # nothing slows it
    x = rbdyn.Prismatic((1, 0, 0))
    mechanism.attach(mechanism.root_body, block, rbdyn.Joint("spring", x, stiffness=k))
    mechanism.attach(block, belt, rbdyn.Joint("belt", x, friction=sliding, static_friction=resting))
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_state(v=[speed, 0.0])
    way = [0.0]
    for _ in range(int(13.5 * period / dt)):
        world.step()
        way.append(robot.q[0])
    way = np.array(way) - sliding / k
    up = np.flatnonzero((way[:-1] < 0) & (way[1:] >= 0))
    times = dt * (up + way[up] / (way[up] - way[up + 1]))
    assert len(times) >= 13
    assert np.diff(times).mean() == pytest.approx(period, rel=dt)
    for cycle in np.split(way, up)[1:-1]:
        assert cycle.max() == pytest.approx(amplitude, rel=dt)
        assert cycle.min() == pytest.approx(-amplitude, rel=dt)


def test_a_velocity_limit_is_a_target_of_the_joints_own_velocity():
    """A solver that weighs energy by v + target sees what moves: 2 kg at -1.5 m/s and what gravity adds."""
    seen = []

    class Watching(BisectionSolver):
        def solve(self, problem):
            super().solve(problem)
            rows = slice(problem.n_cones * 3, None)
            seen.append((problem.v_free.ravel()[rows].copy(), problem.target.ravel()[rows].copy()))

    world = World(1e-3, contact=Watching())
    robot = world.add_articulated_system(slider(2.0, axis=(0, 0, 1), velocity_limit=1.5))
    robot.set_state([0.0], [-1.5])
    world.step()
    v_free, target = (np.ravel(x) for x in seen[-1])
    assert target == pytest.approx([-1.5]) and v_free + target == pytest.approx([-1.5 - G * 1e-3])
    assert robot.velocity_limit_force == pytest.approx([2.0 * G])


def test_a_robot_that_rests_on_its_joint_friction_begins_each_step_in_balance():
    """What a step begins with balances forces: a sweep or two a step, and no direct solve in each second one."""
    mechanism = models.quadruped()
    for joint in mechanism.tree_joints:
        joint.friction = 5.0 if joint.num_velocities == 1 else 0.0
    world = World(2e-3)
    world.add_ground()
    robot = world.add_articulated_system(mechanism)
    robot.set_state(models.QUADRUPED_STANCE.q)
    robot.set_pd_gains(200.0, 4.0)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    world.step(1000)
    world.step(100)
    friction = np.abs(robot.friction_force)
    assert 0.5 < friction.max() < 5.0                                  # it bears, and nothing slips
    assert world.contact.statistics.unconverged == 0
    assert world.contact.statistics.iterations <= 200


@pytest.mark.parametrize("integrator", ["semi_implicit", "euler", "trapezoid", "rk4"])
@pytest.mark.parametrize("base", [rbdyn.Floating(), rbdyn.SPQuatFloating()])
def test_friction_and_velocity_limits_of_a_floating_base_act_in_flight(base, integrator):
    """v0 - f t / m along each axis of v; a limit of 0.5 at once."""
    for options, expected in (({"friction": 0.2}, 1.0 - 0.2 * 0.2), ({"velocity_limit": 0.5}, 0.5)):
        mechanism = rbdyn.Mechanism(rbdyn.RigidBody("root"))
        body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, inertia=0.02 * np.eye(3)))
        mechanism.attach("root", body, rbdyn.Joint("base", base, **options))
        world = rbdyn.World(1e-3, gravity=(0, 0, 0))
        world.integrator = integrator
        robot = world.add_articulated_system(mechanism)
        robot.set_state(v=[1.0, 0, 0, 0, 0, 0])
        world.step(200)
        assert robot.v == pytest.approx([expected, 0, 0, 0, 0, 0], abs=1e-7)
