"""Position limits of joints with one degree of freedom: stops that a World's joints rest on and do not pass."""

import importlib.metadata
import math
import pathlib
import warnings

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import InactiveFeatureWarning
from rbdyn.world import World

DT, G, MASS, LENGTH = 1e-3, 9.81, 2.0, 0.5


def pendulum(joint_type=None, **limits):
    """A body on a level arm, of inertia m l^2 about its centre; gravity turns it towards larger angles."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("arm", rbdyn.SpatialInertia(MASS, (LENGTH, 0, 0), MASS * LENGTH**2 * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("hinge", joint_type or rbdyn.Revolute((0, 1, 0)), **limits))
    return mechanism


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
@pytest.mark.parametrize("solver", ["bisection", "pgs"])
def test_a_pendulum_stops_at_its_limit_and_rests_there(solver, integrator):
    """It comes to 0.3 rad at the time of the closed form, never passes it, and leans on it with gravity's torque."""
    stop = 0.3
    world = World(DT, contact=solver)
    world.integrator = integrator
    robot = world.add_articulated_system(pendulum(position_limits=(-1.0, stop)))
    hit = None
    for k in range(600):
        world.step()
        assert robot.q[0] <= stop + 1e-9
        if hit is None and robot.q[0] > stop - 1e-9:
            hit = k * DT
    # w^2 / 2 = g / (2 l) sin(q), with the moment of inertia 2 m l^2 about the hinge; by quadrature in q = x^2
    x = np.linspace(0.0, math.sqrt(stop), 20001)[1:]
    fall = 2.0 * x / np.sqrt(G / LENGTH * np.sin(x**2))
    fall = np.concatenate([[2.0 / math.sqrt(G / LENGTH)], fall])
    assert hit == pytest.approx(np.trapezoid(fall, dx=x[1] - x[0]), abs=3 * DT)
    assert robot.v[0] == pytest.approx(0.0, abs=1e-9) and robot.q[0] == pytest.approx(stop, abs=1e-9)
    state = world.contact.get_state()
    torque = MASS * G * LENGTH * math.cos(stop)
    assert state["row_impulse"] / DT == pytest.approx([torque], rel=1e-9)


def test_a_pendulum_on_its_stop_is_of_first_order_in_the_step():
    """What the stop took is what gravity gave until then: I w on the way, m g l cos(stop) t after it.

    The time of arrival is told by steps, so that the error is the step times the torque at most.
    """
    stop, end = 0.3, 0.6
    x = np.linspace(0.0, math.sqrt(stop), 20001)[1:]
    fall = np.concatenate([[2.0 / math.sqrt(G / LENGTH)], 2.0 * x / np.sqrt(G / LENGTH * np.sin(x**2))])
    arrival = np.trapezoid(fall, dx=x[1] - x[0])
    torque = MASS * G * LENGTH * math.cos(stop)
    taken = 2 * MASS * LENGTH**2 * math.sqrt(G / LENGTH * math.sin(stop)) + torque * (end - arrival)
    for dt in (5e-4, 2e-3, 5e-3):
        world = World(dt)
        robot = world.add_articulated_system(pendulum(position_limits=(-1.0, stop)))
        impulse = 0.0
        for _ in range(round(end / dt)):
            world.step()
            impulse -= dt * robot.limit_force[0]
        assert robot.q[0] == pytest.approx(stop, abs=1e-12) and robot.v[0] == pytest.approx(0.0, abs=1e-12)
        assert robot.limit_force[0] == pytest.approx(-torque, rel=1e-9)
        assert impulse == pytest.approx(taken, abs=torque * dt)


@pytest.mark.parametrize("limits, v, end", [((-0.2, 5.0), -3.0, -0.2), ((-5.0, 0.2), 3.0, 0.2)])
def test_both_ends_stop_without_a_bounce(limits, v, end):
    world = World(DT, gravity=(0, 0, 0))
    robot = world.add_articulated_system(pendulum(position_limits=limits))
    robot.set_state(v=[v])
    world.step(66)                               # 0.198 rad
    assert robot.v[0] == pytest.approx(v)
    world.step(200)
    assert robot.q[0] == pytest.approx(end, abs=1e-9) and robot.v[0] == pytest.approx(0.0, abs=1e-9)


def test_a_sliding_joint_rests_on_its_stop():
    world = World(DT)
    robot = world.add_articulated_system(pendulum(rbdyn.Prismatic((0, 0, 1)), position_limits=(-0.1, 0.1)))
    world.step(1000)
    assert robot.q[0] == pytest.approx(-0.1, abs=1e-9)
    assert world.contact.get_state()["row_impulse"] / DT == pytest.approx([MASS * G], rel=1e-9)


def test_a_joint_beyond_its_limit_comes_back_no_faster_than_contacts():
    """Its position does, by 1 rad/s; no velocity is left when it arrives."""
    world = World(DT)
    robot = world.add_articulated_system(pendulum(position_limits=(-1.0, 0.3)))
    robot.set_state(q=[0.5])
    world.step()
    moved = 0.5 - robot.q[0]
    assert moved == pytest.approx(DT * 1.0, rel=1e-9)  # in a step gravity gives less than the largest correction speed
    assert abs(robot.v[0]) < 0.1
    world.step(2000)                             # gravity leads it back to its stop
    assert robot.q[0] == pytest.approx(0.3, abs=2e-5) and robot.v[0] == pytest.approx(0.0, abs=1e-9)


def test_a_robot_that_is_set_again_repeats_itself():
    """What held the joint is forgotten with the contacts."""
    world = World(DT)
    robot = world.add_articulated_system(pendulum(position_limits=(-1.0, 0.3)))
    robot.set_state(q=[0.3])
    world.step(5)
    assert len(world.contact.get_state()["block_key"]) == 1
    robot.set_state(q=[0.3], v=[0.0])
    assert len(world.contact.get_state()["block_key"]) == 0


def test_a_limp_panda_stays_within_its_limits():
    """It falls for 5 s and loses most of its energy at the stops.

    The bounds on what it gains are those of the integrator, which is of first order for such a motion: without limits
    the same fall gains 0.9 J of its 90 J in one step, and 0.13 J above the start, which vanish with the time step.
    """
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [pathlib.Path(f.locate()).resolve() for f in files if str(f).endswith("panda_description/urdf/panda.urdf")]
    if not found:
        pytest.skip("example-robot-data is not installed")
    world = World(DT)
    robot = world.add_articulated_system(found[0], floating=False)
    lower, upper = (np.array([j.position_limits[k] for j in robot.mechanism.tree_joints if j.num_positions == 1])
                    for k in range(2))
    robot.set_state(q=0.5 * (lower + upper))
    energy, touched = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state), False
    start = energy
    for _ in range(5000):
        world.step()
        assert (robot.q >= lower - 1e-4).all() and (robot.q <= upper + 1e-4).all()
        touched |= bool((np.minimum(robot.q - lower, upper - robot.q) < 1e-6).any())
        before, energy = energy, rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
        assert energy <= before + 1e-3 * abs(start)
        assert energy <= start + 2e-3 * abs(start)
    assert touched and energy < start - 0.7 * abs(start)


def test_limits_that_act_are_not_spoken_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", InactiveFeatureWarning)
        World(DT).add_articulated_system(pendulum(position_limits=(-1.0, 0.3)))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_pendulum_bounces_off_its_stop_as_high_as_its_restitution_says(share):
    """sin of the turning point is (1 - e^2) sin of the stop; of first order in the step, which the blow is found in."""
    stop, errors = 0.8, []
    turn = math.asin((1.0 - share**2) * math.sin(stop))
    for dt in (5e-3, 2e-3, 5e-4):
        world = World(dt)
        robot = world.add_articulated_system(pendulum(position_limits=(-1.0, stop), limit_restitution=share))
        hit, least = False, math.inf
        for _ in range(round(1.4 / dt)):
            world.step()
            hit = hit or bool(robot.limit_force.any())
            least = min(least, robot.q[0]) if hit else least
            assert robot.q[0] < stop + 10.0 * dt**2
        errors.append(abs(least - turn))
        assert errors[-1] < 6.0 * dt
    assert hit and errors[-1] < 5e-3


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("friction, moves", [(0.9, True), (1.1, False)])
def test_a_screw_stands_by_its_friction_or_turns_down(dt, friction, moves):
    """Its weight turns it with m g h, friction holds up to f: (m g h - f) / (I + m h^2), held if f is more."""
    mass, inertia, lead = 2.0, 0.05, 0.06
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("nut", rbdyn.SpatialInertia(mass, (0, 0, 0), inertia * np.eye(3)))
    torque = mass * G * lead
    screw = rbdyn.Joint("screw", rbdyn.Helical((0, 0, 1), lead), friction=friction * torque)
    mechanism.attach(mechanism.root_body, body, screw)
    world = World(dt)
    robot = world.add_articulated_system(mechanism)
    world.step(round(0.5 / dt))
    drop = (torque - min(friction, 1.0) * torque) / (inertia + mass * lead**2)
    assert robot.v[0] == pytest.approx(-0.5 * drop, rel=1e-9, abs=1e-12)
    assert robot.q[0] == pytest.approx(-0.125 * drop, rel=1e-9, abs=1e-12)
    assert robot.friction_force[0] == pytest.approx(min(friction, 1.0) * torque)
    assert (robot.v[0] != 0.0) == moves or not moves


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
def test_what_slows_down_before_its_stop_goes_no_further(integrator):
    """44 m/s at the start of a step, 31 at its end: the mean leads beyond a stop that the end's velocity does not."""
    dt, gap, start, end = 5e-3, 0.18, -44.0, -31.0
    assert -dt * end < gap < -dt * (start + end) / 2
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(pendulum(rbdyn.Prismatic((1, 0, 0)), position_limits=(-gap, 1.0)))
    robot.set_state(v=[start])
    robot.set_generalized_force([MASS * (end - start) / dt])
    world.step()
    assert robot.q[0] >= -gap
    assert robot.v[0] == pytest.approx(end)
    for _ in range(5):
        world.step()
        assert robot.q[0] >= -gap - 1e-12


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_what_others_lead_beyond_a_stop_is_stopped_in_this_step(end, integrator):
    """The follower rests 1 mm before its stop; its leader would take it 10 mm in a step."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    follows = {"mimic": rbdyn.Mimic("leader", end), "position_limits": (-1e-3, 1e-3)}
    for name, more in (("leader", {}), ("follower", follows)):
        body = rbdyn.RigidBody(f"{name}_link", rbdyn.SpatialInertia(MASS, (0, 0, 0), np.eye(3)))
        mechanism.attach(mechanism.root_body, body, rbdyn.Joint(name, rbdyn.Prismatic((1, 0, 0)), **more))
    dt, speed = 5e-3, 2.0
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(mechanism)
    robot.set_generalized_force([2 * MASS * speed / dt, 0.0])
    for _ in range(3):
        world.step()
        assert abs(robot.q[1]) <= 1e-3 + 1e-9
        assert robot.q == pytest.approx([1e-3, end * 1e-3], abs=1e-9)
    assert robot.limit_force[1] == pytest.approx(-end * 2 * MASS * speed / dt, rel=1e-9)


def two_links(restitution, **second):
    """Two hinged links, the first one with a stop and a velocity limit; the second has what is given."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    links = [
        rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(0.15, (0.15, 0, 0), 0.0014 * np.eye(3))) for k in range(2)
    ]
    hinge = rbdyn.Revolute((0, 1, 0))
    stop = {"position_limits": (-0.139, 0.46), "limit_restitution": restitution, "velocity_limit": 6.6}
    m.attach(m.root_body, links[0], rbdyn.Joint("first", hinge, **stop))
    m.attach(links[0], links[1], rbdyn.Joint("second", hinge, **second), rbdyn.Transform(translation=(0.3, 0, 0)))
    return m


@pytest.mark.parametrize(("integrator", "speed", "push"),
                         [("trapezoid", -6.66, 0.0), ("rk4", -6.66, 0.0), ("semi_implicit", -6.61, -400.0)])
def test_a_bounce_asks_for_no_more_than_a_velocity_limit_allows(integrator, speed, push):
    """Set faster than its limit into a stop of restitution 1: two rows that cannot both hold would run off."""
    world = rbdyn.World(2e-3, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(two_links(1.0))
    robot.set_state([-0.12, 0.0], [speed, 0.04])
    robot.set_generalized_force([push, 0.0])
    turned = 0.0
    for _ in range(20):
        world.step()
        assert np.abs(robot.limit_force).max() < 1e4
        assert np.abs(robot.v).max() < 60.0
        turned = max(turned, robot.v[0])
    assert turned > 1.0


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_velocity_limits_hold_where_stops_bounce(restitution):
    world = rbdyn.World(1e-3, gravity=(0, 0, 0))
    second = {"position_limits": (-0.6, 0.75), "limit_restitution": restitution, "velocity_limit": 4.6}
    robot = world.add_articulated_system(two_links(restitution, **second))
    robot.set_pd_gains(p=[600, 20], d=0.1)
    robot.set_pd_target([-1, -0.7])
    robot.set_state([0, 0], [-3, 2])
    fastest = np.zeros(2)
    for _ in range(1000):
        world.step()
        assert world.contact.converged
        fastest = np.maximum(fastest, np.abs(robot.v))
    assert np.all(fastest <= np.array([6.6, 4.6]) * (1.0 + 1e-6))
    assert fastest[1] > 4.5                                # one is reached


def test_a_bounce_of_a_joint_between_bodies_is_within_its_velocity_limit():
    """As of a robot's joint: 20 rad/s at its stop, more than the 6.6 that it may turn with afterwards."""
    world = rbdyn.World(2e-3, gravity=(0, 0, 0))
    box = world.add_box(0.4, 0.1, 0.1, 0.2)
    box.set_pose((0.2, 0.0, 0.0))
    at = rbdyn.Transform(translation=(-0.2, 0.0, 0.0))
    hinge = rbdyn.Joint("hinge", rbdyn.Revolute((0, 1, 0)), position_limits=(-0.01, 0.5), limit_restitution=1.0,
                        velocity_limit=6.6)  # fmt: skip
    joint = world.add_joint(None, box, hinge, rbdyn.Transform(), at)
    box.set_velocity((0.0, 0.0, 4.0), (0.0, -20.0, 0.0))   # about the hinge: v = w x r
    turned = 0.0
    for _ in range(10):
        world.step()
        assert np.abs(joint.along_force).max() < 1e3
        assert np.abs(box.angular_velocity).max() < 20.0 * (1.0 + 1e-9)
        turned = max(turned, joint.v)
    assert 6.0 < turned < 6.6 * (1.0 + 1e-6)
