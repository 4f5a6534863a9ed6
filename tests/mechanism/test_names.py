"""Names of frames: one name is one frame for a Mechanism and for the algorithms, and what is in doubt is refused."""

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Joint,
    Mechanism,
    MechanismError,
    Model,
    Revolute,
    RigidBody,
    State,
    Transform,
    UnknownNameError,
)


def x(distance):
    return Transform(translation=(distance, 0, 0))


def chain(root="ground"):
    """Two bodies in a row, their hinges 1 m apart, the second turned by 90 degrees."""
    m = Mechanism(RigidBody(root))
    a, b = RigidBody("a"), RigidBody("b")
    m.attach(m.root_body, a, Joint("j", Revolute()))
    m.attach(a, b, Joint("k", Revolute()), joint_pose=x(1.0))
    return m, a, b


def at(m, q=(0.0, 0.5 * np.pi)):
    state = State(Model(m))
    state.set(q)
    return state


def test_a_name_that_two_bodies_give_a_frame_is_refused():
    m, a, b = chain()
    first, second = a.add_frame("tip", x(2.0)), b.add_frame("tip", x(3.0))
    state = at(m)
    for ask in (rbdyn.body_pose, rbdyn.point_jacobian, rbdyn.spatial_velocity):
        with pytest.raises(MechanismError, match="2 frames named 'tip', on bodies 'a', 'b'"):
            ask(state, "tip")
    with pytest.raises(MechanismError, match="2 frames named 'tip'"):
        m.find_frame("tip")
    np.testing.assert_allclose(rbdyn.body_pose(state, first)[:3, 3], (2, 0, 0), atol=1e-15)
    np.testing.assert_allclose(rbdyn.body_pose(state, second)[:3, 3], (1, 3, 0), atol=1e-15)


def test_frames_of_joints_have_one_name_everywhere():
    m, _, _ = chain()
    state = at(m)
    joint = m.find_joint("k")
    for name, frame in (("before_k", joint.frame_before), ("after_k", joint.frame_after), ("k", joint.frame_after)):
        assert m.find_frame(name) is frame
        np.testing.assert_array_equal(rbdyn.body_pose(state, name), rbdyn.body_pose(state, frame))
        assert name in state.model.frame_names
    np.testing.assert_allclose(rbdyn.body_pose(state, "before_k")[:3, :3], np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rbdyn.body_pose(state, "after_k")[:3, 0], (0, 1, 0), atol=1e-15)


def test_no_frame_and_no_joint_takes_the_name_of_the_world():
    """A child's root is called "world" as a rule: its frame must not become what algorithms refer to by default."""
    m, _, b = chain()
    child = Mechanism(RigidBody("world"))
    child.attach(child.root_body, RigidBody("load"), Joint("pin", Revolute()))
    maps = m.attach_mechanism(b, child, x(1.0))
    assert b.frames["world_2"][0] is maps.frames[child.root_frame]
    m.bodies[1].add_frame("world", x(5.0))
    m.attach(m.root_body, RigidBody("c"), Joint("world", Revolute()), joint_pose=x(7.0))
    state = State(Model(m))
    state.set(v=np.ones(state.model.nv))
    np.testing.assert_array_equal(rbdyn.body_pose(state, "world"), np.eye(4))
    assert not rbdyn.point_velocity_6d(state, "world").any()
    np.testing.assert_array_equal(rbdyn.spatial_velocity(state, "a"), (0, 0, 1, 0, 0, 0))


def test_foreign_and_late_frames_are_called_what_they_are():
    m, a, _ = chain()
    other, foreign, _ = chain()
    state = at(m)
    for thing in (foreign, foreign.frame):
        with pytest.raises(UnknownNameError, match="'a'.* is not in mechanism 'ground': it comes from elsewhere"):
            rbdyn.body_pose(state, thing)
    with pytest.raises(UnknownNameError, match="'a'.* is no frame of mechanism 'ground'"):
        m.frame_to_body(foreign.frame)
    late = a.add_frame("late", x(1.0))
    for thing in ("late", late):                        # a Model learns of it when it is asked
        np.testing.assert_array_equal(rbdyn.body_pose(state, thing)[:3, 3], (1, 0, 0))
        np.testing.assert_array_equal(rbdyn.body_pose(at(m), thing)[:3, 3], (1, 0, 0))
    with pytest.raises(UnknownNameError, match="'later'"):
        rbdyn.body_pose(state, "later")
    assert other.bodies[1] is foreign


@pytest.mark.parametrize(("name", "pose"), [("", x(1.0)), (None, x(1.0)), ("f", None), ("f", np.eye(4))])
def test_a_frame_needs_a_name_and_a_pose(name, pose):
    body = RigidBody("a")
    with pytest.raises(MechanismError, match="frame"):
        body.add_frame(name, pose)
    assert not body.frames


def test_edits_take_joints_and_say_so():
    m, _, _ = chain()
    for edit in (m.remove_joint, m.remove_subtree, m.predecessor):
        with pytest.raises(MechanismError, match="joint must be a Joint of mechanism 'ground', or its name, got 3"):
            edit(3)
        with pytest.raises(UnknownNameError, match="no joint named 'kk' in mechanism 'ground'"):
            edit("kk")


def merged_names():
    """Body b, welded to a, whose name a frame of a has, and whose frames have names that are taken on a."""
    m = Mechanism(RigidBody("ground"))
    a, b = RigidBody("a"), RigidBody("b")
    m.attach(m.root_body, a, Joint("j", Revolute()))
    m.attach(a, b, Joint("k", Fixed()), joint_pose=x(1.0))
    for body, name, distance in ((a, "b", 5.0), (a, "tip", 6.0), (b, "a", 2.0), (b, "tip", 3.0)):
        body.add_frame(name, x(distance))
    return m, a, b


def test_a_merged_body_keeps_its_name():
    m, a, b = merged_names()
    before = at(m, [0.3])
    places = {name: rbdyn.body_pose(before, name) for name in ("a", "b")}
    m.remove_fixed_tree_joints()
    for name, place in places.items():
        np.testing.assert_allclose(rbdyn.body_pose(at(m, [0.3]), name), place, atol=1e-15)
    assert {name: pose.translation[0] for name, (_, pose) in a.frames.items()} == {
        "b": 1.0,
        "a/b": 5.0,
        "tip": 6.0,
        "b/a": 3.0,
        "b/tip": 4.0,
    }
    assert m.find_frame("b") is b.frame
    assert m.find_frame("a") is a.frame


def test_merged_names_can_be_copied():
    """A body whose merged frame had the body's own name could not."""
    m, a, _ = merged_names()
    m.remove_fixed_tree_joints()
    assert list(a.copy().frames) == list(a.frames)
    part, _ = m.submechanism(a)
    assert part.find_frame("b/a").name == "b/a"
    m.maximal_coordinates()
    whole = Mechanism(RigidBody("whole"))
    whole.attach_mechanism(whole.root_body, m, prefix="left_")
