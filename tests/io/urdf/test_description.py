"""What a robot was read from is at hand: text, file, folders; and what other programs' words of joints were."""

import pickle

import pytest

import rbdyn
from rbdyn import models
from rbdyn.io import load_urdf

TEXT = '<robot name="r"><link name="a"/></robot>'
JOINT = """<robot name="r"><link name="world"/><link name="b"/>
<joint name="j" type="continuous"><parent link="world"/><child link="b"/><axis xyz="0 0 1"/>
<safety_controller k_velocity="10" soft_upper_limit="1.5"/><calibration rising="0.5"/></joint></robot>"""


def test_of_a_file():
    path = models.path("quadruped")
    said = load_urdf(path, resource_dirs=[path.parent.parent]).description
    assert said.path == path.absolute()
    assert (said.file_name, said.top_directory) == (path.name, path.parent.name)
    assert said.folder == path.parent.absolute()
    assert said.resource_directory == path.parent.parent.absolute()
    assert load_urdf(path).description.resource_directory == path.parent.absolute()
    assert said.text == path.read_text()


def test_of_a_text(tmp_path):
    said = load_urdf(TEXT).description
    assert (said.path, said.file_name, said.folder, said.top_directory) == (None, "", None, "")
    assert said.resource_directory is None
    assert said.text == TEXT
    assert load_urdf(TEXT.encode("utf-16")).description.text == TEXT
    said = load_urdf(TEXT, base_dir=tmp_path).description
    assert (said.folder, said.top_directory) == (tmp_path, tmp_path.name)


def test_of_a_template():
    text = TEXT.replace('"a"', '"{@@n*2}"')
    assert '<link name="6"/>' in load_urdf(text, params={"n": 3}).description.text


def test_in_a_world_and_of_copies():
    world = rbdyn.World()
    robot = world.add_articulated_system(models.path("quadruped"))
    said = robot.mechanism.description
    assert said.file_name == models.path("quadruped").name
    assert robot.mechanism.copy().description.text == said.text
    assert pickle.loads(pickle.dumps(robot.mechanism)).description.text == said.text
    assert rbdyn.Mechanism(rbdyn.RigidBody("world")).description is None


def test_words_for_other_programs_are_kept():
    m = load_urdf(JOINT)
    joint = m.find_joint("j")
    expected = {
        "safety_controller": {"k_velocity": "10", "soft_upper_limit": "1.5"},
        "calibration": {"rising": "0.5"},
    }
    assert joint.annotations == expected
    assert not [w for w in m.diagnostics if "safety" in w or "calibration" in w]
    assert m.copy().find_joint("j").annotations == expected
    assert joint.copy("k").annotations == expected
    assert rbdyn.Joint("x", rbdyn.Fixed()).annotations == {}


def test_their_numbers_are_checked():
    with pytest.raises(rbdyn.Error, match="<text>:3: <calibration> of joint 'j': rising='high' is not a number"):
        load_urdf(JOINT.replace('"0.5"', '"high"'))


@pytest.mark.parametrize("value", [3, "safe", {"a": 3}, {"a": {"b": 3}}, {3: {}}])
def test_annotations_are_checked(value):
    with pytest.raises(rbdyn.MechanismError, match="annotations of joint 'x' must be"):
        rbdyn.Joint("x", rbdyn.Fixed()).annotations = value


def test_no_name_is_the_default_material():
    shape = '<collision><geometry><sphere radius="1"/></geometry><material><contact name="{}"/></material></collision>'
    text = f'<robot name="r"><link name="a">{shape.format("")}{shape.format("ice")}</link></robot>'
    assert [g.material for g in load_urdf(text).find_body("a").collision] == ["default", "ice"]
