"""Springs, dampers and implicit PD control against the closed-form map of the theta-scheme; effort limits."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import models

SCHEMES = {"trapezoid": (0.5, 0.5), "semi_implicit": (1.0, 1.0), "euler": (0.5, 0.0)}


def slider(mass=1.7, **joint):
    """A mass on a rail."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(mass, (0, 0, 0), 0.01 * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)), **joint))
    return mechanism


def closed_form(m, K, D, dt, theta, gamma):
    """The linear map (q, u) -> (q, u) of one step towards q_ref = 0."""
    inverse = 1.0 / (m + theta * dt * D + theta * gamma * dt * dt * K)
    du = dt * inverse * np.array([-K, -theta * dt * K - D])
    u_row = np.array([0.0, 1.0]) + du
    q_row = np.array([1.0, 0.0]) + dt * ((1 - gamma) * np.array([0.0, 1.0]) + gamma * u_row)
    return np.array([q_row, u_row])


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize(("K", "D"), [(100.0, 0.0), (30.0, 2.0), (1e4, 1.0), (0.0, 3.0)])
def test_pd_and_springs_follow_the_closed_form_map(integrator, passive, K, D):
    m, dt = 1.7, 0.01
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m, stiffness=K, damping=D) if passive else slider(m))
    if not passive:
        robot.set_pd_gains(K, D)
    x = np.array([0.3, -1.2])
    A = closed_form(m, K, D, dt, *SCHEMES[integrator])
    assert abs(np.linalg.det(A) - 1) > 1e-4 or D == 0.0
    robot.set_state(x[:1], x[1:])
    scale = 1.0
    for _ in range(40):
        x = A @ x
        world.step()
        scale = max(scale, np.abs(x).max())
        assert np.append(robot.q, robot.v) == pytest.approx(x, abs=1e-12 * scale)


def test_an_undamped_oscillator_keeps_its_energy_by_the_midpoint_rule():
    for K in (1.0, 100.0, 1e6):
        world = World(0.01, gravity=(0, 0, 0))
        robot = world.add_articulated_system(slider(2.0))
        robot.set_pd_gains(K, 0.0)
        robot.set_state([0.2], [0.7])
        start = 0.5 * K * 0.2**2 + 0.5 * 2.0 * 0.7**2
        for _ in range(500):
            world.step()
            assert 0.5 * K * robot.q[0] ** 2 + robot.v[0] ** 2 == pytest.approx(start, rel=1e-12 * max(1, np.sqrt(K)))


def test_the_eigenvalues_are_those_of_the_trapezoid_rule():
    """Stable for every gain; on the unit circle without damping."""
    dt, m = 0.01, 1.0
    for K, D in ((100.0, 0.0), (1e4, 1.0), (1e8, 0.0)):
        world = World(dt, gravity=(0, 0, 0))
        robot = world.add_articulated_system(slider(m))
        robot.set_pd_gains(K, D)
        columns = []
        for q, v in ((1.0, 0.0), (0.0, 1.0)):
            robot.set_state([q], [v])
            world.step()
            columns.append([robot.q[0], robot.v[0]])
        z = 0.5 * dt * np.roots([1.0, D / m, K / m])
        expected = (1 + z) / (1 - z)
        got = np.linalg.eigvals(np.array(columns).T)
        assert np.sort_complex(got) == pytest.approx(np.sort_complex(expected), abs=1e-9)
        assert np.abs(got).max() <= 1 + 1e-9


def test_targets_and_feed_forward_shift_the_rest_position():
    world = World(2e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(1.0, stiffness=50.0, spring_reference=[-0.4]))
    robot.set_pd_gains(150.0, 20.0)
    robot.set_pd_target([0.3])
    robot.set_generalized_force([8.0])
    world.step(5000)
    rest = (150 * 0.3 + 50 * -0.4 + 8.0) / 200
    assert robot.q == pytest.approx([rest], abs=1e-10)
    assert robot.applied_force == pytest.approx([50 * (rest + 0.4)], abs=1e-8)
    robot.set_pd_target(v=[2.0])
    robot.control_mode = "force"
    world.step(1)
    assert robot.applied_force == pytest.approx([8.0], abs=1e-12)


def test_a_moving_target_is_followed():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(1.0))
    robot.set_pd_gains(0.0, 30.0)
    robot.set_pd_target(v=[0.5])
    world.step(2000)
    assert robot.v == pytest.approx([0.5], abs=1e-10)


def test_an_effort_limit_clamps_the_explicit_command():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, effort_limit=5.0))
    robot.set_generalized_force([80.0])
    world.step(10)
    assert robot.v == pytest.approx([5.0 / 2.0 * 0.01], rel=1e-12)
    assert robot.applied_force == pytest.approx([5.0])
    robot.set_generalized_force([-80.0])
    world.step(10)
    assert robot.v == pytest.approx([0.0], abs=1e-14)
    assert robot.applied_force == pytest.approx([-5.0])


def test_the_clamp_leaves_springs_and_damping_alone():
    dt, m, K, D = 1e-3, 2.0, 300.0, 4.0
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, effort_limit=1.0, stiffness=K, damping=D))
    robot.set_state([0.5], [0.2])
    world.step()
    expected = closed_form(m, K, D, dt, 0.5, 0.5) @ [0.5, 0.2]
    assert np.append(robot.q, robot.v) == pytest.approx(expected, abs=1e-14)


def test_a_floating_base_gets_no_gains():
    world = World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.quadruped())
    robot.set_pd_gains(100.0, 10.0)
    p, d = robot.pd_gains
    assert (p[:6] == 0).all()
    assert (d[:6] == 0).all()
    assert (p[6:] == 100).all()
    robot.set_pd_target(robot.q)
    v = np.zeros(18)
    v[:3] = 1.0, 2.0, 3.0
    robot.set_state(robot.q, v)
    world.step(100)
    assert robot.v[:3] == pytest.approx([1, 2, 3], abs=1e-10)


def test_a_ball_joint_spring_turns_about_its_axis():
    """A sphere on a Spherical joint, turned about one axis, swings like a one-dof torsion spring."""
    J, K, D, dt = 0.3, 5.0, 0.2, 5e-3
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    body = rbdyn.RigidBody("ball", rbdyn.SpatialInertia(1.0, (0, 0, 0), J * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("socket", rbdyn.Spherical()))
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains(K, D)
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    x = np.array([0.8, -0.5])
    robot.set_state(np.append(np.cos(0.4), np.sin(0.4) * axis), x[1] * axis)
    A = closed_form(J, K, D, dt, 0.5, 0.5)
    for _ in range(100):
        x = A @ x
        world.step()
        assert robot.v == pytest.approx(x[1] * axis, abs=1e-12)
        assert np.abs(robot.q - np.append(np.cos(x[0] / 2), np.sin(x[0] / 2) * axis)).max() < 1e-12


@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize(("D", "left"), [(100.0, 1 / 3), (340.0, 0.0), (1700.0, 0.0), (1e7, 0.0)])
def test_no_damper_turns_a_velocity_round(passive, D, left):
    """dt D / m = 10/17, 2, 10 and 6e4: what is left after a step is (1 - x/2) / (1 + x/2), or nothing beyond x = 2.

    With theta 1/2 for all, the last would go on at -0.99993 of its speed, to and fro.
    """
    m, dt = 1.7, 0.01
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, damping=D) if passive else slider(m))
    if not passive:
        robot.set_pd_gains(0.0, D)
    x = dt * D / m
    left = (1 - x / 2) / (1 + x / 2) if left else 0.0
    robot.set_state([0.0], [3.0])
    world.step()
    assert robot.v == pytest.approx([3.0 * left], abs=1e-9)
    assert robot.q == pytest.approx([dt * 1.5 * (1 + left)], abs=1e-11)


@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_fast_motors_on_light_joints_do_not_ring(dt):
    """An arm of six axes with dampers up to 1e5 times its wrist's inertia over the step."""
    for D in (10.0, 1e3, 1e5):
        world = World(dt, gravity=(0, 0, 0))
        robot = world.add_articulated_system(models.six_axis_arm(), self_collision=False)
        robot.set_effort_limits(-np.inf, np.inf)
        robot.set_state(v=np.ones(6))
        robot.set_pd_gains(0.0, D)
        speeds, energies = [], []
        for _ in range(60):
            world.step()
            speeds.append(robot.v.copy())
            energies.append(rbdyn.kinetic_energy(robot.state))
        flips = np.sign(speeds[21:]) * np.sign(speeds[20:-1]) < 0
        assert (flips & (np.abs(speeds[20:-1]) > 1e-9)).sum(axis=0).max() <= 2
        assert (np.diff(energies) <= 1e-12 * energies[0]).all()
        assert energies[-1] < 0.95 * energies[10]
