"""Closed loops in a World: against closed forms, the algorithms on a State, and the laws of momentum."""

import numpy as np
import pytest
from algorithms.four_bar import A, equation, four_bar, in_motion, n
from algorithms.stewart_platform import stewart_platform
from mechanism.loops import closed
from world.closed_robots import CORNERS, minitaur, standing

import rbdyn
from rbdyn import World
from rbdyn.collision.shapes import Sphere


def energy(robot):
    return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)


def open_by(robot):
    return np.abs(rbdyn.loop_error(robot.state)).max()


def crank_angle(t1, rate, time, steps=20000):
    """Closed form of the four-bar, by the Runge-Kutta method."""

    def slope(x):
        m, s, w = equation(x[0])
        return np.array([x[1], (-s * x[1] ** 2 - w) / m])

    x, h = np.array([t1, rate]), time / steps
    for _ in range(steps):
        a = slope(x)
        b = slope(x + h / 2 * a)
        c = slope(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
    return x[0]


def swung(dt, time, t1=0.9, rate=5.0):
    """The four-bar in a World, after a time, and how far its loop was open at most."""
    world = World(dt, gravity=(0, -9.81, 0))
    robot = world.add_articulated_system(four_bar())
    state = in_motion(t1, rate)[0]
    robot.set_state(state.q, state.v)
    worst = 0.0
    for _ in range(round(time / dt)):
        world.step()
        worst = max(worst, open_by(robot))
    return robot, worst


def test_a_four_bar_swings_as_its_closed_form_says():
    right = crank_angle(0.9, 5.0, 0.5)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        robot, worst = swung(dt, 0.5)
        assert worst < 1e-11
        errors.append(robot.q[robot.model.joint_q_index("motor")] - right)
    assert abs(errors[-1]) < 0.02 and abs(right - 0.9) > 1.0
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("pins", [(0.0,), (-0.1, 0.1), (0.0, 0.0, 0.3)])
def test_it_does_not_matter_how_often_a_loop_is_closed(pins):
    world = World(1e-3, gravity=(0, -9.81, 0))
    robot, twin = world.add_articulated_system(four_bar()), world.add_articulated_system(four_bar(pins=pins), "twin")
    state = in_motion(0.9, 2.0)[0]
    robot.set_state(state.q, state.v)
    twin.set_state(state.q, state.v)
    world.step(1000)
    assert open_by(twin) < 1e-11
    np.testing.assert_allclose(twin.q, robot.q, atol=1e-9)
    np.testing.assert_allclose(twin.v, robot.v, atol=1e-8)


@pytest.mark.parametrize("case", range(12))
def test_the_first_step_from_rest_is_that_of_dynamics(case):
    """Of any loops, on any tree, under forces: no velocity, no bias."""
    mechanism, state = closed(case)
    rng = np.random.default_rng(case)
    dt = 1e-4
    world = World(dt, gravity=mechanism.gravity)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(state.q, np.zeros(robot.nv))
    state.set(robot.q, np.zeros(robot.nv))
    tau = rng.normal(size=robot.nv)
    robot.set_generalized_force(tau)
    result = rbdyn.dynamics(state, tau, stiffness=0.0, damping=0.0)
    world.step()
    scale = np.abs(result.vd).max()
    np.testing.assert_allclose(robot.v / dt, result.vd, atol=1e-7 * scale)
    assert scale > 1e-3


@pytest.mark.parametrize("case", range(8))
def test_loops_stay_closed(case):
    mechanism, state = closed(case)
    world = World(1e-3, gravity=mechanism.gravity)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    speed = np.abs(state.v).max()
    robot.set_state(state.q, state.v * min(1.0, 3.0 / speed))
    for _ in range(200):
        world.step()
        assert open_by(robot) < 1e-8


def test_a_ball_that_hits_a_crank_meets_the_whole_linkage():
    """Its impulse is that of one coordinate with the reflected inertia m(t1) of the closed form."""
    t1, speed, mass = 1.2, 3.0, 0.7
    world = World(1e-4, gravity=(0, 0, 0))
    world.set_default_material(0.0)
    mechanism = four_bar()
    mechanism.find_body("crank").collision = [rbdyn.Geometry(Sphere(0.05), rbdyn.Transform(translation=(A, 0, 0)))]
    robot = world.add_articulated_system(mechanism)
    robot.set_state(in_motion(t1, 0.0)[0].q)
    ball = world.add_sphere(0.05, mass)
    tip = A * np.array([np.cos(t1), np.sin(t1), 0.0])
    ball.set_pose(position=tip - 0.1 * np.append(n(t1), 0.0))
    ball.set_velocity(linear=speed * np.append(n(t1), 0.0))
    world.step()
    rate = mass * speed * A / (equation(t1)[0] + mass * A * A)
    assert robot.v[robot.model.joint_v_index("motor")] == pytest.approx(rate, rel=1e-9)
    assert ball.linear_velocity[:2] @ n(t1) == pytest.approx(rate * A, rel=1e-9)
    assert rate > 1.0


def test_a_linkage_at_rest_on_the_ground_carries_its_weight_as_statics_says():
    """The crank leans on the ground; virtual work of one coordinate gives the force."""
    world = World(1e-3, gravity=(0, -9.81, 0))
    t1 = 0.4
    mechanism = four_bar()
    mechanism.find_body("crank").collision = [rbdyn.Geometry(Sphere(0.05), rbdyn.Transform(translation=(A, 0, 0)))]
    robot = world.add_articulated_system(mechanism)
    robot.set_state(in_motion(t1, 0.0)[0].q)
    world.set_default_material(0.0)
    floor = world.add_box(1.0, 0.1, 1.0, 1.0)
    floor.body_type = "static"
    floor.set_pose(position=(A * np.cos(t1), A * np.sin(t1) - 0.1, 0.0))
    world.step(300)
    assert np.abs(robot.v).max() < 1e-7
    force = sum(c.force_on(robot) for c in world.contacts)
    assert force[1] * A * np.cos(t1) == pytest.approx(equation(t1)[2], rel=1e-6)
    assert abs(force[0]) < 1e-9


def test_a_closed_robot_in_free_flight_keeps_its_momentum():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(minitaur(), self_collision=False)
    robot.set_state(standing(), np.zeros(robot.nv))
    v = rbdyn.project_velocity(robot.state, np.random.default_rng(5).normal(size=robot.nv))
    robot.set_state(v=v)
    start, about = rbdyn.momentum(robot.state), rbdyn.center_of_mass(robot.state)
    spin, level = rbdyn.angular_momentum(robot.state, about), energy(robot)
    for _ in range(500):
        world.step()
        assert open_by(robot) < 1e-8
    now = rbdyn.center_of_mass(robot.state)
    np.testing.assert_allclose(rbdyn.momentum(robot.state)[3:], start[3:], atol=1e-12)
    np.testing.assert_allclose(rbdyn.angular_momentum(robot.state, now), spin, atol=1e-12)
    np.testing.assert_allclose(now, about + 0.5 * start[3:] / robot.total_mass, atol=1e-12)
    assert energy(robot) == pytest.approx(level, rel=0.02)
    assert np.abs(spin).max() > 0.01


def test_a_quadruped_with_closed_legs_stands():
    world = World(1e-3)
    world.add_ground()
    robot = world.add_articulated_system(minitaur())
    q = standing()
    robot.set_state(q)
    gains = np.zeros((2, robot.nv))
    motors = [robot.model.joint_v_index(f"{leg}_motor_{side}") for leg in CORNERS for side in "ab"]
    gains[0, motors], gains[1, motors] = 40.0, 1.0
    robot.set_pd_gains(*gains)
    robot.set_pd_target(q)
    for _ in range(2000):
        world.step()
        assert open_by(robot) < 1e-11
    assert np.abs(robot.v).max() < 1e-6
    assert robot.q[2] == pytest.approx(q[2], abs=0.01) and robot.q[2] < q[2]
    assert sum(c.force_on(robot)[2] for c in world.contacts) == pytest.approx(robot.total_mass * 9.81, rel=1e-6)


def test_a_stewart_platform_holds_still_under_the_forces_of_inverse_dynamics():
    world = World(1e-3)
    robot = world.add_articulated_system(stewart_platform(), self_collision=False)
    legs = [f"leg{k}" for k in range(6)]
    q = robot.q
    tau = rbdyn.inverse_dynamics(robot.state, np.zeros(robot.nv), actuated=legs)
    robot.set_generalized_force(tau)
    world.step(200)
    np.testing.assert_allclose(robot.q, q, atol=1e-9)
    assert np.abs(tau).max() > 10.0


# ---- bad input --------------------------------------------------------------------------------------------------


def out_of_reach():
    m = rbdyn.Mechanism(rbdyn.RigidBody("base"))
    arm = rbdyn.RigidBody("arm", rbdyn.SpatialInertia(1.0, (0.5, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, arm, rbdyn.Joint("near", rbdyn.Revolute()))
    far = rbdyn.Transform(translation=(3, 0, 0))
    m.attach(m.root_body, arm, rbdyn.Joint("far_pin", rbdyn.Spherical()), far, rbdyn.Transform(translation=(-1, 0, 0)))
    return m


def test_loops_that_do_not_close_are_named_with_the_gap():
    world = World()
    with pytest.raises(rbdyn.LoopError, match=r"'far_pin' is still open by 0 rad and 2 m"):
        world.add_articulated_system(out_of_reach())
    assert world.objects == ()


def test_a_system_starts_closed():
    robot = World().add_articulated_system(four_bar())
    assert open_by(robot) < 1e-12


def test_a_configuration_that_opens_a_loop_is_refused():
    robot = World().add_articulated_system(four_bar())
    q = in_motion(0.9, 0.0)[0].q
    robot.set_state(q)
    with pytest.raises(rbdyn.LoopError, match=r"q opens loop joint 'pin0' by .* rad and .* m"):
        robot.set_state(q + 0.1)
    np.testing.assert_array_equal(robot.q, q)
    robot.set_state(np.round(q, 4))
    assert open_by(robot) < 1e-12
    np.testing.assert_allclose(robot.q, q, atol=1e-3)


def test_a_velocity_that_opens_a_loop_is_shared_as_by_a_sudden_connection():
    world = World(1e-5, gravity=(0, 0, 0))
    robot = world.add_articulated_system(four_bar())
    robot.set_state(in_motion(0.9, 0.0)[0].q, [3.0, 0.0, 0.0])
    right = rbdyn.project_velocity(robot.state)
    world.step()
    np.testing.assert_allclose(robot.v, right, atol=1e-3)
    assert np.abs(right - [3.0, 0.0, 0.0]).max() > 0.5


def test_loops_that_a_user_opened_close_smoothly():
    """By 1 m/s at most, and no velocity follows."""
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(four_bar())
    q = in_motion(0.9, 0.0)[0].q
    robot.state.set(q + [0.0, 0.05, 0.0], np.zeros(3))
    before = open_by(robot)
    world.step()
    assert before > 0.04 and before - 1.5e-3 < open_by(robot) < before - 0.5e-3
    world.step(100)
    assert open_by(robot) < 1e-9
    assert np.abs(robot.v).max() < 1e-9


def test_a_crank_that_diverges_leaves_the_last_good_state():
    world = World(1e-3)
    robot = world.add_articulated_system(four_bar())
    robot.set_state(in_motion(0.9, 0.0)[0].q)
    q = robot.q
    robot.set_generalized_force([1e308, 1e308, -1e308])
    with pytest.raises(rbdyn.DivergenceError):
        world.step(5)
    assert np.isfinite(robot.q).all() and open_by(robot) < 1e-6
    assert q.shape == robot.q.shape
