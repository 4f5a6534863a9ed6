"""Closed loops in a World: against closed forms, the algorithms on a State, and the laws of momentum."""

import numpy as np
import pytest
from algorithms.four_bar import A, B, derivatives, equation, four_bar, in_motion, n
from algorithms.stewart_platform import stewart_platform
from mechanism.loops import closed
from world.closed_robots import CORNERS, minitaur, standing

import rbdyn
from benchmarks.mechanisms.carrying import HALF, TOP, carry
from rbdyn import World
from rbdyn.collision.shapes import Sphere
from rbdyn.contact import BisectionSolver


def energy(robot):
    return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)


def open_by(robot):
    return np.abs(rbdyn.loop_error(robot.state)).max()


def crank_angle(t1, rate, time, rotor=0.0, steps=4000):
    """Closed form of the four-bar, by the Runge-Kutta method."""

    def slope(x):
        m, s, w = equation(x[0], rotor)
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
    assert abs(errors[-1]) < 2e-5 and abs(right - 0.9) > 1.0
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


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


def test_a_parallelogram_passes_its_flat_poses():
    """There its loop loses rows for an instant; it keeps its branch and its energy."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    hinge = rbdyn.Revolute((0, 0, 1))
    first, coupler, second = (
        rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0, (x / 2, 0, 0), np.diag([0.001, x * x / 12, x * x / 12])))
        for name, x in (("first", 0.4), ("coupler", 1.0), ("second", 0.4))
    )
    m.attach(m.root_body, first, rbdyn.Joint("a", hinge))
    m.attach(first, coupler, rbdyn.Joint("b", hinge), rbdyn.Transform(translation=(0.4, 0, 0)))
    m.attach(m.root_body, second, rbdyn.Joint("c", hinge), rbdyn.Transform(translation=(1.0, 0, 0)))
    tips = [rbdyn.Transform(translation=(x, 0, 0)) for x in (1.0, -0.4)]
    m.attach(coupler, second, rbdyn.Joint("pin", hinge), *tips)
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m)
    robot.set_state([1.0, -1.0, 1.0], [5.0, -5.0, 5.0])
    for _ in range(3000):
        world.step()
        assert open_by(robot) < 1e-8
    np.testing.assert_allclose(robot.v, [5.0, -5.0, 5.0], atol=1e-3)
    np.testing.assert_allclose(robot.q, [16.0, -16.0, 16.0], atol=1e-3)


def test_a_four_bar_swings_as_in_mujoco():
    """With a stiff equality constraint and short steps there; the difference is of second order in the step here."""
    mujoco = pytest.importorskip("mujoco")
    from reference.mujoco_twin import mjcf

    mechanism, state = four_bar(), in_motion(0.9, 4.0)[0]
    loop = mechanism.find_joint("pin0")
    names = [f"carrier_{body.name}" for body in (mechanism.predecessor(loop), mechanism.successor(loop))]
    stiff = 'solref="1e-4 1" solimp="0.9999 0.9999 1"'
    connect = f'<connect body1="{names[0]}" body2="{names[1]}" anchor="{B} 0 0" {stiff}/>'
    text = mjcf(mechanism).replace("</mujoco>", f"<equality>{connect}</equality></mujoco>")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = 5e-5, mujoco.mjtIntegrator.mjINT_RK4
    # the second anchor is that of the closed linkage
    there = np.linalg.inv(rbdyn.body_pose(state, "rocker")) @ rbdyn.body_pose(state, "coupler") @ [B, 0, 0, 1]
    model.eq_data[0, 3:6] = there[:3]
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    mujoco.mj_step(model, data, nstep=8000)
    errors = []
    for dt in (2e-3, 1e-3):
        world = World(dt, gravity=(0, -9.81, 0))
        robot = world.add_articulated_system(four_bar())
        robot.set_state(state.q, state.v)
        world.step(round(0.4 / dt))
        errors.append(np.abs(robot.q - data.qpos).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)
    assert np.abs(data.qpos - state.q).max() > 0.5


@pytest.mark.parametrize("case", range(8))
def test_limp_mechanisms_with_loops_fall_and_gain_nothing(case):
    mechanism, state = closed(case)
    for body in mechanism.bodies[1:]:
        body.collision = [rbdyn.Geometry(Sphere(0.15))]
    world = World(2e-3)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(state.q, state.v * min(1.0, 3.0 / np.abs(state.v).max()))
    lowest = min(rbdyn.body_pose(robot.state, body.name)[2, 3] for body in mechanism.bodies[1:])
    world.add_ground(lowest - 0.2)
    start = energy(robot)
    for _ in range(300):
        world.step()
        assert open_by(robot) < 1e-7
        assert energy(robot) < start + 0.02 * (abs(start) + rbdyn.kinetic_energy(robot.state) + 1.0)


# ---- forces in loop joints --------------------------------------------------------------------------------------


def multipliers(robot, state):
    """K^T times what the loop joints say, (nv,)."""
    K, total = rbdyn.loop_jacobian(state), np.zeros(robot.nv)
    for name, rows in robot.model.loop_rows.items():
        joint = robot.mechanism.find_joint(name)
        blocked = {"Revolute": [0, 1, 3, 4, 5], "Spherical": [3, 4, 5]}[type(joint.joint_type).__name__]
        total += K[rows].T @ robot.loop_force(name)[blocked]
    return total


def force_of(state, vd):
    """Inverse dynamics of the tree without its loops, (nv,)."""
    return rbdyn.mass_matrix(state) @ vd + rbdyn.bias_forces(state)


SPRUNG = {"stiffness": 300.0, "spring_reference": [0.5], "damping": 2.0}


@pytest.mark.parametrize("what", [{}, SPRUNG, {"rotor_inertia": 0.4}])
def test_loop_forces_are_those_of_inverse_dynamics_in_contact(what):
    """Beside the rows of the pins, what a spring or a rotor does along what the first one allows."""
    dt = 1e-3
    world, robot = World(dt, gravity=(0, -9.81, 0)), None
    mechanism = four_bar(pins=(-0.1, 0.2))
    for name, value in what.items():
        setattr(mechanism.find_joint("pin0"), name, value)
    mechanism.find_body("crank").collision = [rbdyn.Geometry(Sphere(0.05), rbdyn.Transform(translation=(A, 0, 0)))]
    robot = world.add_articulated_system(mechanism)
    robot.set_state(*(lambda s: (s.q, s.v))(in_motion(0.6, -3.0)[0]))
    floor = world.add_box(4.0, 0.1, 4.0, 1.0)
    floor.body_type = "static"
    floor.set_pose(position=(0.0, A * np.sin(0.55) - 0.1, 0.0))
    touched = 0
    for _ in range(100):
        before = robot.state.copy()
        world.step()
        tau = force_of(before, (robot.v - before.v) / dt) - multipliers(robot, before)
        tau -= robot.loop_force("pin0")[2] * np.array([-1.0, -1.0, 1.0])
        if "rotor_inertia" not in what or np.abs(robot.v - before.v).max() > 1e-9:   # a rotor resists accelerations
            assert (robot.loop_force("pin0")[2] != 0.0) == bool(what)
        for c in world.contacts:
            at = np.linalg.inv(rbdyn.body_pose(before, "crank")) @ np.append(c.position, 1.0)
            tau -= rbdyn.point_jacobian(before, "crank", at[:3]).T @ c.force_on(robot)
        if world.contacts:
            touched += 1
            np.testing.assert_allclose(tau, 0.0, atol=1e-9)
    assert touched > 20 and np.abs(robot.loop_force("pin0")).max() > 1.0


def test_loop_forces_are_those_of_inverse_dynamics_in_flight():
    """In the middle of the step, to which the accelerations of the closed mechanism lead."""
    dt = 2e-3
    world = World(dt, gravity=(0, -9.81, 0))
    robot = world.add_articulated_system(four_bar(pins=(0.3,)))
    state = in_motion(0.6, 4.0)[0]
    robot.set_state(state.q, state.v)
    robot.set_generalized_force([0.7, -0.2, 0.4])
    for _ in range(20):
        before = robot.state.copy()
        world.step()
        v = before.v + dt / 2 * rbdyn.dynamics(before, [0.7, -0.2, 0.4], stiffness=0.0, damping=0.0).vd
        middle = before.copy()
        middle.set(rbdyn.integrate(robot.model, before.q, v, dt / 2), v)
        tau = force_of(middle, (robot.v - before.v) / dt) - multipliers(robot, middle)
        np.testing.assert_allclose(tau, [0.7, -0.2, 0.4], atol=1e-9)
    assert np.abs(robot.loop_force("pin0")).max() > 1.0


def test_a_beam_that_a_loop_holds_twice_rests_on_it():
    """No degree of freedom is left; the fixed loop joint carries the moment of the weight."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("wall"))
    beam = rbdyn.RigidBody("beam", rbdyn.SpatialInertia(2.0, (0.3, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, beam, rbdyn.Joint("hinge", rbdyn.Revolute((0, 1, 0))))
    m.attach(m.root_body, beam, rbdyn.Joint("hold", rbdyn.Fixed()))
    world = World(1e-3)
    robot = world.add_articulated_system(m)
    world.step(20)
    np.testing.assert_allclose(robot.loop_force("hold"), [0, -2.0 * 9.81 * 0.3, 0, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(robot.q, 0.0, atol=1e-15)


def test_loop_forces_can_be_asked_for_by_joint_and_are_none_at_first():
    robot = World().add_articulated_system(four_bar())
    np.testing.assert_array_equal(robot.loop_force(robot.mechanism.find_joint("pin0")), np.zeros(6))
    np.testing.assert_array_equal(robot.loop_error, rbdyn.loop_error(robot.state))
    with pytest.raises(rbdyn.UnknownNameError, match="no loop joint named 'motor'"):
        robot.loop_force("motor")


# ---- rows in place of elimination ---------------------------------------------------------------------------------


def test_rows_in_the_problem_move_a_linkage_as_elimination_does():
    ends = []
    for how in ("eliminate", "inloop"):
        world = World(1e-3, gravity=(0, -9.81, 0))
        world.integrator = "semi_implicit"
        robot = world.add_articulated_system(four_bar(pins=(0.0, 0.2)), loop_constraints=how)
        assert robot.loop_constraints == how
        state = in_motion(0.9, 3.0)[0]
        robot.set_state(state.q, state.v)
        worst = 0.0
        for _ in range(1000):
            world.step()
            worst = max(worst, open_by(robot))
        assert worst < 1e-11
        ends.append((robot.q, robot.v, robot.loop_force("pin0") + robot.loop_force("pin1")))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-6)
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-5)
    np.testing.assert_allclose(ends[0][2][3:], ends[1][2][3:], atol=1e-3)


def driven(case, how):
    """A random mechanism with loops, friction, dampers and weak motors above smooth ground."""
    mechanism, state = closed(case)
    rng = np.random.default_rng(case)
    for body in mechanism.bodies[1:]:
        body.collision = [rbdyn.Geometry(Sphere(0.15))]
    for joint in mechanism.tree_joints:
        if joint.num_velocities == 1:
            joint.friction, joint.effort_limit = float(rng.random()), 2.0
    for joint in mechanism.non_tree_joints:
        joint.friction, joint.damping = 0.5 * rng.integers(2), 0.5 * rng.integers(2)
    world = World(2e-3, contact=BisectionSolver(threshold=1e-11, max_iterations=3000))
    world.integrator = "semi_implicit"
    world.set_default_material(0.0)
    robot = world.add_articulated_system(mechanism, self_collision=False, loop_constraints=how)
    robot.set_state(state.q, state.v * min(1.0, 3.0 / np.abs(state.v).max()))
    lowest = min(rbdyn.body_pose(robot.state, body.name)[2, 3] for body in mechanism.bodies[1:])
    world.add_ground(lowest - 0.16)
    robot.set_pd_gains(20.0, 0.5)
    return world, robot


@pytest.mark.parametrize("case", range(16))
def test_both_ways_give_the_same_step(case):
    """With contacts, friction, dampers and motors at their limits; each step from the same state."""
    (world, robot), (other, twin) = driven(case, "eliminate"), driven(case, "inloop")
    for _ in range(40):
        world.step()
        other.step()
        np.testing.assert_allclose(twin.v, robot.v, atol=2e-6 * (1.0 + np.abs(robot.v).max()))
        robot.set_state(robot.q, robot.v)
        twin.set_state(robot.q, robot.v)
    assert np.abs(robot.v).max() > 1e-3


def walking(how, time, dt=1e-3):
    """The minitaur walks in place: legs lift by turns."""
    world = World(dt)
    world.add_ground()
    robot = world.add_articulated_system(minitaur(), loop_constraints=how)
    q = standing()
    robot.set_state(q)
    gains = np.zeros((2, robot.nv))
    motors = {
        (leg, side): robot.model.joint_v_index(f"{leg}_motor_{side}") for leg in CORNERS for side in "ab"
    }
    gains[0, list(motors.values())], gains[1, list(motors.values())] = 60.0, 1.0
    robot.set_pd_gains(*gains)
    worst, lifted = 0.0, set()
    for k in range(round(time / dt)):
        target = q.copy()
        for (leg, side), dof in motors.items():
            phase = 2 * np.pi * k * dt / 0.6 + (np.pi if leg in ("LF", "RH") else 0.0)
            target[dof + 1] += (0.35 if side == "a" else -0.35) * max(0.0, np.sin(phase))
        robot.set_pd_target(target)
        world.step()
        worst = max(worst, open_by(robot))
        lifted.add(len(world.contacts))
    return robot, worst, lifted


def test_a_quadruped_walks_in_place_and_both_ways_agree():
    robot, worst, feet = walking("eliminate", 1.5)
    twin, worst_of_rows, _ = walking("inloop", 1.5)
    assert worst < 1e-11 and worst_of_rows < 1e-11
    np.testing.assert_allclose(robot.q, twin.q, atol=1e-6)
    assert {2, 4} <= feet
    assert 0.2 < robot.q[2] < 0.25


def test_a_quadruped_walks_in_place_for_long():
    robot, worst, feet = walking("eliminate", 20.0, 2e-3)
    assert worst < 1e-11
    assert {2, 3} <= feet
    assert robot.q[2] == pytest.approx(0.241, abs=2e-3)
    assert np.abs(robot.q[:2]).max() < 0.05


@pytest.mark.parametrize("how", ["eliminate", "inloop"])
def test_a_stewart_platform_carries_a_tumbling_box(how):
    moments = list(carry(how, 1.5))
    assert max(m.open for m in moments) < 2e-11
    assert max(m.spin for m in moments[300:]) > 2.0
    last = moments[-1]
    assert np.abs(last.box[:2]).max() < HALF and last.box[2] > TOP + 0.07
    assert max(m.moved for m in moments) > 0.05


# ---- what acts along loop joints ----------------------------------------------------------------------------------


def test_a_rotor_on_a_loop_joint_is_that_of_the_closed_form():
    right = crank_angle(0.9, 5.0, 0.5, rotor=0.4)
    plain, errors = crank_angle(0.9, 5.0, 0.5), []
    for dt in (2e-3, 1e-3):
        world = World(dt, gravity=(0, -9.81, 0))
        robot = world.add_articulated_system(four_bar(rotor=0.4))
        state = in_motion(0.9, 5.0, 0.4)[0]
        robot.set_state(state.q, state.v)
        world.step(round(0.5 / dt))
        errors.append(robot.q[0] - right)
    assert abs(errors[1]) < 0.02 * abs(plain - right)
    assert abs(errors[1]) < 0.7 * abs(errors[0])


def pinned(**asks):
    """The four-bar with something on its pin, and its pin's angle over the crank's: derivative, at t1."""
    mechanism = four_bar()
    joint = mechanism.find_joint("pin0")
    for name, value in asks.items():
        setattr(joint, name, value)
    return mechanism


def pin_rate(t1):
    _, d, _ = derivatives(t1)
    return d[2] - d[1]


def test_a_spring_on_a_loop_joint_acts():
    t1, dt = 0.9, 1e-5
    (_, t2, t3), _, _ = derivatives(t1)
    world = World(dt, gravity=(0, -9.81, 0))
    robot = world.add_articulated_system(pinned(stiffness=30.0, spring_reference=[0.5]))
    robot.set_state(in_motion(t1, 0.0)[0].q)
    world.step()
    m, _, w = equation(t1)
    torque = 30.0 * (0.5 - (t3 - t2))
    assert abs(torque) > 1.0
    assert robot.v[0] / dt == pytest.approx((torque * pin_rate(t1) - w) / m, rel=1e-4)
    assert robot.loop_force("pin0")[2] == pytest.approx(torque, rel=1e-4)


def test_damping_of_a_loop_joint_acts():
    t1, rate, dt = 0.9, 2.0, 1e-5
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(pinned(damping=3.0))
    state = in_motion(t1, rate)[0]
    robot.set_state(state.q, state.v)
    world.step()
    torque = -3.0 * pin_rate(t1) * rate
    assert robot.loop_force("pin0")[2] == pytest.approx(torque, rel=1e-3)
    assert abs(torque) > 1.0
    world.step(300000 // 10)
    assert rbdyn.kinetic_energy(robot.state) < 0.5 * rbdyn.kinetic_energy(state)


def test_dry_friction_of_a_loop_joint_holds_and_slips():
    t1 = 0.9
    m, _, w = equation(t1)
    needed = abs(w / pin_rate(t1))
    for share, rests in ((1.05, True), (0.95, False)):
        world = World(1e-3, gravity=(0, -9.81, 0))
        robot = world.add_articulated_system(pinned(friction=share * needed))
        robot.set_state(in_motion(t1, 0.0)[0].q)
        world.step(10)
        assert (np.abs(robot.v).max() < 1e-6) == rests
        assert abs(robot.loop_force("pin0")[2]) == pytest.approx(needed * min(share, 1.0), rel=1e-3)


def test_a_limit_of_a_loop_joint_holds():
    t1 = 0.9
    (_, t2, t3), _, _ = derivatives(t1)
    angle = t3 - t2
    for limits in ((angle - 0.05, angle + 2.0), (angle - 2.0, angle + 0.05)):
        world = World(1e-3, gravity=(0, -9.81, 0))
        robot = world.add_articulated_system(pinned(position_limits=limits))
        state = in_motion(t1, 1.0 if (pin_rate(t1) > 0) == (limits[1] - angle < 1) else -1.0)[0]
        robot.set_state(state.q, state.v)
        angles = []
        for _ in range(400):
            world.step()
            q = robot.q
            angles.append(q[2] - q[0] - q[1])
        assert limits[0] - 1e-4 < min(angles) and max(angles) < limits[1] + 1e-4
        assert min(abs(angles[-1] - x) for x in limits) < 1.0


def test_a_spring_along_several_directions_is_refused():
    mechanism = minitaur()
    mechanism.find_joint("LF_pin").stiffness = 3.0
    with pytest.raises(rbdyn.MechanismError, match="'LF_pin' has a spring and 3 degrees of freedom"):
        World().add_articulated_system(mechanism)


def test_bodies_that_a_loop_joins_do_not_collide():
    """The shanks of a leg overlap at its foot."""
    mechanism = minitaur()
    for leg in CORNERS:
        ball = rbdyn.Geometry(Sphere(0.02), rbdyn.Transform(translation=(0, 0, -0.2)))
        mechanism.find_body(f"{leg}_shank_b").collision = [ball]
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_state(standing())
    world.step()
    assert world.contacts == [] and np.abs(robot.v).max() < 1e-12


def test_a_step_in_parts_is_that_of_short_steps():
    ends = []
    for dt, parts, steps in ((4e-3, 4, 50), (1e-3, 1, 200)):
        world = World(dt, gravity=(0, -9.81, 0), substeps=parts)
        robot = world.add_articulated_system(four_bar())
        state = in_motion(0.9, 3.0)[0]
        robot.set_state(state.q, state.v)
        world.step(steps)
        ends.append((robot.q, robot.v, robot.loop_force("pin0")))
    for a, b in zip(*ends, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_state_that_is_set_again_repeats_itself_bit_for_bit():
    world = World(1e-3)
    world.add_ground()
    robot = world.add_articulated_system(minitaur())
    robot.set_state(standing(0.3))
    world.step(80)
    q, v = robot.q, robot.v
    ends = []
    for _ in range(2):
        robot.set_state(q, v)
        world.step(100)
        ends.append((robot.q, robot.v))
    np.testing.assert_array_equal(ends[0][0], ends[1][0])
    np.testing.assert_array_equal(ends[0][1], ends[1][1])


def test_loops_that_are_edited_away_leave_a_tree():
    mechanism = four_bar()
    mechanism.remove_joint("pin0")
    robot = World().add_articulated_system(mechanism)
    np.testing.assert_array_equal(robot.q, np.zeros(3))
    assert robot.loop_error.shape == (0,)


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
