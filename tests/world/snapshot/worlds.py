"""Worlds that remember much from step to step: for snapshots, copies and pickles of them."""

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.mechanism import Joint
from rbdyn.mechanism.joints import Spherical
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World


def soft(length, rate):
    """A custom law of a wire [N]; at the top of a module, so that it can be pickled."""
    return 20.0 * max(0.0, length - 0.3) + 0.5 * rate


def tumbling(seed=3):
    """Boxes, balls and discs that fall on one another, with friction that rolls and bounces."""
    rng = np.random.default_rng(seed)
    world = World(2e-3)
    world.add_ground(material="floor")
    world.set_material_pair("floor", "rubber", 0.9, restitution=0.5, rolling_friction=0.01, torsional_friction=0.02)
    for k in range(12):
        material = ("rubber", "steel")[k % 2]
        if k % 3 == 0:
            body = world.add_sphere(0.1, 1.0 + 0.1 * k, material=material)
        elif k % 3 == 1:
            body = world.add_box(0.2, 0.15, 0.1, 2.0, material=material)
        else:
            body = world.add_cylinder(0.12, 0.08, 1.0, material=material)
        quat = rng.normal(size=4)
        body.set_pose((*rng.uniform(-0.2, 0.2, 2), 0.2 + 0.2 * k), quat / np.linalg.norm(quat))
        body.set_velocity(rng.normal(size=3), 5.0 * rng.normal(size=3))
    return world


def walking():
    """A quadruped with limits, friction and motors that strides on the ground and kicks a ball."""
    world = World(2.5e-3)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(120.0, 3.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    robot.set_joint_friction(0.4)
    robot.set_joint_limits(-1.6, 1.6)
    ball = world.add_sphere(0.1, 0.5)
    ball.set_pose((0.5, 0.1, 0.4))
    return world


def stride(world):
    """Move the targets of `walking`, as a function of time alone."""
    robot = world.find("dog")
    q = QUADRUPED_STANCE.q.copy()
    q[7:] += 0.3 * np.sin(12.0 * world.time + np.arange(12))
    robot.set_pd_target(q)


def tied(substeps=1):
    """Wires of all kinds, a weld, a joint, a coupling, and an arm with a fixed base that was moved."""
    world = World(1e-3, substeps=substeps)
    world.add_ground()
    a = world.add_box(0.1, 0.1, 0.1, 1.0, name="a")
    b = world.add_sphere(0.05, 0.5, name="b")
    c = world.add_box(0.1, 0.2, 0.1, 1.5, name="c")
    d = world.add_box(0.1, 0.1, 0.2, 1.0, name="d")
    e = world.add_sphere(0.05, 1.0, name="e")
    for k, body in enumerate((a, b, c, d, e)):
        body.set_pose((0.4 * k, 0.0, 1.0))
    arm = world.add_articulated_system(models.six_axis_arm(), name="arm")
    arm.set_base_pose(position=(0.0, 1.5, 0.2), orientation=(0.0, 0.6, 0.0, 0.8))
    other = world.add_articulated_system(models.double_pendulum(), name="pendulum")
    other.set_base_pose(position=(0.0, -2.0, 3.0))
    arm.set_state(np.linspace(0.2, 0.9, arm.nq))
    world.add_stiff_wire(None, a, point_a=(0.0, 0.0, 2.0), point_b=(0.0, 0.0, 0.05), name="rope").speed = -0.1
    world.add_compliant_wire(a, b, stiffness=300.0, damping=1.0, name="rubber")
    world.add_custom_wire(b, c, law=soft, name="own")
    world.add_weld(c, d, name="glue")
    world.add_joint(d, e, Joint("ball", Spherical()), pose_a=rbdyn.Transform(translation=(0.2, 0.0, 0.0)), name="hinge")
    joints = [(arm, arm.joint_names[1]), (other, other.joint_names[1])]
    world.add_coupling({joints[0]: 1.0, joints[1]: -0.5}, name="gear")
    return world


def flying():
    """A quadruped without ground that tumbles: what floats keeps its momentum from step to step."""
    world = World(2e-3)
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    v = np.linspace(-2.0, 3.0, robot.nv)
    robot.set_state(QUADRUPED_STANCE.q, v)
    return world
