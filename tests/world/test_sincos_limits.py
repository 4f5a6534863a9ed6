"""Limits of SinCosRevolute joints act on the angle, as those of Revolute joints do: World, loops, IK and files."""

import math

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import (
    ExportWarning,
    Joint,
    Mechanism,
    Revolute,
    RigidBody,
    SinCosRevolute,
    SpatialInertia,
    StateError,
    Transform,
    World,
)

STEPS = 400


def arm(kinds, limits, **joint):
    """Three links that swing about y, the second one within limits."""
    m = Mechanism(RigidBody("world"))
    parent = m.root_body
    for k, kind in enumerate(kinds):
        body = RigidBody(f"link{k}", SpatialInertia(1.0 + k, (0.1, 0, -0.3), np.diag([0.2, 0.25, 0.1])))
        words = {"position_limits": limits, **joint} if k == 1 else {"damping": 0.1}
        m.attach(parent, body, Joint(f"j{k}", kind((0, 1, 0)), **words), Transform(translation=(0, 0, -0.6)))
        parent = body
    return m


PLAIN, PAIRS = 3 * (Revolute,), (Revolute, SinCosRevolute, Revolute)
WAYS = {
    "hard": {},
    "bouncing": {"limit_restitution": 0.6},
    "soft": {"limit_softness": (1e-3, 1.0)},
    "spring": {"stiffness": 5.0, "damping": 0.2},
}


def q_of(angles):
    """q of the arm with a pair, of that without."""
    return np.array([angles[0], math.sin(angles[1]), math.cos(angles[1]), angles[2]])


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("limits", [(-0.4, 0.5), (2.5, 4.0), (-5.5, -4.0)], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_a_pair_stops_where_an_angle_does(way, limits, integrator):
    """Also where the limits lie on both sides of half a turn, and a turn away."""
    rest = {"spring_reference": [limits[0] + 0.1]} if way == "spring" else {}
    worlds = World(1e-3), World(1e-3)
    plain = worlds[0].add_articulated_system(arm(PLAIN, limits, **WAYS[way], **rest))
    if rest:
        rest = {"spring_reference": [math.sin(limits[0] + 0.1), math.cos(limits[0] + 0.1)]}
    pair = worlds[1].add_articulated_system(arm(PAIRS, limits, **WAYS[way], **rest))
    start = np.array([0.5, 0.5 * (limits[0] + limits[1]), -0.3])
    plain.set_state(start, (2.0, 3.0, -1.0))
    pair.set_state(q_of(start), (2.0, 3.0, -1.0))
    for robot in (plain, pair):
        robot.set_generalized_force((0.0, 30.0, 0.0))
    touched, force = 0, 0.0
    for world in worlds:
        world.integrator = integrator
    for _ in range(STEPS):
        for world in worlds:
            world.step()
        touched += plain.limit_force[1] != 0.0
        force = max(force, abs(plain.limit_force[1] - pair.limit_force[1]))
        one, two = plain.joint_limit_violations(), pair.joint_limit_violations()
        assert [(x.joint, x.end) for x in one] == [(x.joint, x.end) for x in two]
        close(np.array([x.excess for x in one]), np.array([x.excess for x in two]), 1e-10)
    assert touched > 0 and force < 1e-6
    close(q_of(plain.q), pair.q, 1e-9)
    close(plain.v, pair.v, 1e-8)


def test_a_motor_that_presses_against_the_stop_is_held_by_its_moment():
    m = Mechanism(RigidBody("world"))
    wheel = RigidBody("wheel", SpatialInertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.2])))
    m.attach("world", wheel, Joint("axle", SinCosRevolute(), position_limits=(2.0, 4.0)))
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m)
    robot.set_state([math.sin(3.5), math.cos(3.5)])
    robot.set_generalized_force([3.0])
    world.step(1500)
    assert math.atan2(*robot.q) + 2.0 * math.pi == pytest.approx(4.0, abs=1e-6)
    assert robot.limit_force[0] == pytest.approx(-3.0, abs=1e-9)
    (found,) = robot.joint_limit_violations()
    assert (found.joint, found.end) == ("axle", "upper")


def test_limits_are_set_while_the_world_runs():
    world = World()
    robot = world.add_articulated_system(arm(PAIRS, (-1.0, 2.0)))
    joint = robot.joint("j1")
    close(np.ravel(joint.limits), [-1.0, 2.0])
    robot.set_joint_limits(joints={"j1": (2.0, 4.0)})
    close([robot.joint_limits[0][1], robot.joint_limits[1][1]], [2.0, 4.0])
    before = robot.joint_limits
    for bad in ((-math.inf, 1.0), (0.0, math.inf), (-4.0, 4.0)):
        with pytest.raises(StateError, match="joint 'j1' must be finite, and less than a turn apart"):
            robot.set_joint_limits(joints={"j1": bad})
        with pytest.raises(rbdyn.Error):
            robot.mechanism.find_joint("j1").position_limits = bad
    np.testing.assert_array_equal(before, robot.joint_limits)
    robot.set_joint_limits(joints={"j1": None})
    assert np.isinf(robot.joint_limits[0][1])
    robot.mechanism.find_joint("j1").position_limits = (0.5, 1.0)
    world.step()
    close([robot.joint_limits[0][1], robot.joint_limits[1][1]], [0.5, 1.0])


def test_random_configurations_lie_within_the_limits():
    model, rng = rbdyn.Model(arm(PAIRS, (2.5, 4.0))), np.random.default_rng(0)
    angles = np.array([math.atan2(*model.random(rng)[1:3]) % (2.0 * math.pi) for _ in range(300)])
    assert 2.5 <= angles.min() < 2.55 and 3.95 < angles.max() <= 4.0


@pytest.mark.parametrize("limits", [(-0.4, 0.5), (2.5, 4.0)], ids=str)
def test_inverse_kinematics_stays_within_the_limits(limits):
    """Targets that the limits leave, and those that they do not: the same answers as with angles."""
    plain, pair = rbdyn.Model(arm(PLAIN, limits)), rbdyn.Model(arm(PAIRS, limits))
    rng = np.random.default_rng(1)
    start = np.array([0.1, sum(limits) / 2, 0.2])
    ends = 0
    for k in range(30):
        goal = rng.uniform(-2, 2, 3)
        goal[1] = rng.uniform(limits[0] - 0.5 * (k % 2), limits[1] + 0.5 * (k % 2))
        state = rbdyn.State(plain)
        state.set(goal)
        target = rbdyn.body_pose(state, "link2")
        mine = rbdyn.inverse_kinematics(pair, q_of(start), "link2", None, target, limits=True, attempts=1)
        theirs = rbdyn.inverse_kinematics(plain, start, "link2", None, target, limits=True, attempts=1)
        assert mine.success == theirs.success
        close(mine.q, q_of(theirs.q), 1e-6)
        angle = SinCosRevolute().coordinates(mine.q[1:3], (limits,))[0]
        assert limits[0] - 1e-12 <= angle <= limits[1] + 1e-12
        ends += not mine.success
    assert 0 < ends < 30
    outside = rbdyn.inverse_kinematics(pair, q_of([0.1, limits[1] + 0.3, 0.2]), "link2", None, target, limits=True)
    assert limits[0] - 1e-12 <= SinCosRevolute().coordinates(outside.q[1:3], (limits,))[0] <= limits[1] + 1e-12


def test_files_keep_the_limits(tmp_path):
    """A world file keeps the joint; URDF has a revolute joint, MJCF a hinge, with the same limits."""
    world = World()
    world.add_articulated_system(arm(PAIRS, (-1.0, 2.0)), name="arm")
    rbdyn.io.save_world(world, tmp_path / "world.xml")
    joint = rbdyn.io.load_world(tmp_path / "world.xml").find("arm").mechanism.find_joint("j1")
    assert joint.joint_type == SinCosRevolute((0, 1, 0)) and joint.position_limits == (-1.0, 2.0)
    for text, load in ((rbdyn.io.urdf_text, rbdyn.io.load_urdf), (rbdyn.io.mjcf_text, rbdyn.io.load_mjcf)):
        with pytest.warns(ExportWarning):
            written = text(arm(PAIRS, (-1.0, 2.0)))
        joint = load(written).find_joint("j1")
        assert joint.joint_type == Revolute((0, 1, 0))
        close(np.array(joint.position_limits), [-1.0, 2.0], 1e-12)


@pytest.mark.parametrize("how", ["inloop", "eliminate"])
def test_a_loop_joint_stops_at_its_limits(how):
    """A four-bar whose closing joint has limits: with a pair as with an angle."""
    worlds, robots = [], []
    for kind in (Revolute, SinCosRevolute):
        m = Mechanism(RigidBody("world"))
        links = [RigidBody(f"bar{k}", SpatialInertia(1.0, (0.25, 0, 0), np.diag([0.1, 0.1, 0.1]))) for k in range(3)]
        for k, (parent, link) in enumerate(zip([m.root_body, *links[:2]], links, strict=True)):
            m.attach(parent, link, Joint(f"j{k}", Revolute((0, 0, 1))), Transform(translation=(0.5 * (k > 0), 0, 0)))
        end, mount = Transform(translation=(0.5, 0, 0)), Transform(translation=(0.6, 0, 0))
        m.attach(m.root_body, links[2], Joint("close", kind((0, 0, 1))), mount, end)
        worlds.append(World(1e-3, gravity=(0, 0, 0)))
        robot = worlds[-1].add_articulated_system(m, loop_constraints=how)
        robot.set_state(rbdyn.project_configuration(robot.model, (1.5, -1.6, -1.5)))
        start = math.remainder(robot.q.sum(), 2.0 * math.pi)
        robot.mechanism.find_joint("close").position_limits = (start - 0.2, start + 0.2)
        robot.set_generalized_force((2.0, 0.0, 0.0))
        robots.append(robot)
    for world in worlds:
        world.step(1500)
    close(robots[0].q, robots[1].q, 1e-9)
    assert abs(math.remainder(robots[0].q.sum() - start, 2.0 * math.pi)) == pytest.approx(0.2, abs=1e-4)
