"""Actuators of MJCF files pull here as in MuJoCo: gains of servos and effort limits, measured there."""

import numpy as np
import pytest

import rbdyn
from rbdyn import io
from rbdyn.errors import Error

mujoco = pytest.importorskip("mujoco")

BODY = """<mujoco><default><position kp="30"/></default><worldbody><body name="a">
<joint name="j" axis="0 1 0" {joint}/><geom size="0.1"/>
<body name="b" pos="0 0 0.5"><joint name="k" type="slide" axis="1 0 0"/><geom size="0.1"/></body></body>
<body name="c" pos="5 0 0"><joint name="ball" type="ball"/><geom size="0.1"/></body></worldbody>
<actuator>{actuators}</actuator></mujoco>"""
SERVOS = {
    "position": '<position joint="j" kv="4"/>',
    "geared": '<position joint="j" kp="7" kv="2" gear="-3"/>',
    "velocity": '<velocity joint="j" kv="5" gear="2"/>',
    "general": '<general joint="j" gainprm="3" biastype="affine" biasprm="0 -4 -1.5"/>',
    "two": '<position joint="j" kp="7"/><velocity joint="j" kv="5"/>',
    "critical": '<position joint="j" kp="7" dampratio="1"/>',
    "in parent": '<position jointinparent="j" kp="9"/>',
    "slide": '<position joint="k" kp="9" kv="1"/>',
}


def pull(text, q, v, controls=0.0):
    """The forces of all actuators at the joints of `a` and `b`, as MuJoCo has them."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:2], data.qvel[:2], data.ctrl[:] = q, v, controls
    mujoco.mj_forward(model, data)
    return data.qfrc_actuator[:2].copy()


@pytest.mark.parametrize("name", SERVOS)
def test_gains_are_those_that_mujoco_pulls_with(name):
    text = BODY.format(joint="", actuators=SERVOS[name])
    m = io.load_mjcf(text)
    p, d = io.servo_gains(m)
    assert len(p) == len(d) == m.num_velocities == 5
    q, v = np.array([0.3, -0.2]), np.array([1.5, 0.7])
    pulled = pull(text, q, v)
    np.testing.assert_allclose(-p[:2] * q - d[:2] * v, pulled, rtol=1e-12)
    assert np.abs(pulled).max() > 0.5 and not p[2:].any()
    again = io.load_mjcf(io.mjcf_text(m))
    np.testing.assert_array_equal(io.servo_gains(again), (p, d))
    robot = rbdyn.World().add_articulated_system(m)
    robot.set_pd_gains(p, d)  # they fit
    assert not any("actuator" in line for line in m.diagnostics)


LIMITS = {
    "controls of a motor": ("", '<motor joint="j" gear="-3" ctrlrange="-2 1"/>'),
    "forces of a motor": ("", '<motor joint="j" gear="3" forcerange="-2 2" ctrlrange="-9 9"/>'),
    "forces of a servo": ("", '<position joint="j" gear="2" forcerange="-4 4" ctrlrange="-0.1 0.1"/>'),
    "two motors": ("", '<motor joint="j" ctrlrange="-1 1"/><motor joint="j" gear="2" ctrlrange="-3 3"/>'),
    "the joint's is less": ('actuatorfrcrange="-2 2"', '<motor joint="j" ctrlrange="-8 8"/>'),
    "one way more than the other": ("", '<motor joint="j" gear="-2" forcerange="-1 5"/>'),
    "one way in the joint": ('actuatorfrcrange="-1 5"', '<motor joint="j"/>'),
    "one way cut by the joint": ('actuatorfrcrange="-9 2"', '<motor joint="j" ctrlrange="1 4"/>'),
    "bias without gain": ("", '<general joint="j" gainprm="0" biastype="affine" biasprm="0 -3 0" forcerange="-7 7"/>'),
    "the motor's is less": ('actuatorfrcrange="-9 9"', '<motor joint="j" ctrlrange="-8 8"/>'),
}


@pytest.mark.parametrize("name", LIMITS)
def test_no_control_pulls_harder_than_the_effort_limit(name):
    joint, actuators = LIMITS[name]
    text = BODY.format(joint=joint, actuators=actuators)
    limit = io.load_mjcf(text).find_joint("j").effort_limit
    pulls = [pull(text, np.array([q, 0.0]), np.zeros(2), u)[0] for u in (-1e6, 1e6) for q in (-1e3, 0.0, 1e3)]
    most = max(map(abs, pulls))
    assert limit == most > 0.0


@pytest.mark.parametrize(
    ("joint", "actuators", "said"),
    [
        ('actuatorfrcrange="-1 5"', "", "efforts from -1 to 5 become the limit 5 both ways"),
        ("", '<motor joint="j" forcerange="-1 5"/>', "efforts from -1 to 5 become the limit 5 both ways"),
        ("", '<motor joint="j" gear="-2" ctrlrange="0 1"/>', "efforts from -2 to 0 become the limit 2 both ways"),
        ('actuatorfrcrange="-2 5"', '<motor joint="j" ctrlrange="-2 2"/>', None),
    ],
)
def test_efforts_that_are_not_the_same_both_ways_are_said(joint, actuators, said):
    lines = io.load_mjcf(BODY.format(joint=joint, actuators=actuators)).diagnostics
    assert lines == ([] if said is None else [f"<text>:1: joint 'j': {said}"])


def test_filters_and_integrators_keep_their_bounds():
    """What a filter gives stays within what goes in, as MuJoCo's does after a second; an integral within actrange."""
    for words, expected in (
        ('dyntype="filter" ctrlrange="-1 1"', 40.0),
        ('dyntype="filterexact" dynprm="0.01" ctrlrange="-3 3" actrange="-2 2"', 80.0),
        ('dyntype="integrator" ctrlrange="-1 1" actrange="-0.5 0.5"', 20.0),
    ):
        text = BODY.format(joint="", actuators=f'<general joint="j" gainprm="40" biastype="none" {words}/>')
        m = io.load_mjcf(text)
        assert m.find_joint("j").effort_limit == expected
        assert any("acts through a filter or an integrator is left out" in line for line in m.diagnostics)
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        data.ctrl[:] = 1e3
        most = 0.0
        for _ in range(5000):
            mujoco.mj_step(model, data)
            most = max(most, abs(data.actuator_force[0]))
        assert 0.99 * expected < most <= expected
    integrator = '<general joint="j" biastype="none" dyntype="integrator" ctrlrange="-1 1"/>'
    free = io.load_mjcf(BODY.format(joint="", actuators=integrator))
    assert free.find_joint("j").effort_limit is None


def test_armature_and_damping_of_actuators():
    """By MuJoCo's mass matrix and passive forces; the gear counts twice."""
    actuators = """<motor joint="j" gear="-3" armature="0.2" damping="5"/>
    <general joint="j" gaintype="affine" gainprm="0 1" armature="0.1" damping="2 1 3"/>
    <position jointinparent="k" armature="0.7" damping="0.3"/>
    <motor name="m" joint="ball" gear="1 2 3" armature="1"/>"""
    text = BODY.format(joint='armature="0.01" damping="0.4"', actuators=actuators)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo knows no armature of actuators")
    without = mujoco.MjModel.from_xml_string(BODY.format(joint="", actuators=""))
    M = []
    for one in (without, model):
        data = mujoco.MjData(one)
        mujoco.mj_forward(one, data)
        full = np.zeros((one.nv, one.nv))
        for row, unit in zip(full, np.eye(one.nv), strict=True):
            mujoco.mj_mulM(one, data, row, unit)
        M.append(full)
    m = io.load_mjcf(text)
    added = np.diag(M[1] - M[0])
    for k, name in enumerate("jk"):
        np.testing.assert_allclose(m.find_joint(name).rotor_inertia, added[k], rtol=1e-12)
    data = mujoco.MjData(model)
    data.qvel[:2] = 1e-9  # the polynomial does nothing here
    mujoco.mj_forward(model, data)
    dampings = [m.find_joint(name).damping for name in "jk"]
    np.testing.assert_allclose(dampings, -data.qfrc_passive[:2] / 1e-9, rtol=1e-6)
    said = "\n".join(m.diagnostics)
    assert "damping of actuator 'j, without a name' is a polynomial, 2 1 3; its first number alone is read" in said
    assert "armature and damping of actuator 'm', on a ball or free joint, are not read; left out" in said
    again = io.load_mjcf(io.mjcf_text(m))
    assert again.find_joint("j").rotor_inertia == m.find_joint("j").rotor_inertia


def test_armature_of_actuators_that_are_not_read_is_said():
    text = BODY.format(joint="", actuators='<muscle joint="j" armature="1"/><muscle joint="k"/>')
    assert [line.partition("is not read; ")[2] for line in io.load_mjcf(text).diagnostics] == [
        "left out, with its armature and damping",
        "left out",
    ]


def test_a_velocity_servo_is_written_as_one():
    """Run in MuJoCo: a control of 3 brings the joint to 3 rad/s."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 0 1"/><geom size="0.1"/></body>
    </worldbody><actuator><velocity joint="j" kv="5"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(io.mjcf_text(io.load_mjcf(text)))
    data = mujoco.MjData(model)
    data.ctrl[:] = 3.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qvel, [3.0], rtol=1e-6)


def test_a_late_control_is_said():
    text = BODY.format(joint="", actuators='<motor name="m" joint="j" delay="0.1" nsample="60"/>')
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo knows no delays")
    assert io.load_mjcf(text).diagnostics == ["<text>:1: actuator 'm': that its control acts 0.1 s late is left out"]


def test_efforts_without_bounds_and_what_is_left_out():
    joint = io.load_mjcf(BODY.format(joint="", actuators='<motor joint="j"/>')).find_joint("j")
    assert joint.effort_limit is None and not joint.annotations
    actuators = """<muscle joint="j"/><damper joint="j" kv="2" ctrlrange="0 1"/><motor name="m" joint="ball"/>
    <motor site="s"/><position joint="k" timeconst="0.1"/><general name="g" joint="j" gainprm="3" biastype="affine"
    biasprm="1 0 0"/>"""
    text = BODY.format(joint="", actuators=actuators).replace('<body name="b"', '<site name="s"/><body name="b"')
    m = io.load_mjcf(text)
    said = "\n".join(m.diagnostics)
    for words in ("<muscle> in <actuator> is not read", "<motor> in <actuator> of something else than a joint",
                  "actuator 'j, without a name': neither a motor nor a servo", "actuator 'm': on a ball or free joint",
                  "acts through a filter or an integrator", "actuator 'g': with a constant force"):  # fmt: skip
        assert words in said
    assert m.find_joint("j").effort_limit is None
    assert [x.tolist() for x in io.servo_gains(m)] == [[0, 30, 0, 0, 0], [0, 0, 0, 0, 0]]


@pytest.mark.filterwarnings("ignore:URDF in dialect:rbdyn.ExportWarning")
def test_urdf_says_that_it_has_no_servos():
    m = io.load_mjcf(BODY.format(joint="", actuators=SERVOS["position"]))
    with pytest.warns(rbdyn.ExportWarning, match=r"gains of servos: left out.*j"):
        text = io.urdf_text(m)
    assert "servo" not in text


@pytest.mark.parametrize(
    "servo", [{}, {"p": "1"}, {"p": "much", "d": "1"}, {"p": "nan", "d": "1"}, {"p": "1", "d": "-2"}], ids=str
)
def test_an_annotation_that_holds_no_gains_is_named(servo):
    mechanism = io.load_mjcf(
        '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<actuator><position joint="j" kp="50" kv="2"/></actuator></mujoco>'
    )
    mechanism.tree_joints[0].annotations = {"servo": servo}
    with pytest.raises(Error, match="joint 'j': annotation 'servo' must hold p and d"):
        io.servo_gains(mechanism)
