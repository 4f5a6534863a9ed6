"""Where frames sit: of bodies, named ones and those of joints, asked by themselves, by name or by id."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Model, Revolute, RigidBody, SpatialInertia, Spherical, State, Transform
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.testing.random_mechanisms import random_transform, random_tree


@pytest.fixture
def arm():
    """world - shoulder - upper - elbow - lower, a loop from lower to the world, and frames called tip on both."""
    m = Mechanism(RigidBody("world"))
    upper, lower = (RigidBody(n, SpatialInertia(1.0)) for n in ("upper", "lower"))
    turned = Transform(rpy=(0.1, 0.2, 0.3), translation=(0, 0, -0.1))
    m.attach(m.root_body, upper, Joint("shoulder", Spherical()), Transform(translation=(0, 0, 1)), turned)
    m.attach(upper, lower, Joint("elbow", Revolute((0, 1, 0))), Transform(translation=(0, 0, 0.5)))
    m.attach(lower, m.root_body, Joint("stay", Spherical()), Transform(translation=(0.3, 0, 0)), turned)
    for body, height in ((upper, 0.2), (lower, 0.4)):
        body.add_frame("tip", Transform(translation=(0, 0, height)))
    lower.add_frame("camera", turned)
    return m


def test_all_frames_are_listed_once(arm):
    own = [b.frame for b in arm.bodies] + [f for b in arm.bodies for f, _ in b.frames.values()]
    of_joints = [f for j in arm.joints for f in (j.frame_before, j.frame_after)]
    assert len(arm.frames) == len(own + of_joints) == 3 + 3 + 6
    assert set(arm.frames) == {*own, *of_joints}


def test_a_frame_is_found_by_itself_by_name_and_by_id(arm):
    lower = arm.find_body("lower")
    for frame in arm.frames:
        assert arm.find_frame(frame) is arm.find_frame(frame.id) is arm.find_frame(np.int64(frame.id)) is frame
        if frame.name != "tip":
            assert arm.find_frame(frame.name) is frame
    assert arm.frame_to_body("camera") is arm.frame_to_body(lower.frames["camera"][0]) is lower
    assert arm.default_frame("lower") is arm.default_frame(lower) is arm.find_frame("lower") is lower.frame
    elbow = arm.find_joint("elbow")
    assert arm.frame_before("elbow") is arm.frame_before(elbow) is elbow.frame_before
    assert arm.frame_after("elbow") is arm.find_frame("after_elbow") is elbow.frame_after
    assert arm.frame_to_body(elbow.frame_before).name == "upper"
    assert arm.frame_to_body(elbow.frame_after).name == "lower"


def test_no_frame_or_several_are_errors(arm):
    with pytest.raises(rbdyn.MechanismError, match="2 frames named 'tip', on bodies 'upper', 'lower'"):
        arm.find_frame("tip")
    with pytest.raises(rbdyn.UnknownNameError, match="did you mean 'camera'"):
        arm.find_frame("camara")
    for bad in (CartesianFrame("camera"), None, -1, True, 10**9, [1]):
        with pytest.raises(rbdyn.UnknownNameError):
            arm.find_frame(bad)
    foreign = random_tree(np.random.default_rng(0), 2)
    for call in (lambda: arm.default_frame(foreign.bodies[1]), lambda: arm.frame_before(foreign.joints[0]),
                 lambda: arm.default_frame(3), lambda: arm.frame_after(None)):  # fmt: skip
        with pytest.raises(rbdyn.MechanismError):
            call()
    with pytest.raises(rbdyn.UnknownNameError):
        arm.frame_after("elbo")


def test_definitions_agree_with_world_poses(seed):
    """The world pose of a frame is that of its body times its definition, also for the frames of joints."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 6)
    for body in m.bodies:
        body.add_frame(f"{body.name}_a", random_transform(rng))
    state = State(Model(m))
    state.set(state.model.random(rng))
    for frame in m.frames:
        there = rbdyn.body_pose(state, frame)
        body = rbdyn.body_pose(state, m.frame_to_body(frame))
        np.testing.assert_allclose(body @ m.frame_definition(frame).matrix, there, atol=1e-12)
        for other in m.frames:
            if m.frame_to_body(other) is m.frame_to_body(frame):
                between = np.linalg.inv(rbdyn.body_pose(state, other)) @ there
                np.testing.assert_allclose(m.fixed_transform(frame, other).matrix, between, atol=1e-12)


def test_frames_of_two_bodies_have_no_fixed_transform(arm):
    with pytest.raises(rbdyn.MechanismError, match="'upper' is fixed to body 'upper', and 'camera' to 'lower'"):
        arm.fixed_transform("upper", "camera")
    stay = arm.find_joint("stay")
    np.testing.assert_allclose(arm.fixed_transform(stay.frame_before, "lower").translation, (0.3, 0, 0))
    edge = arm.edge(stay)
    np.testing.assert_allclose(
        arm.fixed_transform("world", "after_stay").matrix, edge.successor_pose.matrix, atol=1e-15
    )


def test_frames_stay_where_they_are_through_surgery(arm):
    """A flipped joint's frames swap roles, not places."""
    shoulder, elbow = arm.find_joint("shoulder"), arm.find_joint("elbow")
    where = {f: (arm.frame_to_body(f), arm.frame_definition(f).matrix) for f in arm.frames}
    maps = arm.remove_joint(shoulder)
    assert set(arm.frames) == set(where) - {shoulder.frame_before, shoulder.frame_after}
    for frame in arm.frames:
        body, definition = where[frame]
        assert arm.frame_to_body(frame) is body
        np.testing.assert_allclose(arm.frame_definition(frame).matrix, definition, atol=1e-15)
    assert arm.frame_before(maps.joints[elbow]) is elbow.frame_after


def test_merged_bodies_live_on_as_frames(arm):
    lower = arm.find_body("lower")
    arm.attach(lower, RigidBody("tool"), Joint("flange", Fixed()), Transform(translation=(0, 0, 0.4)))
    tool = arm.find_body("tool").frame
    arm.remove_fixed_tree_joints()
    assert arm.find_frame("tool") is tool
    assert arm.frame_to_body("tool") is lower
    np.testing.assert_allclose(arm.fixed_transform("tool", "lower").translation, (0, 0, 0.4))
