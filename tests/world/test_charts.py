"""Joints that write q differently move alike in a World: SinCosRevolute as Revolute, SPQuatFloating as Floating."""

import numpy as np
import pytest
from reference.compare import close
from world.scenes import World

import rbdyn
from rbdyn import models
from rbdyn.mechanism import Floating, Revolute, SinCosRevolute, SPQuatFloating
from rbdyn.testing.random_mechanisms import random_inertia, random_transform


def other_type(kind):
    """The type that moves like `kind` and writes its q otherwise, if there is one."""
    if isinstance(kind, Revolute):
        return SinCosRevolute(kind.axis)
    return SPQuatFloating() if isinstance(kind, Floating) else kind


def configuration(kind, source, q):
    return kind.configuration(source.pose(q))


def rewritten(mechanism):
    """The same mechanism with every joint of the other type, without position limits."""
    twin = rbdyn.Mechanism(mechanism.root_body.copy(), mechanism.gravity)
    for joint in mechanism.tree_joints:
        edge, kind = mechanism.edge(joint), other_type(joint.joint_type)
        rest = configuration(kind, joint.joint_type, joint.spring_reference)
        other = rbdyn.Joint(
            joint.name,
            kind,
            velocity_limit=joint.velocity_limit,
            effort_limit=joint.effort_limit,
            rotor_inertia=joint.rotor_inertia,
            damping=joint.damping,
            friction=joint.friction,
            stiffness=joint.stiffness,
            spring_reference=rest,
        )
        parent = twin.find_body(edge.predecessor.name)
        twin.attach(parent, edge.successor.copy(), other, edge.joint_pose, edge.successor_pose)
    return twin


def same_q(robot, twin, q):
    """q of `robot`, as `twin` writes it."""
    out, i = [], 0
    pairs = zip(robot.mechanism.tree_joints, twin.mechanism.tree_joints, strict=True)
    for mine, other in pairs:
        out.append(configuration(other.joint_type, mine.joint_type, q[i : i + mine.num_positions]))
        i += mine.num_positions
    return np.concatenate(out)


def tumbler():
    """A body that floats, with an arm of two hinges, a ball joint and another floating body in its hand."""
    rng = np.random.default_rng(6)
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    kinds = [Floating(), Revolute((0.6, 0, 0.8)), Revolute((0, 1, 0)), rbdyn.Spherical(), Floating()]
    for k, kind in enumerate(kinds):
        body = rbdyn.RigidBody(f"body{k}", random_inertia(rng))
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.3), name=body.name))
        springy = isinstance(kind, (Revolute, Floating)) and k > 0
        rest = kind.random(rng) * (0.9 if kind.num_positions == 1 else 1.0)  # not where half a turn is near
        joint = rbdyn.Joint(f"joint{k}", kind, stiffness=5.0 * springy, damping=0.1, spring_reference=rest)
        m.attach(m.bodies[-1], body, joint, random_transform(rng), random_transform(rng))
    return m


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler"])
@pytest.mark.parametrize("source", [tumbler, models.quadruped, models.six_axis_arm])
def test_the_same_robot_in_either_chart_takes_the_same_way(source, integrator):
    """Springs, PD control, motors and contacts: the same v and the same poses, step by step."""
    rng = np.random.default_rng(1)
    mechanism = source()
    pair = []
    for m in (mechanism, rewritten(mechanism)):
        world = World(1e-3)
        world.integrator = integrator
        world.add_ground()
        pair.append((world, world.add_articulated_system(m, self_collision=False)))
    (_, robot), (_, twin) = pair
    assert robot.nv == twin.nv
    assert robot.model.neutral().tolist() != twin.model.neutral().tolist()
    small = rng.uniform(-0.2, 0.2, robot.nv)  # springs and targets stay away from the other side of half a turn
    q = rbdyn.integrate(robot.model, robot.model.neutral(), small)
    if robot.model.floating_base:
        q[2] = 0.6
    target = rbdyn.integrate(robot.model, q, rng.uniform(-0.3, 0.3, robot.nv))
    v, tau = 0.5 * rng.normal(size=(2, robot.nv))
    for system in (robot, twin):
        mine = (lambda x: x) if system is robot else (lambda x: same_q(robot, twin, x))
        system.set_state(mine(q), v)
        system.set_pd_gains(30.0, 1.0)
        system.set_pd_target(mine(target))
        system.set_generalized_force(tau)
    contacts = 0
    for _ in range(150):
        for world, _ in pair:
            world.step()
        contacts += len(pair[0][0].contacts)
        close(twin.v, robot.v, 1e-7)
        close(same_q(twin, robot, twin.q)[:3], robot.q[:3], 1e-7)
        close(rbdyn.forward_kinematics(twin.state), rbdyn.forward_kinematics(robot.state), 1e-7)
    assert np.abs(robot.v - v).max() > 0.1
    assert contacts > 0 or source is not models.quadruped
    i = 0
    for joint in twin.mechanism.tree_joints:
        part = twin.q[i : i + joint.num_positions]
        i += joint.num_positions
        if isinstance(joint.joint_type, SinCosRevolute):
            assert abs(np.linalg.norm(part) - 1) < 1e-15
        if isinstance(joint.joint_type, SPQuatFloating):
            assert np.linalg.norm(part[3:]) <= 1 + 1e-15


def wheel(kind, **options):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    disc = rbdyn.RigidBody("disc", rbdyn.SpatialInertia(1.0, (0, 0, 0), 0.5 * np.eye(3)))
    m.attach(m.root_body, disc, rbdyn.Joint("axle", kind, **options))
    return m


@pytest.mark.parametrize("passive", [False, True])
def test_a_sine_and_cosine_are_pulled_the_shorter_way(passive):
    """From 170 degrees to -170: forwards through half a turn, where an angle would go back all the way."""
    start, end = np.deg2rad([170, -170])
    rest = [np.sin(end), np.cos(end)]
    world = World(1e-2, gravity=(0, 0, 0))
    options = {"stiffness": 4.0, "damping": 2.0, "spring_reference": rest} if passive else {}
    robot = world.add_articulated_system(wheel(SinCosRevolute((0, 1, 0)), **options))
    robot.set_state([np.sin(start), np.cos(start)])
    if not passive:
        robot.set_pd_gains(4.0, 2.0)
        robot.set_pd_target(rest)
    world.step()
    assert robot.v[0] > 0.01
    world.step(1000)
    close(robot.q, rest, 1e-6)


def test_a_wheel_turns_round_and_round():
    world = World(1e-2, gravity=(0, 0, 0))
    robot = world.add_articulated_system(wheel(SinCosRevolute()))
    robot.set_state([0, 1], [3.0])
    world.step(10_000)
    close(robot.q, [np.sin(300.0), np.cos(300.0)], 1e-10)
    assert abs(np.linalg.norm(robot.q) - 1) < 1e-15


def test_a_base_with_a_projection_is_put_where_it_is_told():
    world = World(1e-2)
    robot = world.add_articulated_system(wheel(SPQuatFloating()))
    for quat in ([1, 0, 0, 0], [0, 0.6, 0, 0.8], [-0.1, 0.5, 0.5, -0.7]):
        pose = rbdyn.Transform(quat=quat, translation=(1, 2, 3))
        robot.set_base_pose((1, 2, 3), quat)
        close(robot.body_pose("disc"), pose.matrix, 1e-14)
        assert np.linalg.norm(robot.q[3:]) <= 1 + 1e-15


def test_what_is_no_sine_and_cosine_is_refused():
    world = World(1e-2)
    robot = world.add_articulated_system(wheel(SinCosRevolute()))
    for call in (robot.set_state, robot.set_pd_target):
        with pytest.raises(rbdyn.StateError, match=r"\[sine, cosine\]"):
            call([0.5, 0.5])
    robot.set_pd_target([0.6004, 0.8])
    assert abs(np.linalg.norm(robot.pd_target[0]) - 1) < 1e-15
    np.testing.assert_array_equal(robot.q, [0, 1])
