"""One call for every format, the World and the command line by it, and robots by name."""
# ruff: noqa: E501  (the files are text here, line by line)

from __future__ import annotations

import sys
import types

import pytest

import rbdyn
from rbdyn import io, models
from rbdyn.cli.main import main
from rbdyn.io.formats import format_of
from rbdyn.io.root_tag import root_tag, root_tag_of_file

pytest.importorskip("mujoco")

URDF = (
    '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
    'iyz="0"/></inertial></link></robot>'
)
MJCF = '<mujoco model="r"><worldbody><body name="a"><joint name="j"/><geom size="0.1"/></body></worldbody></mujoco>'
SDF = '<sdf version="1.7"><model name="r"><link name="a"><inertial/></link></model></sdf>'


@pytest.mark.parametrize(("text", "name", "count"), [(URDF, "urdf", 6), (MJCF, "mjcf", 1), (SDF, "sdf", 6)])
def test_the_format_is_found(tmp_path, text, name, count):
    """By the suffix, by the root element behind comments, and of a text."""
    for file in (f"r.{name}", "r.xml", "r"):
        (tmp_path / file).write_text(f'<?xml version="1.0"?>\n<!-- <robot> <mujoco> -->\n{text}')
        assert format_of(tmp_path / file) == name
        assert io.load(tmp_path / file).num_velocities == count
    assert io.load(text).num_velocities == count
    assert rbdyn.World().add_articulated_system(text).nv == count


HEADS = {
    "comment": "<!--" + "x" * 200_000 + "-->",
    "comments": "<!-- <robot/> -->\n" * 100_000,
    "instructions": "<?note a > b?>" * 100_000,
    "blanks": " \n" * 1_500_000,
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_root_element_is_found_however_late_it_comes(tmp_path, head, encoding, capsys):
    """It was looked for in 64 KiB: such files had "no root element"."""
    file = tmp_path / "r.xml"
    file.write_text(HEADS[head] + MJCF, encoding=encoding)
    assert format_of(file) == "mjcf"
    assert root_tag_of_file(file) == "mujoco"
    if encoding == "utf-8":
        assert io.load(file).num_velocities == 1
        assert io.load(HEADS[head] + MJCF).num_velocities == 1
        assert io.load((HEADS[head] + MJCF).encode()).num_velocities == 1
        assert main(["check", str(file)]) == 0
        assert "no root element" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "declaration",
    ["<!DOCTYPE mujoco>", '<!DOCTYPE m SYSTEM "a>b">', "<!DOCTYPE m [<!ENTITY a 'b]>'><!-- it's \"> ] --><?p ]>?>] >"],
)
def test_document_types_are_refused_by_name(tmp_path, declaration):
    """And not as files without a root element, whatever stands inside."""
    (tmp_path / "r.xml").write_text(declaration + "\n" + MJCF)
    assert root_tag(declaration + MJCF) == "mujoco"
    with pytest.raises(rbdyn.Error, match="DOCTYPE and entities are refused"):
        io.load(tmp_path / "r.xml")


@pytest.mark.parametrize(
    "piece", ["<!--", "<?a", "<!DOCTYPE [", "<!DOCTYPE '", "<!a>", "<!DOCTYPE a [<!--", "< ", "<!DOCTYPE [<?"]
)
def test_looking_for_a_root_takes_linear_time(piece):
    """A million characters that end nothing: some milliseconds, and never an hour."""
    assert root_tag(piece * 100_000) == ""


def test_what_is_no_robot(tmp_path):
    (tmp_path / "w.xml").write_text("<raisim/>")
    with pytest.raises(rbdyn.Error, match="load_world reads it"):
        io.load(tmp_path / "w.xml")
    (tmp_path / "x.xml").write_text("<html/>")
    with pytest.raises(rbdyn.Error, match="root element is <html>, needed one of <robot>"):
        io.load(tmp_path / "x.xml")
    (tmp_path / "y.xml").write_bytes(b"\0\1\2")
    with pytest.raises(rbdyn.Error, match="no root element"):
        io.load(tmp_path / "y.xml")
    with pytest.raises(rbdyn.PathError):
        io.load(tmp_path / "gone.urdf")


@pytest.mark.filterwarnings("ignore::rbdyn.ExportWarning")
def test_convert(tmp_path, capsys):
    """Round and round: URDF, MJCF, world file, and SDF in."""
    first, second, third, fourth = (str(tmp_path / x) for x in ("a.urdf", "b.mjcf", "c.xml", "d.urdf"))
    (tmp_path / "e.sdf").write_text(SDF)
    for arguments in (["quadruped", first], [first, second], [second, third, "--to", "world"], [third, fourth],
                      [str(tmp_path / "e.sdf"), str(tmp_path / "e.urdf")]):  # fmt: skip
        assert main(["convert", *arguments]) == 0
    said = capsys.readouterr()
    assert f"{third} written (world)" in said.out
    assert "MJCF cannot say this: velocity limits" in said.err
    start, end = models.quadruped(), io.load(fourth)
    assert [b.name for b in end.bodies] == [b.name for b in start.bodies]
    assert sum(b.inertia.mass for b in end.bodies) == pytest.approx(sum(b.inertia.mass for b in start.bodies))
    assert main(["info", second]) == 0
    assert main(["simulate", second, "--seconds", "0.01", "--fixed"]) == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["gone.urdf", "x.urdf"], "no such file"),
        (["quadruped", "x.obj"], "suffix '.obj' is none of"),
        (["quadruped", "x.urdf", "--robot", "a"], "--robot is for world files"),
        (["quadruped", "x.mjcf", "--strict"], "strict=True"),
        (["quadruped", "x.mjcf", "--no-dialect"], "--no-dialect is for URDF, and OUT is mjcf"),
        (["W", "x.urdf"], "holds 0 robots"),
        (["W", "x.urdf", "--robot", "a"], "no robot named 'a'"),
    ],
)
def test_convert_says_what_is_wrong(tmp_path, capsys, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "W").write_text("<raisim/>")
    assert main(["convert", *arguments]) == 2
    assert text in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["W"]


@pytest.fixture
def robots(monkeypatch, tmp_path):
    """A package with the interface of robot_descriptions, which downloads nothing."""
    (tmp_path / "robot.urdf").write_text('<robot name="r"><link name="a"><visual><geometry>'
                                         '<mesh filename="package://shapes/a.obj"/></geometry></visual></link></robot>')  # fmt: skip
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "robot.xml").write_text(MJCF)
    package = types.ModuleType("robot_descriptions")
    package.__path__ = []
    listed = types.ModuleType("robot_descriptions._descriptions")
    listed.DESCRIPTIONS = {"arm_description": 1, "arm_mj_description": 1, "lost_description": 1}
    arm = types.ModuleType("robot_descriptions.arm_description")
    arm.URDF_PATH, arm.PACKAGE_PATH, arm.REPOSITORY_PATH = str(tmp_path / "robot.urdf"), str(tmp_path), str(tmp_path)
    mj = types.ModuleType("robot_descriptions.arm_mj_description")
    mj.MJCF_PATH = str(tmp_path / "robot.xml")
    for module in (package, listed, arm, mj):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.usefixtures("robots")
def test_robots_by_name():
    m = io.load_description("arm_description", visual_meshes=True)
    assert len(m.find_body("a").visual) == 1
    assert io.load_description("arm_mj_description").num_velocities == 1
    with pytest.raises(rbdyn.UnknownNameError, match="did you mean 'arm_description'"):
        io.load_description("arn_description")
    with pytest.raises(rbdyn.UnknownNameError, match="lost_description"):
        io.load_description("lost_description")
    for name in ("os", "../x", "arm_description.os", 3):
        with pytest.raises(rbdyn.Error, match="must be one of robot_descriptions"):
            io.load_description(name)


def test_robots_by_name_need_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(rbdyn.MissingExtraError, match=r"rbdyn\[descriptions\]"):
        io.load_description("panda_description")
