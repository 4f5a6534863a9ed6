"""Robot files as templates: parameters, and what is said of those that are missing, wrong or not used."""

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import UrdfError
from rbdyn.io import load_urdf

CAR = """<robot name="@@name">
<link name="world"/>
<link name="body">
 <inertial><mass value="@@mass"/>
  <inertia ixx="{@@mass*(@@width**2 + 0.01)/12}" ixy="0" ixz="0" iyy="{@@mass*0.02}" iyz="0" izz="{@@mass*0.02}"/>
 </inertial>
 <collision><geometry><box size="@@width {@@width/2} 0.1"/></geometry></collision>
</link>
<joint name="{@@side}_hinge" type="revolute"><parent link="world"/><child link="body"/>
 <origin xyz="0 {-@@width/2} {sqrt(2)}" rpy="0 0 {pi/2}"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="{exp(0)}" effort="5" velocity="6"/></joint>
</robot>"""
PARAMS = {"name": "car", "mass": 3.0, "width": "0.4", "side": "left"}


def test_a_template_is_filled():
    m = load_urdf(CAR, params=PARAMS)
    assert m.name == "car"
    body, joint = m.find_body("body"), m.find_joint("left_hinge")
    assert body.inertia.mass == 3.0
    assert np.isclose(body.inertia.inertia[0, 0], 3 * 0.17 / 12, rtol=1e-15)
    assert body.collision[0].shape.size == (0.4, 0.2, 0.1)
    assert np.allclose(m.edge(joint).joint_pose.translation, (0, -0.2, 2**0.5), rtol=1e-15)
    assert joint.position_limits == (-1.0, 1.0)
    assert m.diagnostics == []


def test_pairs_do_too_and_a_world_takes_them():
    world = rbdyn.World()
    robot = world.add_articulated_system(CAR, params=list(PARAMS.items()))
    assert robot.mechanism.find_body("body").inertia.mass == 3.0


@pytest.mark.parametrize(
    ("params", "says"),
    [
        (PARAMS | {"mass": "heavy"}, ["<text>:5:", "<inertia>", "@@mass stands in an expression", "'heavy'"]),
        (PARAMS | {"width": "0,4"}, ["<text>:5:", "<inertia>", "@@width stands in an expression", "decimal comma"]),
        ({k: v for k, v in PARAMS.items() if k != "width"}, ["<text>:5:", "no parameter named 'width'", "mass, name"]),
        ({}, ["<text>:1:", "<robot>: name='@@name'", "no parameter named 'name'"]),
        (None, ["<text>:1:", "no parameter named 'name'", "params={...}"]),
        (PARAMS | {"mass": "-1"}, ["<text>:4:", "must not be negative"]),
        (PARAMS | {"width": 1e200}, ["<text>:5:", "expression", "not a finite number"]),
    ],
)
def test_errors_name_the_place(params, says):
    with pytest.raises(UrdfError) as error:
        load_urdf(CAR, params=params)
    for text in says:
        assert text in str(error.value)


def test_a_parameter_that_is_not_used_is_noted():
    (note,) = load_urdf(CAR, params=PARAMS | {"colour": "red"}).diagnostics
    assert note == "<text>:1: params: 'colour' is not used in it"
    with pytest.raises(UrdfError, match="'colour' is not used"):
        load_urdf(CAR, params=PARAMS | {"colour": "red"}, strict=True)


def test_a_parameter_is_text_and_never_markup():
    m = load_urdf(CAR, params=PARAMS | {"name": '"/><link name="evil'})
    assert m.name == '"/><link name="evil'
    assert len(m.bodies) == 2


@pytest.mark.parametrize(
    "attack",
    [
        "{__import__('os').system('true')}",
        "{().__class__.__bases__[0]}",
        "{9**9**9}",
        "{" + "(" * 1000 + "}",
        "{open('/etc/passwd')}",
        "{@@mass.__class__}",
        "{[x for x in (1,)]}",
        "{{1}}",
        "{1",
        "1}",
        "@@",
        "@@mass@@",
        "{'a'*10**9}",
        "{exp(exp(exp(9)))}",
    ],
)
def test_what_is_no_arithmetic_is_refused(attack):
    text = CAR.replace('value="@@mass"', f'value="{attack}"')
    with pytest.raises(UrdfError) as error:
        load_urdf(text, params=PARAMS)
    assert str(error.value).startswith("<text>:4: <mass>")
    assert len(str(error.value)) < 700


def test_braces_of_robots_that_are_no_templates_are_letters():
    text = '<robot name="r"><link name="a{1}"/></robot>'
    assert load_urdf(text).find_body("a{1}")
    assert load_urdf(text, params={}).find_body("a1")


def test_a_comment_makes_no_template():
    assert load_urdf('<robot name="r"><!-- @@x --><link name="a{1}"/></robot>').find_body("a{1}")
