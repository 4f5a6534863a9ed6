"""xacro files, through the real package."""

import pytest

pytest.importorskip("xacro", reason="xacro is not installed")

from rbdyn.errors import Error, PathError, UrdfError
from rbdyn.io import load_urdf, load_xacro

ROBOT = """<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="2"/>
<xacro:arg name="tail" default="false"/>
<xacro:include filename="{include}"/>
<link name="base"/>
<xacro:leg side="left" mass="${{$(arg mass)/2}}"/>
<xacro:if value="$(arg tail)"><xacro:leg side="tail" mass="1"/></xacro:if>
</robot>
"""
LEG = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="leg" params="side mass"><link name="${side}_leg"><inertial><mass value="${mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="${side}_hip" type="continuous"><parent link="base"/><child link="${side}_leg"/><axis xyz="0 1 0"/></joint>
</xacro:macro></robot>
"""


@pytest.fixture
def robot(tmp_path):
    folder = tmp_path / "ws" / "bot" / "urdf"
    folder.mkdir(parents=True)
    (folder / "leg.xacro").write_text(LEG)
    (folder / "bot.xacro").write_text(ROBOT.format(include="leg.xacro"))
    return folder / "bot.xacro"


def test_arguments_reach_macros_of_included_files(robot):
    m = load_xacro(robot, {"mass": 6, "tail": True})
    assert {b.name: b.inertia.mass for b in m.bodies} == {"world": 0, "base": 0, "left_leg": 3, "tail_leg": 1}
    assert m.diagnostics == []
    assert m.description.file_name == "bot.xacro"
    assert "left_leg" in m.description.text
    assert [b.name for b in load_xacro(robot).bodies] == ["world", "base", "left_leg"]


def test_packages_are_found_where_meshes_are(robot):
    robot.write_text(ROBOT.format(include="$(find bot)/urdf/leg.xacro"))
    assert load_xacro(robot, floating=False).find_body("left_leg").inertia.mass == 1
    robot.write_text(ROBOT.format(include="$(find other)/leg.xacro"))
    with pytest.raises(UrdfError, match="bot.xacro: xacro: .*unknown package 'other'"):
        load_xacro(robot)
    other = robot.parents[3] / "far" / "other"
    other.mkdir(parents=True)
    (other / "leg.xacro").write_text(LEG)
    assert load_xacro(robot, resource_dirs=[other.parent]).find_body("left_leg")


def test_what_xacro_refuses_is_ours_to_say(robot):
    with pytest.raises(UrdfError, match=r"bot.xacro: xacro: .*\$\(arg mass\)/2"):
        load_xacro(robot, {"mass": "1 +"})
    robot.write_text(ROBOT.format(include="leg.xacro").replace("</robot>", ""))
    with pytest.raises(UrdfError, match="bot.xacro: xacro"):
        load_xacro(robot)


def test_its_sandbox_holds(robot):
    for attack in ("().__class__", "__import__('os')", "open('/etc/passwd')"):
        robot.write_text(ROBOT.format(include="leg.xacro").replace("${$(arg mass)/2}", "${" + attack + "}"))
        with pytest.raises(UrdfError, match="xacro"):
            load_xacro(robot)


def test_it_ends_in_time_and_memory(robot):
    robot.write_text(ROBOT.format(include="leg.xacro").replace("${$(arg mass)/2}", "${9**9**9}"))
    with pytest.raises(UrdfError, match=r"took more than 0.7 s|xacro"):
        load_xacro(robot, timeout=0.7)


def test_files_that_include_one_another(robot):
    (robot.parent / "leg.xacro").write_text(
        LEG.replace("<xacro:macro", '<xacro:include filename="bot.xacro"/><xacro:macro')
    )
    with pytest.raises(UrdfError, match="bot.xacro: xacro"):
        load_xacro(robot)


def test_a_package_beside_the_caller_is_not_run(robot, monkeypatch):
    (robot.parent / "xacro.py").write_text("raise SystemExit('run')")
    (robot.parent / "json.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(robot.parent)
    assert load_xacro("bot.xacro").find_body("left_leg")


def test_errors_behind_xacro_name_the_expanded_text(robot):
    with pytest.raises(UrdfError, match=r"bot.xacro \(expanded\):\d+: <mass> of link 'left_leg': value='-2.0'"):
        load_xacro(robot, {"mass": -4})


def test_what_is_given_is_checked(robot, tmp_path):
    for arguments in (3, {"a": None}, {3: "a"}):
        with pytest.raises(Error, match="arguments must be"):
            load_xacro(robot, arguments)
    with pytest.raises(Error, match="no option named 'text' in load_xacro()"):
        load_xacro(robot, text=True)
    with pytest.raises(Error, match="timeout"):
        load_xacro(robot, timeout=-1)
    with pytest.raises(Error, match="path must be a path, got a text, '<robot .*write it to one"):
        load_xacro('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>')
    with pytest.raises(PathError, match="no such file"):
        load_xacro(tmp_path / "none.xacro")
    with pytest.raises(PathError, match="a folder"):
        load_xacro(tmp_path)


def test_unexpanded_the_reader_says_what_to_do(robot):
    with pytest.raises(UrdfError, match="load_xacro"):
        load_urdf(robot, strict=True)
