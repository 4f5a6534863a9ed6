"""Limits of spherical joints: angle, cone and twist, against closed forms, differences and laws."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import io
from rbdyn.errors import MechanismError, StateError
from rbdyn.spatial.rotations import matrix_from_quat

MASS, LENGTH = 2.0, 0.4


def ball(**limits):
    """A body on a ball joint at the origin, its centre above it."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("rod", rbdyn.SpatialInertia(MASS, (0, 0, LENGTH), np.diag([0.02, 0.03, 0.01])))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("socket", rbdyn.Spherical(), **limits))
    return mechanism


def angles(q, axis=(0, 0, 1)):
    """Angle of the rotation, swing of the axis, and twist, by matrices."""
    R, axis = matrix_from_quat(q), np.array(axis, dtype=float)
    turned = R @ axis
    swing = np.arccos(np.clip(axis @ turned, -1, 1))
    n = np.cross(axis, turned)
    n = n / max(np.linalg.norm(n), 1e-300)
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    T = (np.eye(3) + np.sin(swing) * K + (1 - np.cos(swing)) * K @ K).T @ R
    side = np.cross(axis, [0.3, 0.5, -0.8])
    twist = np.arctan2(np.cross(side, T @ side) @ axis, side @ T @ side)
    return np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1)), swing, twist


def largest_swing(world, robot, steps):
    """Of the axis z, in so many steps: 1 - cos of it is 2 (x^2 + y^2) of the quaternion."""
    q = np.empty((steps, 4))
    for k in range(steps):
        world.step()
        q[k] = robot.q
    return 2.0 * np.arcsin(np.hypot(q[:, 1], q[:, 2]).max())


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
@pytest.mark.parametrize("limits, end", [({"cone_limit": 0.6}, "cone"), ({"position_limits": (0, 0.6)}, "angle")])
def test_a_rod_leans_on_its_limit(limits, end, integrator):
    """It falls over, stops at 0.6 rad, and leans there with m g l sin 0.6."""
    world = World(1e-3)
    world.integrator = integrator
    robot = world.add_articulated_system(ball(damping=2.0, **limits))
    robot.set_state(v=[0.3, 0.4, 0.0])
    assert largest_swing(world, robot, 3000) < 0.6 + 1e-4
    (violation,) = robot.joint_limit_violations()
    assert violation.joint == "socket" and violation.end == end
    assert violation.excess == pytest.approx(0.0, abs=5e-5)
    torque = MASS * 9.81 * LENGTH * np.sin(0.6)
    assert violation.impulse / world.time_step == pytest.approx(torque, rel=1e-3)
    assert np.linalg.norm(robot.limit_force) == pytest.approx(torque, rel=1e-3)
    assert robot.v == pytest.approx([0, 0, 0], abs=1e-5)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0.6, 0.0, -0.8)])
@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_a_twist_stops_at_its_ends(axis, speed):
    world = World(1e-3, gravity=(0, 0, 0))
    mechanism = ball(twist_limits=(-0.5, 0.8), twist_axis=axis)
    mechanism.bodies[1].inertia = rbdyn.SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
    robot = world.add_articulated_system(mechanism)
    robot.set_state(v=speed * np.array(axis))
    world.step(500)
    end = 0.8 if speed > 0 else -0.5
    assert angles(robot.q, axis) == pytest.approx((abs(end), 0.0, end), abs=1e-6)
    assert robot.v == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("which", ["angle", "cone", "lower", "upper"])
def test_impulses_are_along_the_gradients(which, seed):
    """What a limit gives is along the derivative of its angle, by differences."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(ball())
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    place = {"angle": 0, "cone": 1, "lower": 2, "upper": 2}[which]
    now = angles(q, axis)[place]
    sign = -1.0 if which == "lower" else 1.0
    limits = {"angle": {"angle": now}, "cone": {"cone": now}, "lower": {"twist": (now, 3.1)},
              "upper": {"twist": (-3.1, now)}}
    robot.set_ball_limits("socket", axis=axis, **limits[which])
    gradient = np.zeros(3)
    for k in range(3):
        ends = [angles(rbdyn.integrate(robot.model, q, h * np.eye(3)[k], 1.0), axis)[place] for h in (1e-5, -1e-5)]
        gradient[k] = (ends[0] - ends[1]) / 2e-5
    robot.set_state(q, np.linalg.solve(rbdyn.mass_matrix(at(robot, q)), sign * gradient))
    world.step()
    assert robot.limit_force @ gradient * sign < 0
    assert np.cross(robot.limit_force, gradient) == pytest.approx(0.0, abs=1e-4 * np.linalg.norm(robot.limit_force))
    assert abs(robot.v @ gradient) < 1e-6


def at(robot, q):
    state = rbdyn.State(robot.model)
    state.set(q)
    return state


def test_a_thrown_rod_stays_within_its_limits(seed):
    """Sliding along a cone it leaves it by half the square of what it turns in a step; a fifth of it comes back."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    world = World(1e-3)
    robot = world.add_articulated_system(
        ball(cone_limit=0.7, twist_limits=(-0.4, 0.9), twist_axis=axis, position_limits=(0, 0.8)))
    robot.set_state(v=10 * rng.normal(size=3))
    start, seen = energy(robot), set()
    fastest = 0.0
    for _ in range(2000):
        world.step()
        fastest = max(fastest, np.linalg.norm(robot.v))
        over = 2.5 * (fastest * world.time_step) ** 2 + 2e-5
        total, swing, twist = angles(robot.q, axis / np.linalg.norm(axis))
        assert total < 0.8 + over and swing < 0.7 + over and -0.4 - over < twist < 0.9 + over
        seen |= {x.end for x in robot.joint_limit_violations()}
        assert energy(robot) < start + 1e-3 * abs(start)
    assert len(seen) > 1


def energy(robot):
    return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)


def test_random_configurations_keep_the_limits():
    for limits in [{"position_limits": (0, 0.3)}, {"cone_limit": 0.5}, {"twist_limits": (0.2, 0.9)},
                   {"cone_limit": 1.0, "twist_limits": (-0.2, 0.1), "position_limits": (0, 0.8)}]:
        model = rbdyn.Model(ball(twist_axis=(0, 0.6, 0.8), **limits))
        rng = np.random.default_rng(0)
        found = np.array([angles(model.random(rng), (0, 0.6, 0.8)) for _ in range(300)])
        most = limits.get("position_limits", (0, np.pi))[1]
        cone, (lower, upper) = limits.get("cone_limit", np.pi), limits.get("twist_limits", (-np.pi, np.pi))
        assert (found[:, 0] <= most + 1e-9).all() and found[:, 0].max() > 0.8 * min(most, 0.9)
        assert (found[:, 1] <= cone + 1e-9).all()
        assert (found[:, 2] >= lower - 1e-9).all() and (found[:, 2] <= upper + 1e-9).all()


def test_limits_of_urdf_and_of_reversed_joints():
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    robot = World(1e-3).add_articulated_system(io.load_urdf(
        f'<robot name="r"><link name="base"/><link name="l">{link}</link><joint name="j" type="spherical">'
        '<parent link="base"/><child link="l"/><limit lower="0" upper="0.4" effort="9" velocity="9"/></joint></robot>',
        floating=False))
    assert robot.mechanism.find_joint("j").position_limits == (0.0, 0.4)
    robot.set_state([np.cos(0.3), np.sin(0.3), 0, 0])
    (violation,) = robot.joint_limit_violations()
    assert violation == ("j", "angle", pytest.approx(0.2), 0.0)
    joint = rbdyn.Joint("j", rbdyn.Spherical(), twist_limits=(-0.1, 0.4), cone_limit=0.3)
    assert (joint.flipped().twist_limits, joint.flipped().cone_limit) == ((-0.4, 0.1), 0.3)


def test_bad_limits_are_named():
    for options, match in [
        ({"cone_limit": -1.0}, "cone_limit of joint 'socket'"), ({"cone_limit": 4.0}, "at most 3.14159"),
        ({"twist_limits": (1, -1)}, "-pi <= lower < upper <= pi"), ({"twist_axis": (0, 0, 0)}, "must be a direction"),
    ]:
        with pytest.raises(MechanismError, match=match):
            ball(**options)
    with pytest.raises(MechanismError, match="a Revolute joint has none, Spherical ones do"):
        rbdyn.Joint("hinge", rbdyn.Revolute((0, 0, 1)), cone_limit=1.0)
    robot = World(1e-3).add_articulated_system(ball(cone_limit=0.5))
    for options in ({"cone": -1.0}, {"angle": "wide"}, {"twist": (1, 0)}, {"twist": 3.0}, {"axis": (0, 0, 0)}):
        with pytest.raises(StateError):
            robot.set_ball_limits("socket", **options)
    for twist in ("abc", (1, "x"), (1, 2, 3), (-np.inf, 0.1)):
        with pytest.raises(StateError, match="twist_limits of joint 'socket' must"):
            robot.set_ball_limits("socket", twist=twist)
    robot.set_ball_limits("socket", twist=(-np.inf, np.inf))
    robot.set_ball_limits("socket", cone=np.inf, angle=0.2)
    robot.set_state([np.cos(0.3), np.sin(0.3), 0, 0])
    assert [x.end for x in robot.joint_limit_violations()] == ["angle"]


@pytest.mark.parametrize("limits", [{"cone_limit": 0.6}, {"position_limits": (0, 0.6)}])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_rod_bounces_off_its_limit(limits, restitution):
    """It turns about a principal axis onto its limit: the speed that comes back is the share that Newton's law says."""
    world = World(1e-4, gravity=(0, 0, 0))
    robot = world.add_articulated_system(ball(limit_restitution=restitution, **limits))
    robot.set_state(v=[1.5, 0.0, 0.0])
    start = rbdyn.kinetic_energy(robot.state)
    assert largest_swing(world, robot, 6000) < 0.6 + 1e-4
    assert rbdyn.kinetic_energy(robot.state) == pytest.approx(restitution**2 * start, rel=2e-2)
    assert robot.v == pytest.approx([-restitution * 1.5, 0.0, 0.0], abs=0.02)


def test_a_twist_bounces_and_keeps_its_energy():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(ball(twist_limits=(-0.4, 0.5), limit_restitution=1.0))
    robot.set_state(v=[0.0, 0.0, 3.0])
    turns = 0
    for _ in range(3000):
        before = robot.v[2]
        world.step()
        turns += before * robot.v[2] < 0.0
        assert abs(robot.v[2]) == pytest.approx(3.0, rel=1e-9)
        assert -0.401 < angles(robot.q)[2] < 0.501
    assert turns == 10                                     # 9 rad, 0.5 to the first end, 0.9 from end to end
