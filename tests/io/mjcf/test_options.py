"""Options and flags of MJCF files: gravity is the one that acts, what does not act here is said."""
# ruff: noqa: E501  (the files are text here, line by line)

import numpy as np
import pytest

import rbdyn
from rbdyn import io

mujoco = pytest.importorskip("mujoco")

ROBOT = """<mujoco>{option}<worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body>
</worldbody></mujoco>"""


def lines(text):
    return [line.removeprefix("<text>:1: ") for line in io.load_mjcf(text).diagnostics]


@pytest.mark.parametrize(("flag", "expected"), [("", (1, 2, -9)), ('<flag gravity="disable"/>', (0, 0, 0))])
def test_gravity_is_the_one_that_acts(flag, expected):
    text = ROBOT.format(option=f'<option gravity="1 2 -9">{flag}</option>')
    m = io.load_mjcf(text)
    np.testing.assert_array_equal(m.gravity, expected)
    assert m.diagnostics == []
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass = 1000 * 4 / 3 * np.pi * 0.1**3
    np.testing.assert_allclose(data.qfrc_bias, [mass * 0.3 * -expected[2] * -1], rtol=1e-12)


@pytest.mark.parametrize(
    "flag", ["limit", "spring", "damper", "frictionloss", "equality", "actuation", "filterparent",
             "constraint", "clampctrl"]
)  # fmt: skip
def test_flags_that_switch_something_off_are_said(flag):
    if f"mjDSBL_{flag.upper()}" not in mujoco.mjtDisableBit.__members__:
        pytest.skip("a flag that this MuJoCo has not")
    text = ROBOT.format(option=f'<option><flag {flag}="disable"/></option>')
    assert lines(text) == [f'<flag {flag}="disable"> is not read; what it switches off in MuJoCo acts here']
    assert lines(text.replace("disable", "enable")) == []


def test_other_options_are_said():
    text = ROBOT.format(option='<option actuatorgroupdisable="0 3" density="1.2" viscosity="2e-5" wind="1 0 0.5" '
                               'magnetic="0 0 1"><flag override="enable" energy="enable" warmstart="disable"/></option>')  # fmt: skip
    assert lines(text) == [
        '<flag override="enable"> is not read; contacts are those of their geoms',
        '<option actuatorgroupdisable="0 3"> is not read; actuators of these groups are read as all others',
        '<option density="1.2"> is not read; left out',
        '<option viscosity="2e-05"> is not read; left out',
        '<option wind="1 0 0.5"> is not read; left out',
        '<option magnetic="0 0 1"> is not read; left out',
    ]
    with pytest.raises(rbdyn.MjcfError, match=r"^<text>:1: <flag override.*strict=True"):
        io.load_mjcf(text, strict=True)


def test_what_stands_in_bodies_and_welds_is_said():
    text = """<mujoco><worldbody><body name="hand" mocap="true"><geom size="0.1" name="g" fluidshape="ellipsoid"/></body>
    <body name="a"><freejoint/><geom size="0.1"/></body></worldbody>
    <equality><weld name="w" body1="a" body2="hand" torquescale="3"/><weld body1="a"/></equality></mujoco>"""
    assert lines(text) == [
        "mocap of body 'hand' is not read; it is fixed where it is",
        "fluidshape of geom 'g' is not read; nothing flows here",
        "torquescale 3 of equality 'w' is not read; it holds hard",
    ]


def test_a_site_of_its_bodys_name_is_a_frame_of_another():
    text = """<mujoco><worldbody><body name="a"><joint/><geom size="0.1"/><site name="a" pos="1 2 3" quat="0 1 0 0"/>
    <site name="a_site" pos="4 5 6"/><site name="b"/></body><body name="b"><joint/><geom size="0.1"/></body>
    </worldbody></mujoco>"""
    m = io.load_mjcf(text)
    assert m.diagnostics == ["<text>:1: site 'a' has the name of its body; it is the frame 'a_site_2'"]
    frames = m.find_body("a").frames
    np.testing.assert_array_equal(frames["a_site_2"][1].translation, (1, 2, 3))
    np.testing.assert_allclose(frames["a_site_2"][1].rotation, np.diag([1, -1, -1]), atol=1e-15)
    np.testing.assert_array_equal(frames["a_site"][1].translation, (4, 5, 6))
    assert "b" in frames
