"""Modules: where they are looked for, and what comes of a robot and its modules."""

import pytest

import rbdyn
from rbdyn.errors import Error, PathError, UrdfError
from rbdyn.io import load_urdf

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
BASE = f"""<?xml version="1.0"?>
<robot name="base">
<material name="paint"><color rgba="0 1 0 1"/></material>
<link name="trunk">{INERTIAL.format(5)}</link>
</robot>
"""


def module(name, mass=1, joint="revolute"):
    return f"""<!-- a module -->
<link name="{name}">{INERTIAL.format(mass)}
<visual><geometry><sphere radius="0.1"/></geometry><material name="paint"/></visual></link>
<joint name="{name}_joint" type="{joint}"><parent link="trunk"/><child link="{name}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
"""


@pytest.fixture
def robot(tmp_path):
    folder = tmp_path / "robot" / "urdf"
    folder.mkdir(parents=True)
    (folder / "base.urdf").write_text(BASE)
    return folder / "base.urdf"


def test_two_modules(robot):
    (robot.parent / "arm.xml").write_text(module("arm", 2))
    (robot.parent / "camera.xml").write_text(f'<?xml version="1.0"?>\n<robot name="x">{module("camera", 3)}</robot>')
    m = load_urdf(robot, modules=["arm.xml", "camera.xml"])
    assert [b.name for b in m.bodies] == ["world", "trunk", "arm", "camera"]
    assert m.name == "base"
    assert sum(b.inertia.mass for b in m.bodies) == 10
    assert m.find_body("arm").visual[0].color == (0, 1, 0, 1)  # materials are shared
    assert m.diagnostics == []
    assert len(load_urdf(robot, modules=["camera.xml"]).bodies) == 3
    assert len(load_urdf(robot).bodies) == 2
    world = rbdyn.World()
    assert world.add_articulated_system(robot, modules=["arm.xml", "camera.xml"]).nv == 8


ORDER = ["urdf/m.xml", "urdf/modules/m.xml", "modules/m.xml", "urdf/module/m.xml", "module/m.xml"]


def test_raisims_order_of_places(robot):
    for k, place in reversed(list(enumerate(ORDER, start=1))):
        file = robot.parent.parent / place
        file.parent.mkdir(exist_ok=True)
        file.write_text(module("m", k))
        assert load_urdf(robot, modules=["m.xml"]).find_body("m").inertia.mass == k, place


def test_resource_dirs_take_the_place_of_the_robots_folder(robot, tmp_path):
    other = tmp_path / "other"
    (other / "modules").mkdir(parents=True)
    (other / "modules/m.xml").write_text(module("m", 7))
    (robot.parent / "m.xml").write_text(module("m", 8))
    assert load_urdf(robot, modules=["m.xml"], resource_dirs=other).find_body("m").inertia.mass == 7
    assert load_urdf(robot, modules=["m.xml"]).find_body("m").inertia.mass == 8


def test_absolute_paths_suffixes_and_texts(robot, tmp_path):
    far = tmp_path / "far.xml"
    far.write_text(module("far"))
    (robot.parent / "d455.xml").write_text(module("d455"))
    m = load_urdf(robot, modules=[far, "d455", module("text"), module("bytes").encode()])
    assert [b.name for b in m.bodies][2:] == ["far", "d455", "text", "bytes"]


def test_a_base_that_is_text(robot):
    (robot.parent / "m.xml").write_text(module("m"))
    assert load_urdf(BASE, modules=["m.xml"], base_dir=robot.parent).find_body("m")
    assert load_urdf(BASE, modules=["m.xml"], resource_dirs=robot.parent).find_body("m")
    with pytest.raises(PathError, match="no module 'm.xml'; searched nowhere"):
        load_urdf(BASE, modules=["m.xml"])
    with pytest.raises(Error, match="base_dir is the folder of a text"):
        load_urdf(robot, base_dir=robot.parent)


def test_templates_reach_into_modules(robot):
    (robot.parent / "m.xml").write_text(module("{@@side}", "{@@mass/2}"))
    m = load_urdf(robot, modules=["m.xml"], params={"side": "left", "mass": 3})
    assert m.find_body("left").inertia.mass == 1.5


def test_places_that_were_searched_are_listed(robot):
    with pytest.raises(PathError) as error:
        load_urdf(robot, modules=["m.xml"])
    places = [str(robot.parent / p) for p in ("m.xml", "modules/m.xml", "../modules/m.xml", "module/m.xml")]
    assert all(place in str(error.value) for place in places)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (module("m").replace('parent link="trunk"', 'parent link="trunc"'), "m.xml:4: <parent> of joint 'm_joint'"),
        (module("trunk"), "m.xml:2: a link named 'trunk' already stands at"),
        ('\n\n<link name="m"><inertial/></link>', "m.xml:3: <inertial> of link 'm'"),
        ("\n<link", "m.xml:2: not well-formed XML"),
        ("</robot><robot>", "m.xml:1: not well-formed XML"),
        ("<!DOCTYPE a><link/>", "m.xml:1: DOCTYPE and entities are refused"),
        ('<?xml version="1.0"?>\n<!DOCTYPE a>\n<link/>', "m.xml:2: DOCTYPE and entities are refused"),
        ('\n<link name="m"/>', "m.xml:2: robot 'base' has 2 root links"),
    ],
)
def test_errors_are_where_the_module_is(robot, text, says):
    (robot.parent / "m.xml").write_text(text)
    with pytest.raises(UrdfError) as error:
        load_urdf(robot, modules=["m.xml"])
    assert says in str(error.value)


def test_notes_are_where_the_module_is(robot):
    (robot.parent / "m.xml").write_text(module("m") + "\n<gadget/>")
    (note,) = load_urdf(robot, modules=["m.xml"]).diagnostics
    assert note.startswith(f"{robot.parent / 'm.xml'}:7: unknown tag <gadget> in <robot>")


def test_two_blocks_of_constraints_are_too_many(robot):
    pins = '<constraints nominal_config=""/>'
    with pytest.raises(UrdfError, match="a second <constraints>"):
        load_urdf(robot, modules=[pins, pins])


def test_the_generated_file_is_written_when_asked(robot, tmp_path):
    (robot.parent / "arm.xml").write_text(module("arm", "@@mass"))
    (robot.parent / "camera.xml").write_text(module("camera"))
    before = sorted(tmp_path.rglob("*"))
    m = load_urdf(robot, modules=["arm.xml", "camera.xml"], params={"mass": 4})
    assert sorted(tmp_path.rglob("*")) == before
    file = m.description.write_generated()
    assert file == robot.parent / "generated_base_arm_camera.urdf"
    again = load_urdf(file)
    assert [b.name for b in again.bodies] == [b.name for b in m.bodies]
    assert [b.inertia.mass for b in again.bodies] == [b.inertia.mass for b in m.bodies] == [0, 5, 4, 1]
    assert m.description.write_generated(tmp_path) == tmp_path / file.name
    with pytest.raises(PathError, match="cannot write"):
        m.description.write_generated(tmp_path / "nowhere")
    with pytest.raises(PathError, match="has no folder"):
        load_urdf(BASE).description.write_generated()
