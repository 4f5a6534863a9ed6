"""Motion without contact: against MuJoCo and an integrator of high order, and conservation laws."""

import functools

import numpy as np
import pytest
from reference import oracle
from world.scenes import World, about_centre, middle_of_step, random_quat

import rbdyn
from rbdyn import models


@functools.cache
def exact_motion(q, v, time, steps):
    """The double pendulum by Runge-Kutta of order 4 on the oracle's forward dynamics."""
    mechanism = without_losses(models.double_pendulum())

    def rate(x):
        n = len(v)
        return np.append(x[n:], oracle.forward_dynamics(mechanism, x[:n], x[n:], np.zeros(n)))

    x, h = np.append(q, v), time / steps
    for _ in range(steps):
        a = rate(x)
        b = rate(x + 0.5 * h * a)
        c = rate(x + 0.5 * h * b)
        d = rate(x + h * c)
        x = x + h / 6 * (a + 2 * b + 2 * c + d)
    return x


def without_losses(mechanism):
    for joint in mechanism.tree_joints:
        joint.damping = joint.friction = 0.0
        joint.velocity_limit = None
    return mechanism


@pytest.mark.parametrize(("integrator", "least"), [("trapezoid", 1.9), ("semi_implicit", 0.9)])
def test_a_double_pendulum_converges_to_its_motion(integrator, least):
    mechanism = without_losses(models.double_pendulum())
    q, v, time = np.array([1.2, -0.6]), np.array([0.5, 2.0]), 0.5
    expected = exact_motion(tuple(q), tuple(v), time, 240)
    assert np.abs(expected[:2] - q).max() > 0.5
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        world = World(dt)
        world.integrator = integrator
        robot = world.add_articulated_system(mechanism, self_collision=False)
        robot.set_state(q, v)
        world.step(round(time / dt))
        errors.append(np.abs(np.append(robot.q, robot.v) - expected).max())
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (order > least).all()
    assert errors[-1] < (1e-4 if integrator == "trapezoid" else 5e-2)


def test_a_floating_quadruped_moves_as_in_mujoco():
    """Thrown, joints free; RK4 of MuJoCo at the same step."""
    mujoco = pytest.importorskip("mujoco")
    from algorithms.systems import layout
    from reference.mujoco_twin import MujocoTwin

    mechanism = without_losses(models.quadruped())
    rng = np.random.default_rng(4)
    world = World(1e-4)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    q = rbdyn.models.QUADRUPED_STANCE.q
    q[3:7] = random_quat(rng)
    v = rng.normal(size=18)
    robot.set_state(q, v)
    iq, iv = layout(robot.model, mechanism)
    twin = MujocoTwin(mechanism, q[iq], v[iv])
    twin.model.opt.timestep = 1e-3
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    twin.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    for _ in range(200):
        mujoco.mj_step(twin.model, twin.data)
    mujoco.mj_forward(twin.model, twin.data)
    errors = []
    for dt in (2e-4, 1e-4):
        world.time_step = dt
        robot.set_state(q, v)
        world.step(round(0.2 / dt))
        errors.append(max(
            np.abs(robot.body_pose(name) - twin.pose(name)).max() for name in ("base", "LF_SHANK", "RH_FOOT")))
    assert errors[1] < 1e-7
    assert errors[1] < 0.3 * errors[0]


def test_a_free_body_keeps_its_energy_and_its_way():
    world = World(1e-3, gravity=(0, 0, 0))
    box = world.add_box(0.5, 0.2, 0.1, 3.0)
    box.set_pose((0, 0, 0), random_quat(np.random.default_rng(0)))
    box.set_velocity((0.1, 0.2, 0.3), box.rotation @ [0.02, 6.0, 0.01])  # the middle axis: it turns over
    L, T = box.angular_momentum, box.kinetic_energy
    turned, flips = box.rotation[:, 1] @ L / np.linalg.norm(L), 0
    worst = 0.0
    for _ in range(500):
        world.step(200)
        worst = max(worst, abs(box.kinetic_energy / T - 1))
        now = box.rotation[:, 1] @ L / np.linalg.norm(L)
        flips += now * turned < 0
        turned = now
    assert world.steps == 100000
    assert flips >= 5
    assert worst < 1e-4
    assert abs(np.linalg.norm(box.orientation) - 1) < 1e-14
    assert box.position == pytest.approx(np.array([0.1, 0.2, 0.3]) * 100, rel=1e-10)


def test_a_free_body_keeps_its_angular_momentum():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        world = World(1e-3, gravity=(0, 0, -9.81))
        box = world.add_box(*rng.uniform(0.1, 0.5, 3), 3.0)
        box.set_pose((0, 0, 0), random_quat(rng))
        box.set_velocity((0.1, 0.2, 0.3), 5 * rng.normal(size=3))
        L = box.angular_momentum
        world.step(1000)
        assert np.abs(box.angular_momentum - L).max() < 1e-12 * np.linalg.norm(L)


def test_a_spinning_top_precesses_by_poinsot():
    """A cylinder's axis precesses about L at the rate L / I_side, at second order in the step."""
    errors = []
    for dt in (2e-3, 1e-3):
        world = World(dt, gravity=(0, 0, 0))
        top = world.add_cylinder(0.3, 0.1, 2.0)
        w = np.array([1.0, 0.0, 8.0])
        top.set_velocity(angular=w)
        L, side = top.angular_momentum, top.inertia[0, 0]
        world.step(round(1.0 / dt))
        rate = np.linalg.norm(L) / side
        K = np.cross(np.eye(3), L / np.linalg.norm(L))
        R = np.eye(3) + np.sin(rate) * K + (1 - np.cos(rate)) * K @ K
        errors.append(np.linalg.norm(top.rotation[:, 2] - R @ [0, 0, 1]))
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
def test_free_fall(integrator):
    dt, n = 1e-3, 500
    world = World(dt, gravity=(1.0, -2.0, -9.0))
    world.integrator = integrator
    robot = world.add_articulated_system(models.quadruped())
    z = robot.q[:3]
    ball = world.add_sphere(0.1, 2.0, mask=0)
    world.step(n)
    g, t = world.gravity, n * dt
    way = {"trapezoid": 0.5 * t * t, "semi_implicit": 0.5 * t * (t + dt), "euler": 0.5 * t * (t - dt)}[integrator]
    assert ball.position == pytest.approx(g * way, rel=1e-11)
    assert robot.q[:3] - z == pytest.approx(g * way, rel=1e-9)
    assert ball.linear_velocity == pytest.approx(g * t, rel=1e-12)
    assert robot.v[:3] == pytest.approx(g * t, rel=1e-9)


def test_external_forces_live_one_step_and_act_as_force_times_time():
    dt = 0.01
    world = World(dt, gravity=(0, 0, 0))
    box = world.add_box(0.2, 0.4, 0.6, 2.0)
    box.set_pose((1, 2, 3), random_quat(np.random.default_rng(1)))
    force, point = np.array([3.0, -1.0, 2.0]), np.array([0.1, -0.2, 0.05])
    box.set_external_force(0, force, point)
    box.set_external_force(0, force)
    box.set_external_torque(0, (0.1, 0.2, 0.3))
    R = box.rotation
    world.step()
    assert box.linear_velocity == pytest.approx(2 * force * dt / 2.0, rel=1e-13)
    assert box.angular_momentum == pytest.approx(dt * (np.cross(R @ point, force) + [0.1, 0.2, 0.3]), rel=1e-10)
    v, L = box.linear_velocity, box.angular_momentum
    world.step(10)
    assert (box.linear_velocity == v).all()
    assert box.angular_momentum == pytest.approx(L, rel=1e-12)
    box.set_external_force(0, (1e3, 0, 0))
    box.clear_external_forces()
    world.step()
    assert (box.linear_velocity == v).all()


def test_external_forces_on_a_robot_are_generalized_forces():
    """M (u+ - u) / dt = J^T F - h in the middle of the step, at a point of a merged link; momentum says the base's."""
    rng = np.random.default_rng(3)
    dt = 1e-3
    world = World(dt)
    robot = world.add_articulated_system(models.quadruped())
    D = robot.model.array("damping")
    assert not D[:6].any()
    E = np.diag(0.5 * dt * D)

    def acceleration(state, v, body, wrench, point):
        J = rbdyn.point_jacobian_6d(state, body, (0, 0, 0))
        arm = rbdyn.body_pose(state, body)[:3, :3] @ point
        pull = J.T @ (wrench + np.append(np.cross(arm, wrench[3:]), np.zeros(3)))
        return np.linalg.solve(rbdyn.mass_matrix(state) + E, pull - rbdyn.bias_forces(state) - D * v)

    for body in ("LF_SHANK", "RH_THIGH", "base"):
        q = rbdyn.models.QUADRUPED_STANCE.q
        q[3:7] = random_quat(rng)
        robot.set_state(q, rng.normal(size=18))
        force, torque, point = rng.normal(size=3) * 50, rng.normal(size=3), 0.1 * rng.normal(size=3)
        for pushed in (1.0, 0.0):
            before = robot.state.copy()
            wrench = pushed * np.append(torque, force)
            if pushed:
                robot.set_external_force(body, force, point)
                robot.set_external_torque(body, torque)
            world.step()
            start = acceleration(before, before.v, body, wrench, point)
            middle = acceleration(middle_of_step(before, start, dt), before.v, body, wrench, point)
            assert (robot.v - before.v)[6:] / dt == pytest.approx(middle[6:], rel=1e-9, abs=1e-9)
            assert (robot.v - before.v)[:6] / dt == pytest.approx(middle[:6], abs=1e-3 * np.abs(middle).max())
            lever = (0.5 * (rbdyn.body_pose(before, body) + robot.body_pose(body)) @ np.append(point, 1.0))[:3]
            centre = 0.5 * (rbdyn.center_of_mass(before) + rbdyn.center_of_mass(robot.state))
            change = about_centre(robot.state) - about_centre(before)
            assert change[3:] == pytest.approx(dt * (wrench[3:] + robot.total_mass * world.gravity), abs=1e-12)
            assert change[:3] == pytest.approx(dt * (wrench[:3] + np.cross(lever - centre, wrench[3:])), abs=1e-13)


def test_the_base_of_an_arm_can_be_moved():
    """Tilting the base is tilting gravity the other way, and the bodies move with it."""
    turn = np.array([np.cos(0.35), np.sin(0.35), 0.0, 0.0])
    R = rbdyn.Transform(quat=turn).rotation
    q, v = np.array([0.3, -0.4, 0.5, 0.1, 0.2, -0.3]), np.linspace(-0.5, 0.5, 6)
    moved, plain = World(1e-3), World(1e-3, gravity=R.T @ [0, 0, -9.81])
    robots = [w.add_articulated_system(models.six_axis_arm()) for w in (moved, plain)]
    robots[0].set_base_pose((1.0, 2.0, 3.0), turn)
    for robot in robots:
        robot.set_state(q, v)
    for w in (moved, plain):
        w.step(200)
    assert np.abs(robots[0].q - q).max() > 0.05
    assert robots[0].q == pytest.approx(robots[1].q, abs=1e-11)
    there, here = robots[0].body_pose("tool"), robots[1].body_pose("tool")
    assert there[:3, :3] == pytest.approx(R @ here[:3, :3], abs=1e-11)
    assert there[:3, 3] == pytest.approx(R @ here[:3, 3] + [1, 2, 3], abs=1e-11)
    level = World(1e-3)
    untilted = level.add_articulated_system(models.six_axis_arm())
    untilted.set_state(q, v)
    level.step(200)
    assert np.abs(untilted.q - robots[0].q).max() > 1e-3


@pytest.mark.filterwarnings("ignore:a step takes")
def test_slow_turns_are_as_exact_as_fast_ones():
    """2^-20 times the speed in steps 2^20 times as long: the same orientations, and smaller velocities, bit for bit."""
    bodies = []
    for power in (0, 20):
        world = World(2.0 ** (power - 8), gravity=(0, 0, 0))
        bodies.append(world.add_box(0.3, 0.5, 0.8, 2.0))
        bodies[-1].set_pose((0, 0, 0), (0.5, 0.5, -0.5, 0.5))
        bodies[-1].set_velocity((0, 0, 0), np.ldexp([3.0, -5.0, 7.0], -power))
        world.step(200)
    fast, slow = bodies
    assert np.abs(fast.orientation - (0.5, 0.5, -0.5, 0.5)).max() > 0.1
    np.testing.assert_array_equal(slow.orientation, fast.orientation)
    np.testing.assert_array_equal(slow.angular_velocity, np.ldexp(fast.angular_velocity, -20))
