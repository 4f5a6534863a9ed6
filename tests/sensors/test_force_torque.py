"""Force and torque through joints, against calculations by hand and against cutting the machine there."""

import numpy as np
import pytest
from sensors.machines import stack

import rbdyn
from rbdyn.collision import Capsule, Sphere
from rbdyn.sensors import ForceTorqueSensor
from rbdyn.spatial.rotations import random_rotation
from rbdyn.spatial.transform import Transform


def weight_beyond(robot, joint, names, pose, g):
    """Statics by hand: what holds links of these names, about the sensor, along its axes."""
    X = robot.joint(joint).successor.pose @ pose.matrix
    force, torque = np.zeros(3), np.zeros(3)
    for name in names:
        body = robot.body(name)
        lift = -body.mass * g
        force, torque = force + lift, torque + np.cross(body.com_position - X[:3, 3], lift)
    return X[:3, :3].T @ force, X[:3, :3].T @ torque


@pytest.mark.parametrize("tool_fixed", [True, False])
def test_it_reads_the_weight_of_what_it_carries(tool_fixed):
    rng = np.random.default_rng(3)
    world = rbdyn.World()
    world.add_ground()
    robot = world.add_articulated_system(stack(tool_fixed))
    robot.set_base_pose(position=(0, 0, 0.1))
    if not tool_fixed:
        robot.set_joint_friction(joints={"wrist": 100.0})
    pose = Transform(rotation=random_rotation(rng), translation=rng.normal(size=3) * 0.1)
    held = {"wrist": ("tool", "tip"), "flange": ("tip",)}
    sensors = [ForceTorqueSensor(joint, joint=joint, pose=pose) for joint in held]
    mounted = robot.add_sensor_set("forces", sensors)
    world.step(1500)
    assert np.abs(robot.v).max() < 1e-7
    for joint, names in held.items():
        sensor = mounted.sensor(joint)
        sensor.measure()
        force, torque = weight_beyond(robot, joint, names, pose, world.gravity)
        assert np.abs(sensor.force - force).max() < 1e-4 and np.abs(sensor.torque - torque).max() < 1e-4
        assert np.linalg.norm(force) > 2.9 and np.linalg.norm(torque) > 0.1


def foot(fixed):
    """A block that slides up and down, and a foot below it which bears its weight."""
    world = rbdyn.RigidBody("world")
    mechanism = rbdyn.Mechanism(world)
    block = rbdyn.RigidBody("block", rbdyn.SpatialInertia(4.0, inertia=0.1 * np.eye(3)))
    sole = rbdyn.Geometry(Sphere(0.05), name="sole")
    foot = rbdyn.RigidBody("foot", rbdyn.SpatialInertia(1.0, inertia=0.01 * np.eye(3)), [sole])
    kind = rbdyn.Fixed() if fixed else rbdyn.Prismatic(axis=(0, 0, 1))
    below = Transform(translation=(0.1, 0.0, -0.3))
    mechanism.attach(world, block, rbdyn.Joint("slide", rbdyn.Prismatic(axis=(0, 0, 1))))
    mechanism.attach(block, foot, rbdyn.Joint("ankle", kind), joint_pose=below)
    return mechanism


@pytest.mark.parametrize("fixed", [True, False])
def test_with_contact_it_reads_what_the_ground_bears_less_the_foot_s_weight(fixed):
    """By hand: the ground bears 5 kg; through the ankle goes what is above it, 4 kg, downwards on the foot.

    The ankle is fixed, or held by a stiff drive.  The block's rail takes the moment: none acts at the ball's middle.
    """
    world = rbdyn.World(time_step=0.001)
    world.add_ground()
    robot = world.add_articulated_system(foot(fixed))
    robot.set_state([0.35] if fixed else [0.35, 0.0])
    if not fixed:
        robot.set_pd_gains(joints={"ankle": (1e5, 1e3)})
        robot.control_mode = "pd_plus_feedforward"
        robot.set_pd_target(q=[0.35, 0.0])
    sensor = robot.add_sensor_set("s", [ForceTorqueSensor("ankle", joint="ankle")])["ankle"]
    world.step(3000)
    sensor.measure()
    assert robot.contact_force("foot")[2] == pytest.approx(5.0 * 9.81, rel=1e-6)
    assert np.abs(sensor.force - (0, 0, -4.0 * 9.81)).max() < 1e-4
    assert np.abs(sensor.torque).max() < 1e-4


@pytest.mark.parametrize("joint", ["wrist", "flange"])
def test_a_fixed_joint_reads_what_the_same_joint_reads_if_it_could_move_and_is_held(joint, seed):
    """A moving machine in contact, fixed joints against revolute ones that a stop holds: two ways to one wrench."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(time_step=0.0005)
    robot = world.add_articulated_system(stack(True))
    state = np.concatenate([rng.normal(size=3), [1, 0, 0, 0]])
    v = rng.normal(size=6)
    robot.set_state(state, v)
    beyond = ("tool", "tip") if joint == "wrist" else ("tip",)
    sensor = robot.add_sensor_set("s", [ForceTorqueSensor("f", joint=joint)])["f"]
    robot.set_external_torque("base", 0.5 * rng.normal(size=3))
    world.step()
    sensor.measure()
    assert np.isnan(sensor.force).all()  # that torque acts on the merged body: nothing tells on which link
    world.step()
    sensor.measure()
    start, a = robot.start_state, robot.acceleration
    X = rbdyn.body_pose(start, robot.joint(joint).successor.name)
    force, torque = np.zeros(3), np.zeros(3)
    for name in beyond:
        body = robot.mechanism.find_body(name)
        h = 1e-6  # momentum a little later and a little before, by the start's velocity and the step's acceleration
        momenta = []
        for s in (-h, h):
            there = rbdyn.State(robot.model)
            there.set(rbdyn.integrate(robot.model, start.q, start.v + 0.5 * s * a, s), start.v + s * a)
            pose = rbdyn.body_pose(there, name)
            twist = rbdyn.point_velocity_6d(there, name, body.inertia.com)
            about = pose[:3, :3] @ body.inertia.inertia @ pose[:3, :3].T @ twist[:3]
            com = pose[:3, 3] + pose[:3, :3] @ body.inertia.com
            p = body.inertia.mass * twist[3:]
            momenta.append(np.concatenate([about + np.cross(com - X[:3, 3], p), p]))
        rate = (momenta[1] - momenta[0]) / (2 * h)
        com = rbdyn.body_pose(start, name) @ np.append(body.inertia.com, 1.0)
        weight = body.inertia.mass * world.gravity
        force, torque = force + rate[3:] - weight, torque + rate[:3] - np.cross(com[:3] - X[:3, 3], weight)
    assert np.abs(sensor.force - X[:3, :3].T @ force).max() < 1e-5
    assert np.abs(sensor.torque - X[:3, :3].T @ torque).max() < 1e-5
    assert np.linalg.norm(force) > 0.05


def test_of_a_joint_that_moves_it_is_the_step_s_wrench():
    world = rbdyn.World()
    robot = world.add_articulated_system(rbdyn.models.six_axis_arm())
    rng = np.random.default_rng(0)
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    name = robot.joint_names[3]
    sensor = robot.add_sensor_set("s", [ForceTorqueSensor("f", joint=name)])["f"]
    world.step()
    start = robot.start_state
    values = sensor.measure()
    X = rbdyn.body_pose(start, robot.joint(name).successor.name)
    row = robot.joint(name).wrench
    joint_at = rbdyn.body_pose(start, robot.mechanism.find_joint(name).frame_after)[:3, 3]
    assert np.abs(X[:3, :3] @ values["force"] - row[3:]).max() < 1e-10
    moment = row[:3] + np.cross(joint_at - X[:3, 3], row[3:])
    assert np.abs(X[:3, :3] @ values["torque"] - moment).max() < 1e-10 and np.linalg.norm(moment) > 1e-3


def test_contacts_beyond_a_fixed_joint_count_and_others_do_not():
    """A trunk on two fixed feet, bars that roll: each ankle bears what its ground bears less its own weight."""
    world = rbdyn.World(time_step=0.001)
    world.add_ground()
    root = rbdyn.RigidBody("world")
    mechanism = rbdyn.Mechanism(root)
    trunk = rbdyn.RigidBody("trunk", rbdyn.SpatialInertia(6.0, com=(0.05, 0, 0), inertia=0.1 * np.eye(3)))
    mechanism.attach(root, trunk, rbdyn.Joint("ROOT", rbdyn.Floating()))
    for name, x in (("front", 0.3), ("rear", -0.3)):
        shape = rbdyn.Geometry(Capsule(0.05, 0.4), Transform(rpy=(np.pi / 2, 0, 0)), name=name)
        leg = rbdyn.RigidBody(name, rbdyn.SpatialInertia(0.5, inertia=0.01 * np.eye(3)), [shape])
        joint = rbdyn.Joint(f"{name}_ankle", rbdyn.Fixed())
        mechanism.attach(trunk, leg, joint, joint_pose=Transform(translation=(x, 0, -0.4)))
    robot = world.add_articulated_system(mechanism)
    robot.set_base_pose(position=(0, 0, 0.45))
    names = ("front", "rear")
    sensors = robot.add_sensor_set("s", [ForceTorqueSensor(n, joint=f"{n}_ankle") for n in names])
    world.step(2000)
    for name, x in (("front", 0.3), ("rear", -0.3)):
        sensors[name].measure()
        borne = robot.contact_force(name)[2]
        assert sensors[name].force[2] == pytest.approx(0.5 * 9.81 - borne, abs=1e-4)
        share = 6.0 * 9.81 * (0.5 + 0.05 / (2 * x))  # lever of the trunk's centre of mass
        assert borne == pytest.approx(share + 0.5 * 9.81, rel=1e-3)
