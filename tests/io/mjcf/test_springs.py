"""Springs and dampers of MJCF files pull here as in MuJoCo."""

import numpy as np
import pytest
from algorithms.systems import in_motion
from reference.compare import close, nontrivial

import rbdyn
from rbdyn import ExportWarning, io

mujoco = pytest.importorskip("mujoco")

FREE = """<mujoco><option gravity="0 0 0"/><worldbody><body name="a" pos="1 2 3" quat="1 2 -1 0.5">
<joint name="j" type="free" stiffness="30" damping="2"/><geom size="0.1" pos="0.02 0 0"/></body></worldbody></mujoco>"""


def passive(text, q, R, v):
    """MuJoCo's passive force of one free joint, along the axes of the world; v turns about these too."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    data.qvel[:] = np.concatenate([v[:3], R.T @ v[3:]])
    mujoco.mj_forward(model, data)
    return np.concatenate([data.qfrc_passive[:3], R @ data.qfrc_passive[3:]])


def test_a_spring_of_a_free_joint_rests_where_the_file_has_its_body():
    m = io.load_mjcf(FREE)
    joint = m.find_joint("j")
    np.testing.assert_allclose(joint.spring_reference, m.nominal_configuration, atol=1e-15)
    s = in_motion(np.random.default_rng(3), m)
    world = rbdyn.World(gravity=(0, 0, 0), time_step=1e-9)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(m)
    robot.set_state(s.q, s.v)
    world.step()
    expected = passive(FREE, s.q, joint.joint_type.pose(s.q).rotation, s.v)
    nontrivial(expected)
    close(robot.passive_force, expected, 1e-6)


def test_a_spring_of_a_free_joint_is_written_where_it_rests_at_the_bodys_pose(recwarn):
    m = io.load_mjcf(FREE)
    text = io.mjcf_text(m)
    assert not recwarn.list
    there = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(there.jnt_stiffness, [30])
    close(there.qpos_spring, mujoco.MjModel.from_xml_string(FREE).qpos_spring, 1e-15)
    m.nominal_configuration = None  # the body is written at the origin
    with pytest.warns(ExportWarning, match="a spring of a free joint that rests at another pose .*: left out: j"):
        text = io.mjcf_text(m)
    np.testing.assert_array_equal(mujoco.MjModel.from_xml_string(text).jnt_stiffness, [0])
    m.find_joint("j").spring_reference = None
    text = io.mjcf_text(m)
    np.testing.assert_array_equal(mujoco.MjModel.from_xml_string(text).qpos_spring, [0, 0, 0, 1, 0, 0, 0])
    assert mujoco.MjModel.from_xml_string(text).jnt_stiffness == [30]


def test_slides_of_a_floating_joint_have_its_springs():
    """In mid-tree it is three slides and a ball; a slide rests anywhere, a ball at no rotation."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inertia = rbdyn.SpatialInertia(1.0, inertia=np.eye(3))
    m.attach("world", rbdyn.RigidBody("a", inertia), rbdyn.Joint("i", rbdyn.Revolute((0, 0, 1))))
    joint = rbdyn.Joint("j", rbdyn.Floating(), stiffness=7.0, spring_reference=(1, 2, 3, 1, 0, 0, 0))
    m.attach("a", rbdyn.RigidBody("b", inertia), joint)
    model = mujoco.MjModel.from_xml_string(io.mjcf_text(m, strict=True))
    at = [model.jnt_qposadr[model.joint(f"j_{letter}").id] for letter in "xyz"]
    np.testing.assert_array_equal(model.qpos_spring[at], (1, 2, 3))


def test_polynomials_are_said():
    text = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" damping="1 0.5 0.2" stiffness="3 1 1"/>
    <geom size="0.1"/></body></worldbody></mujoco>"""
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo knows no polynomials")
    m = io.load_mjcf(text)
    assert m.diagnostics == [
        "<text>:1: damping of joint 'j' is a polynomial, 1 0.5 0.2; its first number alone is read",
        "<text>:1: stiffness of joint 'j' is a polynomial, 3 1 1; its first number alone is read",
    ]
    assert (m.find_joint("j").damping, m.find_joint("j").stiffness) == (1.0, 3.0)
