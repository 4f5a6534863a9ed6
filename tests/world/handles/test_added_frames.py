"""A frame that is added to a body is known at once: by Models made before, and by robots in a World."""

import numpy as np
import pytest

import rbdyn
from rbdyn import CartesianFrame, Model, State, Transform, UnknownNameError, World, models

POSE = Transform(rpy=(0.3, -0.4, 0.5), translation=(0.1, 0.2, 0.3))


@pytest.mark.parametrize("link", ["base", "LF_SHANK", "LF_FOOT"])  # the last is merged into another one
def test_a_robot_in_a_world_knows_it(link):
    """Its pose and motion are those of a point that is fixed to the body."""
    world = World(1e-3)
    robot = world.add_articulated_system(models.path("quadruped"))
    rng = np.random.default_rng(3)
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    count, listed = len(robot.frames), len(robot.frame_poses)
    body = robot.body(link)
    made = robot.mechanism.find_body(link).add_frame("camera", POSE)
    camera = robot.frame("camera")
    np.testing.assert_allclose(camera.pose, body.pose @ POSE.matrix, atol=1e-14)
    np.testing.assert_allclose(camera.linear_velocity, body.point_velocity(POSE.translation), atol=1e-13)
    np.testing.assert_allclose(camera.angular_velocity, body.angular_velocity, atol=1e-13)
    assert robot.frame(made) is camera and camera.body is body
    assert len(robot.frames) == count + 1 and len(robot.frame_poses) == listed + 1
    np.testing.assert_array_equal(robot.body_pose("camera"), camera.pose)
    before = world.snapshot()
    world.step(3)
    world.restore(before)
    np.testing.assert_allclose(camera.pose, body.pose @ POSE.matrix, atol=1e-14)
    with pytest.raises(UnknownNameError, match="camer_"):
        robot.frame("camer_")


def test_a_model_made_before_knows_it_as_one_made_after():
    mechanism = models.six_axis_arm()
    state = State(Model(mechanism))
    state.set(np.linspace(-1, 1, state.model.nq), np.linspace(1, 2, state.model.nv))
    last = mechanism.bodies[-1]
    with pytest.raises(UnknownNameError):
        rbdyn.body_pose(state, "tip")
    frame = last.add_frame("tip", POSE)
    later = State(Model(mechanism))
    later.set(state.q, state.v)
    for asked in (frame, "tip"):
        np.testing.assert_array_equal(rbdyn.body_pose(state, asked), rbdyn.body_pose(later, asked))
        np.testing.assert_array_equal(rbdyn.point_jacobian(state, asked), rbdyn.point_jacobian(later, asked))
    assert np.abs(rbdyn.point_velocity(state, "tip") - rbdyn.point_velocity(state, last.name)).max() > 0.1
    with pytest.raises(UnknownNameError, match="comes from elsewhere"):
        rbdyn.body_pose(state, CartesianFrame("tip of another"))


def test_a_name_that_two_bodies_have_says_nothing():
    mechanism = models.six_axis_arm()
    state = State(Model(mechanism))
    one, other = (body.add_frame("tip", POSE) for body in mechanism.bodies[-2:])
    with pytest.raises(rbdyn.MechanismError, match="2 frames named 'tip'.*give the frame itself"):
        rbdyn.body_pose(state, "tip")
    assert np.abs(rbdyn.body_pose(state, one) - rbdyn.body_pose(state, other)).max() > 1e-2
