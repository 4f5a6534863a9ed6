"""<constraints> of RaiSim's dialect: pins are spherical loop joints."""

import numpy as np
import pytest

import rbdyn
from rbdyn import World
from rbdyn.errors import UrdfError
from rbdyn.io import load_urdf
from rbdyn.mechanism import Spherical

MASS = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'


def joint(name, kind, parent, child, xyz, rpy="0 0 0"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/></joint>')  # fmt: skip


def parallelogram(constraints, root="world"):
    """Cranks of 0.4 m at 0 and 1 m along x, a coupler of 1 m on the first one, and a tip fixed to its end."""
    links = "".join(f'<link name="{name}">{MASS}</link>' for name in ("a", "coupler", "b"))
    joints = (
        joint("hip", "continuous", root, "a", "0 0 0")
        + joint("knee", "continuous", "a", "coupler", "0.4 0 0")
        + joint("foot", "continuous", root, "b", "1 0 0")
        + joint("weld", "fixed", "coupler", "tip", "1 0 0", "0.3 0.1 0.7")
    )
    base = f'<link name="{root}"/>' if root == "world" else f'<link name="{root}">{MASS}</link>'
    return f'<robot name="r">{base}{links}<link name="tip"/>{joints}{constraints}</robot>'


def pins(nominal, *items):
    inside = "".join(f'<pin body1="{a}" body2="{b}" anchor="{anchor}"/>' for a, b, anchor in items)
    config = "" if nominal is None else f' nominal_config="{nominal}"'
    return f"<constraints{config}>{inside}</constraints>"


def test_a_pin_is_a_spherical_loop_joint_where_the_nominal_configuration_says():
    m = load_urdf(parallelogram(pins("1.1 -1.1 1.1", ("tip", "b", "0 0 0"))))
    (loop,) = m.non_tree_joints
    assert loop.name == "tip_b_pin" and isinstance(loop.joint_type, Spherical)
    assert (m.predecessor(loop).name, m.successor(loop).name) == ("tip", "b")
    assert m.nominal_configuration == (1.1, -1.1, 1.1)
    state = rbdyn.State(rbdyn.Model(m))
    for angle in (1.1, 0.2, 2.0):  # a parallelogram stays one
        state.set([angle, -angle, angle])
        np.testing.assert_allclose(rbdyn.loop_error(state), 0.0, atol=1e-15)
    state.set([1.1, -1.0, 1.1])
    assert np.abs(rbdyn.loop_error(state)).max() > 0.05


def test_the_anchor_is_in_the_frame_of_the_first_link_and_not_of_what_carries_it():
    on_tip = load_urdf(parallelogram(pins("0.5 -0.5 0.5", ("tip", "b", "0.2 0.1 0.3"))))
    state = rbdyn.State(rbdyn.Model(on_tip))
    state.set([0.5, -0.5, 0.5])
    point = rbdyn.body_pose(state, "tip") @ [0.2, 0.1, 0.3, 1.0]
    seen = np.linalg.inv(rbdyn.body_pose(state, "b")) @ point
    state.set([0.9, -0.7, 0.4])
    gap = rbdyn.body_pose(state, "b") @ seen - rbdyn.body_pose(state, "tip") @ [0.2, 0.1, 0.3, 1.0]
    assert np.linalg.norm(gap) == pytest.approx(np.linalg.norm(rbdyn.loop_error(state)), rel=1e-12)
    assert np.linalg.norm(gap) > 0.1


def test_a_world_starts_at_the_nominal_configuration_and_keeps_the_pins():
    text = parallelogram(pins("1.1 -1.1 1.1", ("tip", "b", "0 0 0")))
    world = World(1e-3, gravity=(0, -9.81, 0))
    robot = world.add_articulated_system(text)
    np.testing.assert_allclose(robot.q, [1.1, -1.1, 1.1], atol=1e-12)
    for _ in range(500):
        world.step()
        assert np.abs(robot.loop_error).max() < 1e-11
    assert abs(robot.q[0] - 1.1) > 0.5
    assert robot.loop_force("tip_b_pin").shape == (6,)


def test_a_floating_base_comes_first_position_then_quaternion():
    config = "0.5 0.2 1 0 0 1 0 0.6 -0.6 0.6"
    m = load_urdf(parallelogram(pins(config, ("tip", "b", "0 0 0")), root="trunk"))
    state = rbdyn.State(rbdyn.Model(m))
    state.set([0, 0, 0, 1, 0, 0, 0, 1.2, -1.2, 1.2])
    np.testing.assert_allclose(rbdyn.loop_error(state), 0.0, atol=1e-15)


def test_several_pins_between_the_same_links_have_names_of_their_own():
    m = load_urdf(parallelogram(pins("1 -1 1", ("tip", "b", "0 0 0"), ("tip", "b", "0 0 0.1"))))
    assert [j.name for j in m.non_tree_joints] == ["tip_b_pin", "tip_b_pin_"]


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        (pins(None, ("tip", "b", "0 0 0")), ["nominal_config of <constraints> is missing", "3 numbers"]),
        (pins("1 -1", ("tip", "b", "0 0 0")), ["has 2 numbers, needed 3: hip (1), knee (1), foot (1)"]),
        (pins("1 -1 x", ("tip", "b", "0 0 0")), ["nominal_config", "'x'"]),
        (pins("1 -1 1", ("tip", "bb", "0 0 0")), ["no link named 'bb'", "'b'"]),
        (pins("1 -1 1", ("tip", "tip", "0 0 0")), ["body1 and body2 are both 'tip'"]),
        (pins("1 -1 1", ("tip", "b", "0 0")), ["anchor='0 0'", "needed 3 numbers"]),
        ('<constraints nominal_config="1 -1 1"><pin body2="b" anchor="0 0 0"/></constraints>', ["'body1' is missing"]),
        ("<constraints><equality/></constraints>", ["<equality> in <constraints> is not supported yet"]),
    ],
)
def test_bad_pins_are_named(constraints, words):
    with pytest.raises(UrdfError) as caught:
        load_urdf(parallelogram(constraints))
    for word in ["<text>:1", *words]:
        assert word in str(caught.value)


def test_a_nominal_quaternion_that_is_none_is_named():
    config = "0 0 1 0 0 0 0 1 -1 1"
    with pytest.raises(UrdfError, match=r"\(0 0 0 0\) for the rotation of joint 'ROOT'"):
        load_urdf(parallelogram(pins(config, ("tip", "b", "0 0 0")), root="trunk"))


def test_constraints_without_pins_close_nothing():
    assert load_urdf(parallelogram("<constraints/>")).non_tree_joints == ()
