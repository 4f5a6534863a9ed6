"""Effort limits as of real motors: the whole of the PD law stays within them, and is what it says where it can be."""

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import models, testing
from rbdyn.contact import BisectionSolver
from rbdyn.errors import Error, StateError

SEMI_IMPLICIT = (1.0, 1.0)


def slider(mass, **joint):
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(mass, (0, 0, 0), 0.01 * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)), **joint))
    return mechanism


def arm(seed):
    """A random tree on a fixed base, its joints of one and of three degrees of freedom."""
    return testing.rand_tree_mechanism([rbdyn.Revolute] * 4 + [rbdyn.Prismatic, rbdyn.Spherical], seed=seed)


def law(robot, q, v, v_next, dt, theta, gamma):
    """What the PD law of the step from (q, v) to v_next asks of every actuator."""
    (kp, kd), (q_ref, v_ref) = robot.pd_gains, robot.pd_target
    error = rbdyn.difference(robot.model, q, q_ref)
    asked = robot.generalized_force + kp * (error - theta * dt * v) + kd * (v_ref - v)
    return asked - theta * (kd + gamma * dt * kp) * (v_next - v)


def check_motors(robot, before, dt, scheme):
    """Each actuator gives what the law asks for if it can, else its limit; returns how many are at one."""
    asked = law(robot, *before, robot.v, dt, *scheme)
    lower, upper = robot.effort_limits
    assert robot.applied_force == pytest.approx(np.clip(asked, lower, upper), rel=1e-6, abs=1e-6 * np.abs(asked).max())
    assert (robot.applied_force <= upper * (1 + 1e-9)).all() and (robot.applied_force >= lower * (1 + 1e-9)).all()
    return int(((asked > upper) | (asked < lower)).sum())


def test_a_mass_is_driven_with_all_that_its_motor_has():
    """With the one limit, with the other, then to rest, for gains that a step cannot resolve."""
    m, L, dt = 2.0, 5.0, 2e-3
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, effort_limit=L))
    robot.set_pd_gains(1e6, 2e5)
    robot.set_pd_target([1.0])
    most = 0.0
    for k in range(1, 501):
        world.step()
        assert abs(robot.applied_force[0]) <= L * (1 + 1e-9)
        if k * dt < 0.2:
            assert robot.q[0] == pytest.approx(0.5 * L / m * (k * dt) ** 2, rel=1e-12)
        most = max(most, robot.v[0])
    world.step(2000)
    assert most > 0.9 * L / m * 0.5
    assert robot.q[0] == pytest.approx(1.0, abs=1e-6) and abs(robot.v[0]) < 1e-6


@pytest.mark.parametrize("integrator", ["semi_implicit", "trapezoid", "euler"])
def test_random_arms_move_as_their_motors_can(integrator, seed):
    """Every actuator at its limit or at its law, and Newton's law with what they give."""
    rng = np.random.default_rng(seed)
    dt, scheme = 2e-3, {"semi_implicit": (1.0, 1.0), "trapezoid": (0.5, 0.5), "euler": (0.5, 0.0)}[integrator]
    world = World(dt)
    world.integrator = integrator
    robot = world.add_articulated_system(arm(seed))
    n = robot.nv
    robot.set_state(robot.model.random(seed), rng.normal(size=n))
    robot.set_pd_gains(np.repeat(10 ** rng.uniform(0, 4, n - 2), [1] * (n - 3) + [3]), 10 ** rng.uniform(-1, 1))
    robot.set_pd_target(robot.model.random(seed + 1), rng.normal(size=n))
    robot.set_generalized_force(rng.normal(size=n))
    robot.set_effort_limits(-(10 ** rng.uniform(-1, 3, n)), 10 ** rng.uniform(-1, 3, n))
    at_limit = 0
    for _ in range(50):
        before, state = (robot.q, robot.v), robot.state.copy()
        world.step()
        if integrator == "semi_implicit":  # the others take mass and bias from the middle of the step
            force = rbdyn.mass_matrix(state) @ (robot.v - before[1]) / dt + rbdyn.bias_forces(state)
            assert robot.applied_force == pytest.approx(force, rel=1e-6, abs=1e-6 * np.abs(force).max())
        if integrator != "trapezoid":  # which turns the error of a ball joint with the joint
            at_limit += check_motors(robot, before, dt, scheme)
        lower, upper = robot.effort_limits
        assert (robot.applied_force <= upper * (1 + 1e-9)).all() and (robot.applied_force >= lower * (1 + 1e-9)).all()
    assert integrator == "trapezoid" or 20 < at_limit < 50 * n


def test_a_quadruped_lands_with_motors_too_weak_for_its_gains(seed):
    """Blows at the feet ask for more than there is: the law holds in the same step."""
    rng = np.random.default_rng(seed)
    world = World(2e-3)
    world.integrator = "semi_implicit"
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped())
    q = models.QUADRUPED_STANCE.q.copy()
    q[2] += 0.02
    q[7:] += 0.1 * rng.normal(size=12)
    robot.set_state(q, np.concatenate([[0, 0, -1.0], rng.normal(size=robot.nv - 3)]))
    robot.set_pd_gains(2000.0, 20.0)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    robot.set_effort_limits(-25.0, 35.0)
    at_limit = touching = 0
    for _ in range(250):
        before = robot.q, robot.v
        world.step()
        asked = law(robot, *before, robot.v, 2e-3, *SEMI_IMPLICIT)[6:]
        assert robot.applied_force[6:] == pytest.approx(np.clip(asked, -25.0, 35.0), abs=1e-4)
        assert np.abs(robot.applied_force[:6]).max() == 0.0
        at_limit += int(((asked > 35.0) | (asked < -25.0)).sum())
        touching += bool(world.contacts)
    assert at_limit > 20 and touching > 100


def test_what_happens_to_a_motor_changes_no_bit_elsewhere():
    """A step is done again for an arm that hits something; a heap far away does not notice."""
    heaps = []
    for gains in (0.0, 3000.0):
        world = World(2e-3)
        world.add_ground()
        boxes = [world.add_box(0.1, 0.1, 0.1, 1.0) for _ in range(4)]
        for k, box in enumerate(boxes):
            box.set_pose([0.01 * k, 0.0, 0.06 + 0.11 * k])
        robot = world.add_articulated_system(models.quadruped())
        q = models.QUADRUPED_STANCE.q.copy()
        q[0], q[2] = 30.0, q[2] + 0.05
        robot.set_state(q)
        robot.set_pd_gains(gains, 0.01 * gains)
        robot.set_effort_limits(-20.0, 20.0)
        forces = []
        for _ in range(150):
            world.step()
            forces.append(np.abs(robot.applied_force).max())
        heaps.append((np.array([b.position for b in boxes]), max(forces), world.contact.parity))
    assert heaps[0][1] == 0.0 and heaps[1][1] == pytest.approx(20.0, rel=1e-9)
    assert (heaps[0][0] == heaps[1][0]).all()
    assert heaps[0][2] == heaps[1][2]


def test_a_motor_that_comes_off_its_limit_in_a_blow_is_solved_with_the_blow():
    """A cart driven against a wall by a PD law: the impulse of the wall and the motor's force satisfy both laws."""
    m, L, dt, kp, kd = 2.0, 10.0, 5e-3, 5e3, 400.0
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = "semi_implicit"
    mechanism = slider(m, position_limits=(-np.inf, 0.1))
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains(kp, kd)
    robot.set_effort_limits(-L, L)
    robot.set_pd_target([0.11])
    seen = set()
    for _ in range(120):
        q, v = robot.q[0], robot.v[0]
        world.step()
        asked = kp * (0.11 - q - dt * v) - kd * v - (kd + dt * kp) * (robot.v[0] - v)
        assert robot.applied_force[0] == pytest.approx(np.clip(asked, -L, L), abs=1e-6)
        seen.add("over" if asked > L else "under" if asked < -L else "within")
    assert seen >= {"over", "within"}
    assert robot.q[0] == pytest.approx(0.1, abs=1e-4) and abs(robot.v[0]) < 1e-9


def test_explicit_limits_leave_the_implicit_part_alone():
    """A stiff gain drives with less than the limit: the implicit part takes from the clamped command."""
    dt, m, L, kp = 2e-3, 2.0, 5.0, 1e6
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(m, effort_limit=L))
    robot.set_pd_gains(kp, 0.0, limits="explicit")
    robot.set_pd_target([1.0])
    world.step()
    # M~ = m + kp dt^2 / 4
    assert robot.v[0] == pytest.approx(dt * L / (m + kp * dt * dt / 4), rel=1e-12)
    assert robot.applied_force[0] == pytest.approx(m * robot.v[0] / dt, rel=1e-9)
    assert robot.pd_limits == "explicit"
    robot.set_pd_gains(kp, 1.0)
    assert robot.pd_limits == "explicit"
    robot.set_pd_gains(kp, 1.0, limits="motor")
    assert robot.pd_limits == "motor"


def test_a_motor_of_no_effort_is_off():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, effort_limit=0.0))
    robot.set_pd_gains(1e4, 10.0)
    robot.set_state([0.3], [0.7])
    robot.set_pd_target([0.0])
    world.step(10)
    assert robot.v[0] == 0.7 and robot.applied_force[0] == 0.0
    assert robot.q[0] == pytest.approx(0.307, rel=1e-12)


def test_effort_limits_are_read_and_changed():
    world = World()
    robot = world.add_articulated_system(slider(2.0, effort_limit=5.0))
    assert [a.tolist() for a in robot.effort_limits] == [[-5.0], [5.0]]
    robot.set_effort_limits(-1, [np.inf])
    assert [a.tolist() for a in robot.effort_limits] == [[-1.0], [np.inf]]
    robot.set_generalized_force([80.0])
    world.step()
    assert robot.applied_force[0] == 80.0
    robot.set_generalized_force([-80.0])
    world.step()
    assert robot.applied_force[0] == -1.0


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (-2.0, r"effort limit of joint 'rail' must be a number, at least 0, or \(lower, upper\), got -2"),
        (np.nan, "effort limit of joint 'rail' must be a number, at least 0"),
        ("weak", "effort limit of joint 'rail'.*got 'weak'"),
        ((3.0, 4.0), "lower of effort limit of joint 'rail' must be at most 0, .* got 3"),
        ((-3.0, -2.0), "upper of effort limit of joint 'rail' must be at least 0, .* got -2"),
        ((-3.0,), "'rail'.*a number or \\(lower, upper\\)"),
    ],
)
def test_bad_effort_limits_of_a_joint_are_named(limit, message):
    robot = World().add_articulated_system(slider(2.0, effort_limit=5.0))
    for change in (lambda: robot.set_effort_limits(joints={"rail": limit}),
                   lambda: setattr(robot.joint("rail"), "effort_limits", limit)):  # fmt: skip
        with pytest.raises(StateError, match=message):
            change()
        assert [a.tolist() for a in robot.effort_limits] == [[-5.0], [5.0]]


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (1.0, 2.0, r"lower\[0\] must be at most 0"),
        (-1.0, [-2.0], r"upper\[0\] must be at least 0"),
        (np.nan, 1.0, r"lower\[0\]"),
        (-1.0, "weak", "upper must be a number or 1 of them"),
        ([-1.0, -1.0], 1.0, "lower must be a number or 1 of them"),
    ],
)
def test_bad_effort_limits_change_nothing(lower, upper, message):
    world = World()
    robot = world.add_articulated_system(slider(2.0, effort_limit=5.0))
    with pytest.raises(StateError, match=message):
        robot.set_effort_limits(lower, upper)
    assert [a.tolist() for a in robot.effort_limits] == [[-5.0], [5.0]]
    with pytest.raises(Error, match="limits"):
        robot.set_pd_gains(1.0, 1.0, limits="none")
    assert robot.control_mode == "force"


def test_a_solver_in_python_sees_the_row_of_a_motor():
    """It is called again, without a trace of the first time, when an actuator gets a row."""
    laws = []

    class Watching(BisectionSolver):
        def solve(self, problem):
            super().solve(problem)
            laws.append(tuple(problem.law))

    worlds = []
    for solver in (Watching(), BisectionSolver()):
        world = World(5e-3, gravity=(0, 0, 0), contact=solver)
        robot = world.add_articulated_system(slider(2.0, position_limits=(-np.inf, 0.1)))
        robot.set_pd_gains(5e3, 400.0)
        robot.set_effort_limits(-10.0, 10.0)
        robot.set_pd_target([0.11])
        world.step(80)
        worlds.append((robot.q[0], robot.v[0], world.contact.parity, world.contact.statistics.steps))
    assert worlds[0] == worlds[1] and worlds[0][3] == 80
    assert any(3 in law for law in laws), "a box"


@pytest.mark.parametrize("number", [1, 2])
def test_limits_hold_where_legs_whip_against_one_another(number):
    """A robot of 2 kg with motors of 1000 N m: joints turn by half a radian in a step, in parts and out of contacts."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [f.locate() for f in files if str(f).endswith("solo12.urdf")]
    if not found:
        pytest.skip("example-robot-data is not installed")
    world = World(5e-3)
    world.add_ground()
    robot = world.add_articulated_system(Path(found[0]).resolve())
    n, q = robot.nv, robot.q.copy()
    q[2] = 0.6
    robot.set_state(q)
    q[7:] += np.random.default_rng(number).uniform(-1.0, 1.0, n - 6)
    robot.set_effort_limits(-1000.0, 1000.0)
    robot.set_pd_gains(1e4, 50.0)
    robot.set_pd_target(q)
    fastest = strongest = 0.0
    for _ in range(40):
        world.step()
        fastest, strongest = max(fastest, np.abs(robot.v).max()), max(strongest, np.abs(robot.applied_force).max())
    assert strongest <= 1000.0 * (1 + 1e-9)
    assert fastest > 50.0 and strongest > 300.0


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("meaning", ["motor", "explicit"])
@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("driven", ["force", "pd"])
def test_a_motor_with_a_no_load_speed_comes_to_its_terminal_speed(dt, meaning, direction, driven):
    """limit (1 - v / s) = c v:  v = v_end (1 - exp(-t / T)), T = m / (c + limit / s), of second order in the step."""
    mass, limit, no_load, drag = 2.0, 8.0, 4.0, 1.5
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(mass, effort_limit=limit, no_load_speed=no_load, damping=drag))
    if driven == "pd":
        robot.set_pd_gains(0.0, 500.0, limits=meaning)
        robot.set_pd_target(v=[100.0 * direction])
    else:
        robot.set_generalized_force([50.0 * direction])
    rate = (drag + limit / no_load) / mass
    end = limit / (drag + limit / no_load) * direction
    for t in (0.2, 0.6):
        world.step(round(t / dt) - world.steps)
        speed = end * (1.0 - np.exp(-rate * t))
        if driven == "force" or meaning == "motor":         # else the implicit part of the law is beyond its limits
            assert robot.v[0] == pytest.approx(speed, rel=(rate * dt) ** 2)
            assert robot.applied_force[0] == pytest.approx(limit * (direction - speed / no_load), rel=rate * dt)
    world.step(round((10.0 if meaning == "motor" or driven == "force" else 100.0) / dt))
    assert robot.v[0] == pytest.approx(end, rel=1e-6)
    robot.set_no_load_speeds(np.inf)
    world.step()
    assert abs(robot.v[0]) > abs(end)
    assert robot.no_load_speeds.tolist() == [np.inf]


def test_a_motor_brakes_with_all_it_has_and_gives_nothing_beyond_its_no_load_speed():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, effort_limit=8.0, no_load_speed=4.0))
    robot.set_state(v=[6.0])
    robot.set_generalized_force([50.0])
    world.step(10)
    assert robot.applied_force[0] == 0.0 and robot.v[0] == 6.0
    robot.set_generalized_force([-50.0])
    world.step(10)
    assert robot.applied_force[0] == -8.0 and robot.v[0] == pytest.approx(6.0 - 0.04)


@pytest.mark.parametrize("meaning", ["motor", "explicit"])
def test_a_motor_of_effort_0_gives_nothing(meaning):
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, effort_limit=0.0))
    robot.set_state(v=[1.0])
    robot.set_pd_gains(1e4, 0.0 if meaning == "explicit" else 1e2, limits=meaning)
    robot.set_pd_target(q=[5.0])
    world.step(100)
    if meaning == "motor":
        assert robot.applied_force[0] == 0.0 and robot.v[0] == pytest.approx(1.0, rel=1e-12)
    else:                                                   # the implicit part is not bounded there
        assert robot.v[0] < 1.0


def test_a_motor_with_a_curve_in_contact(seed):
    """Against a wall that moves with others: what it gives is on its law wherever the velocity ends."""
    rng = np.random.default_rng(seed)
    world = World(2e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(2.0, effort_limit=8.0, no_load_speed=3.0, friction=1.0,
                                                position_limits=(-0.2, 0.2)))
    robot.set_pd_gains(200.0, 60.0)
    for k in range(300):
        if k % 50 == 0:
            robot.set_pd_target(q=[rng.uniform(-1, 1)])
        v = robot.v[0]
        world.step()
        mean, force = 0.5 * (v + robot.v[0]), robot.applied_force[0]
        ends = [8.0 * np.clip(1.0 - side * mean / 3.0, 0.0, 1.0) for side in (1.0, -1.0)]
        assert -ends[1] - 0.3 <= force <= ends[0] + 0.3


@pytest.mark.parametrize("mode", ["explicit", "motor"])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "rk4"])
def test_a_motor_that_is_turned_round_gives_no_more_than_it_has(integrator, mode):
    """Its limit falls with the speed to 5 rad/s; within a step something turns it from there to the other direction."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    wheel = rbdyn.RigidBody("wheel", rbdyn.SpatialInertia(1.0, inertia=0.01 * np.eye(3)))
    axle = rbdyn.Joint("axle", rbdyn.Revolute((0, 0, 1)), effort_limit=10.0, no_load_speed=5.0)
    mechanism.attach(mechanism.root_body, wheel, axle)
    world = rbdyn.World(2e-3)
    world.integrator = integrator
    robot = world.add_articulated_system(mechanism)
    if mode == "motor":
        robot.set_pd_gains(0.0, 1e3, limits="motor")
        robot.set_pd_target(v=[-1e3])
    else:
        robot.set_generalized_force([-1000.0])
    largest = 0.0
    for speed, push in ((-1.0, 100.0), (-4.0, 80.0), (-2.0, 30.0), (-0.1, 20.0)):
        robot.set_state(v=[speed])
        for _ in range(3):
            robot.set_external_torque("wheel", (0, 0, push))
            world.step()
            assert -10.0 * (1.0 + 1e-9) <= robot.applied_force[0] <= 0.0
            largest = max(largest, -robot.applied_force[0])
    assert largest > 9.0                                   # it is asked for more than it has, all the time


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
def test_a_gain_for_positions_alone_stays_within_the_limits(integrator):
    """Under euler it has no implicit part: all of it is known at the start, and bounded."""
    world = World(5e-4, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(slider(0.05, effort_limit=0.4))
    robot.set_state([0.0], [4.0])
    robot.set_pd_gains(2000.0, 0.0)
    robot.set_pd_target([0.0])
    for k in range(400):
        before = robot.v[0]
        world.step()
        force = robot.applied_force[0]
        assert abs(force) <= 0.4 * (1.0 + 1e-9)
        if k == 0:
            assert force == pytest.approx(-0.4, rel=1e-9)
            assert 0.05 * (robot.v[0] - before) / 5e-4 == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
@pytest.mark.parametrize("no_load", [1.0, 10.0])
def test_a_step_beyond_the_no_load_speed_brakes_with_no_more_than_there_is(no_load, integrator):
    """Pushed from 0.1 to 20 m/s in a step, a motor that is told to stand brakes with its limit; told to run, with 0."""
    for target, most in ((0.0, 1.0), (1000.0, 0.0)):
        world = World(1e-3, gravity=(0, 0, 0))
        world.integrator = integrator
        robot = world.add_articulated_system(slider(1e-3, effort_limit=1.0, no_load_speed=no_load))
        robot.set_state([0.0], [0.1])
        robot.set_pd_gains(0.0, 0.3)
        robot.set_pd_target(v=[target])
        for _ in range(8):
            robot.set_external_force("cart", (21.0, 0, 0))
            world.step()
            assert -most - 1e-9 <= robot.applied_force[0] <= 1.0 + 1e-9
        assert robot.v[0] > 5.0 * no_load
