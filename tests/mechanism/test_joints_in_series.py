"""A body on several joints in series: universal joints, Euler angles, translations."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn import Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.errors import MechanismError

AXES = dict(zip("xyz", np.eye(3), strict=True))
TOP = SpatialInertia(2.0, (0.0, 0.0, 0.3), np.diag([0.03, 0.02, 0.01]))
PLACE = Transform(rpy=(0.3, -0.2, 0.5), translation=(0.1, 0.2, 0.3))
ON_IT = Transform(translation=(0.0, 0.1, 0.0))


def on_joints(kind, axes):
    mechanism = Mechanism(RigidBody("frame"))
    joints = [Joint(f"{letter}{k}", kind(tuple(AXES[letter]))) for k, letter in enumerate(axes)]
    mechanism.attach_in_series("frame", RigidBody("top", TOP), joints, PLACE, ON_IT)
    return mechanism


@pytest.mark.parametrize("axes", ["xy", "zyx", "xyz", "yxz", "zxz"])
def test_angles_turn_about_the_axes_that_the_ones_before_have_turned(axes):
    angles = np.random.default_rng(1).uniform(-1.5, 1.5, len(axes))
    mechanism = on_joints(Revolute, axes)
    state = rbdyn.State(rbdyn.Model(mechanism))
    state.set(angles)
    here = np.eye(4)
    here[:3, :3] = Rotation.from_euler(axes.upper(), angles).as_matrix()
    np.testing.assert_allclose(rbdyn.body_pose(state, "top"), PLACE.matrix @ here @ ON_IT.matrix, atol=1e-14)


def test_translations():
    state = rbdyn.State(rbdyn.Model(on_joints(Prismatic, "xyz")))
    state.set([0.4, -0.5, 0.6])
    moved = Transform(translation=(0.4, -0.5, 0.6))
    np.testing.assert_allclose(rbdyn.body_pose(state, "top"), (PLACE @ moved @ ON_IT).matrix, atol=1e-15)


def test_euler_angles_move_as_a_ball_joint_does():
    """The same top on a ball joint: the acceleration that gravity and speed give it, in one frame."""
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-0.7, 0.7, 3), rng.uniform(-2.0, 2.0, 3)
    euler = rbdyn.State(rbdyn.Model(on_joints(Revolute, "zyx")))
    euler.set(q, v)
    ball = Mechanism(RigidBody("frame"))
    ball.attach("frame", RigidBody("top", TOP), Joint("ball", Spherical()), PLACE, ON_IT)
    sphere = rbdyn.State(rbdyn.Model(ball))
    turned = Rotation.from_euler("ZYX", q)
    spin = PLACE.rotation.T @ rbdyn.point_velocity_6d(euler, "top")[:3]
    sphere.set(np.roll(turned.as_quat(), 1), spin)
    accelerations = [
        rbdyn.point_acceleration(state, rbdyn.forward_dynamics(state, np.zeros(3)), "top", (0.2, 0.3, 0.4))
        for state in (euler, sphere)
    ]
    np.testing.assert_allclose(*accelerations, atol=1e-11)
    assert np.linalg.norm(accelerations[0]) > 1.0


def test_it_swings_in_a_world_and_counts_a_body_a_joint():
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(on_joints(Revolute, "xy"), name="universal")
    robot.set_pd_gains(joints={"y1": (50.0, 2.0)})
    robot.set_state([0.5, 0.0])
    energy = rbdyn.kinetic_energy(robot) + rbdyn.potential_energy(robot)
    world.step(500)
    assert len(robot.joint_names) == len(robot.body_names) == 3
    assert list(robot.model.v_starts) == [0, 0, 1] and robot.body("top").index == 2
    assert robot.body("top/x0").mass == 0.0
    assert rbdyn.kinetic_energy(robot) + rbdyn.potential_energy(robot) < energy - 1e-3
    assert not math.isclose(robot.q[0], 0.5, abs_tol=0.01)


@pytest.mark.parametrize(
    ("joints", "match"),
    [
        ([], "joints must be a sequence of Joints"),
        (Joint("alone", Revolute()), "joints must be a sequence of Joints"),
        ([Joint("a", Revolute()), "b"], "joint must be a Joint"),
        ([Joint("a", Revolute()), Joint("a", Revolute())], "names of their own"),
        ([Joint("a", Revolute()), Joint("x0", Revolute())], "already has a joint named 'x0'"),
    ],
)
def test_what_is_refused_leaves_nothing(joints, match):
    mechanism = on_joints(Revolute, "xy")
    before = [b.name for b in mechanism.bodies], [j.name for j in mechanism.joints], mechanism.revision
    with pytest.raises(MechanismError, match=match):
        mechanism.attach_in_series("frame", RigidBody("new", TOP), joints)
    with pytest.raises(MechanismError, match="already has a body named 'top'|must be a new body"):
        mechanism.attach_in_series("frame", RigidBody("top", TOP), [Joint("c", Revolute())])
    assert before == ([b.name for b in mechanism.bodies], [j.name for j in mechanism.joints], mechanism.revision)
