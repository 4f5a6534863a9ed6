"""Robots begin where their file says: at qpos0, or at a <key>; and what is written says it too."""

import numpy as np
import pytest
from algorithms.systems import in_motion

import rbdyn
from rbdyn import MjcfError, UnknownNameError, io
from rbdyn.mechanism import Floating, Planar, Prismatic, Revolute, SinCosRevolute, Spherical

mujoco = pytest.importorskip("mujoco")

ROBOT = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/><body name="b"><joint name="j"/>
<geom size="0.1"/><body name="c"><joint name="k" type="ball"/><geom size="0.1"/></body></body></body></worldbody>
<keyframe><key name="home" qpos="{q}" ctrl="1" act="2" mpos="3"/><key time="1"/></keyframe></mujoco>"""
HOME = "1 2 3 2 0 0 0 .5 0 0 0 -3"


def test_a_key_is_the_nominal_configuration():
    text = ROBOT.format(q=HOME)
    plain = io.load_mjcf(text)
    assert plain.nominal_configuration == (0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0)
    assert any("keyframes 'home', 'key1': load_mjcf(..., keyframe='home')" in line for line in plain.diagnostics)
    home = io.load_mjcf(text, keyframe="home")
    assert home.nominal_configuration == (1, 2, 3, 1, 0, 0, 0, 0.5, 0, 0, 0, -1)
    assert not home.diagnostics
    assert rbdyn.World().add_articulated_system(text, keyframe="home").q.tolist() == list(home.nominal_configuration)
    assert io.load_mjcf(text, keyframe="key1").nominal_configuration == plain.nominal_configuration
    assert io.load_mjcf(text.replace("home", "nominal")).nominal_configuration == home.nominal_configuration


@pytest.mark.parametrize(
    ("q", "said"),
    [
        ("1 2", r"<text>:3: <key> 'home': qpos has 2 numbers, needed 12"),
        (HOME.replace("2 0 0 0", "0 0 0 0"), "a quaternion of qpos is zero"),
        (HOME.replace("2 0 0 0", "1e308 1e308 1e308 0"), "a quaternion of qpos is zero .or huge"),
        (HOME.replace("1", "nan", 1), "qpos='nan' is not a number"),
        (HOME.replace("1", "1e999", 1), "qpos='1e999' is not a finite number"),
        ("", "qpos has 1 numbers"),
    ],
)
def test_bad_keys(q, said):
    with pytest.raises(MjcfError, match=said):
        io.load_mjcf(ROBOT.format(q=q), keyframe="home")


def test_keys_that_are_not_there():
    with pytest.raises(UnknownNameError, match="no keyframe named 'hom' in <text>; did you mean 'home'"):
        io.load_mjcf(ROBOT.format(q=HOME), keyframe="hom")
    with pytest.raises(UnknownNameError, match="no keyframe named 'home'"):
        io.load_mjcf("<mujoco><worldbody/></mujoco>", keyframe="home")


def begun(seed):
    """A robot of all kinds of joints that begins away from zero; its joints branch, so that MuJoCo orders them anew."""
    rng = np.random.default_rng(seed)
    kinds = [Floating, Revolute, Spherical, Planar, Prismatic, SinCosRevolute, Revolute]
    m = rbdyn.rand_tree_mechanism(kinds, seed=seed)
    state = in_motion(rng, m)
    m.nominal_configuration = tuple(state.q.tolist())
    return m, state


def test_mujoco_begins_where_it_begins_here(seed):
    m, state = begun(seed)
    with pytest.warns(rbdyn.ExportWarning, match="coordinates of sincosrevolute joints"):
        text = io.mjcf_text(m)
    there = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(there)
    mujoco.mj_resetDataKeyframe(there, data, there.key("nominal").id)
    mujoco.mj_forward(there, data)
    for body in m.bodies[1:]:
        pose = rbdyn.body_pose(state, body)
        np.testing.assert_allclose(data.body(body.name).xpos, pose[:3, 3], atol=1e-9)
        np.testing.assert_allclose(data.body(body.name).xmat.reshape(3, 3), pose[:3, :3], atol=1e-9)
    again = io.load_mjcf(text)
    np.testing.assert_array_equal(again.nominal_configuration, there.key("nominal").qpos)


def test_a_free_body_stands_where_it_begins():
    m = io.load_mjcf(ROBOT.format(q=HOME))
    m.nominal_configuration = (1, 2, 3, 0.6, 0.8, 0, 0, 0, 1, 0, 0, 0)
    text = io.mjcf_text(m)
    assert "keyframe" not in text
    np.testing.assert_allclose(mujoco.MjModel.from_xml_string(text).qpos0, m.nominal_configuration, atol=1e-16)
    assert io.load_mjcf(text).nominal_configuration == pytest.approx(m.nominal_configuration, abs=1e-16)
    m.nominal_configuration = (1.0, 2.0)
    with pytest.warns(rbdyn.ExportWarning, match="a nominal configuration of before an edit: left out"):
        io.mjcf_text(m)
