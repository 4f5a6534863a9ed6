"""What commands do with files: meshes, gravity, and what is said of what is lost."""

import numpy as np
import pytest

import rbdyn
from rbdyn import io
from rbdyn.cli.main import main

# a U of two posts on a plank: 0.32 m^3, and a hull of 0.96
U = [(-0.6, -0.4, 0.0), (0.6, 0.4, 0.1), (-0.6, -0.4, 0.1), (-0.5, 0.4, 1.0), (0.5, -0.4, 0.1), (0.6, 0.4, 1.0)]
QUADS = "f {0} {2} {3} {1}\nf {4} {5} {7} {6}\nf {0} {1} {5} {4}\n"
QUADS += "f {2} {6} {7} {3}\nf {0} {4} {6} {2}\nf {1} {3} {7} {5}\n"
INERTIA = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def u_mesh():
    text, n = "", 1
    for low, high in zip(U[::2], U[1::2], strict=True):
        corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        text += "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + QUADS.format(*range(n, n + 8))
        n += 8
    return text


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/u.obj").write_text(u_mesh())
    mesh = '<geometry><mesh filename="package://parts/u.obj"/></geometry>'
    file = tmp_path / "r.urdf"
    shapes = f"<visual>{mesh}</visual><collision>{mesh}</collision>"
    file.write_text(f'<robot name="r"><link name="a">{shapes}</link></robot>')
    return file


def test_convert_keeps_what_a_mesh_is(robot, tmp_path, capsys):
    assert main(["convert", str(robot), str(tmp_path / "out.urdf")]) == 0
    text = (tmp_path / "out.urdf").read_text()
    assert text.count("parts/u.obj") == 2 and "<visual" in text
    again = io.load_urdf(tmp_path / "out.urdf", collision_mesh="triangles", visual_meshes=True).find_body("a")
    mesh = again.collision[0].shape
    corners = mesh.vertices[mesh.faces]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert abs(abs(volume) - (1.2 * 0.8 * 0.1 + 2 * 0.1 * 0.8 * 0.9)) < 1e-9 and len(again.visual) == 1


def test_convert_says_what_the_reader_left_out(robot, tmp_path, capsys):
    robot.write_text(robot.read_text().replace("</robot>", "<nose/></robot>"))
    assert main(["convert", str(robot), str(tmp_path / "out.urdf")]) == 0
    assert "unknown tag <nose>" in capsys.readouterr().err
    assert main(["convert", "--strict", str(robot), str(tmp_path / "strict.urdf")]) == 2
    assert not (tmp_path / "strict.urdf").exists()


def test_convert_to_words_that_all_readers_know(tmp_path, capsys):
    ball = '<joint name="j" type="spherical"><parent link="a"/><child link="b"/></joint>'
    links = "".join(f'<link name="{name}">{INERTIA}</link>' for name in "ab")
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{ball}</robot>')
    assert main(["convert", str(tmp_path / "r.urdf"), str(tmp_path / "a.urdf")]) == 0
    assert "in dialect, which other readers refuse: spherical joints: j" in capsys.readouterr().err
    assert main(["convert", "--no-dialect", str(tmp_path / "r.urdf"), str(tmp_path / "b.urdf")]) == 0
    assert "J_yaw, J_pitch, J_roll" in capsys.readouterr().err
    names = [joint.name for joint in io.load_urdf(tmp_path / "b.urdf").tree_joints]
    assert names == ["ROOT", "j_yaw", "j_pitch", "j_roll"]


def test_convert_says_what_of_a_world_is_left_out(tmp_path, capsys):
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{INERTIA}</link></robot>')
    ball = '<sphere mass="1"><dim radius="1"/></sphere>'
    world = tmp_path / "w.xml"
    world.write_text(f'<raisim><objects>{ball}<articulated_system name="r" urdf_path="r.urdf"/></objects></raisim>')
    assert main(["convert", str(world), str(tmp_path / "out.urdf")]) == 0
    assert "only robot 'r' is written: 1 other objects" in capsys.readouterr().err
    assert main(["convert", "--strict", str(world), str(tmp_path / "out.urdf")]) == 2


def test_simulate_falls_as_the_file_says(tmp_path, capsys):
    file = tmp_path / "ball.xml"
    ball = '<body pos="0 0 1"><freejoint/><geom size="0.1"/></body>'
    file.write_text(f'<mujoco><option gravity="0 0 0"/><worldbody>{ball}</worldbody></mujoco>')
    assert main(["simulate", str(file), "--seconds", "0.3"]) == 0
    found = capsys.readouterr().out
    assert "largest |v|" in found and "0 m/s or rad/s" in found
    assert "gravity" in found and "0, 0, 0 m/s^2" in found


def test_folders_of_meshes_for_all_commands(tmp_path, capsys):
    (tmp_path / "away").mkdir()
    (tmp_path / "away/u.obj").write_text(u_mesh())
    (tmp_path / "here").mkdir()
    mesh = '<collision><geometry><mesh filename="u.obj"/></geometry></collision>'
    robot = tmp_path / "here/r.urdf"
    robot.write_text(f'<robot name="r"><link name="a">{INERTIA}{mesh}</link></robot>')
    away = ["--resource-dir", str(tmp_path / "away")]
    assert main(["info", str(robot)]) == 0
    assert "left out" in capsys.readouterr().out
    assert main(["info", str(robot), *away]) == 0
    assert "left out" not in capsys.readouterr().out
    assert main(["simulate", str(robot), *away, "--seconds", "0.01"]) == 0
    assert main(["convert", str(robot), str(tmp_path / "here/o.urdf"), *away]) == 0
    assert "u.obj" in (tmp_path / "here/o.urdf").read_text()


def test_a_model_by_its_name(tmp_path, capsys):
    model = '<model name="{0}"><link name="of_{0}"><inertial><mass>1</mass></inertial></link></model>'
    (tmp_path / "two.sdf").write_text(f'<sdf version="1.7">{model.format("one")}{model.format("two")}</sdf>')
    assert main(["info", str(tmp_path / "two.sdf"), "--model", "two"]) == 0
    assert "of_two" in capsys.readouterr().out


def test_simulate_says_what_is_probably_a_mistake_once(tmp_path, capsys):
    file = tmp_path / "r.urdf"
    file.write_text("""<robot name="r"><link name="world"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
      <limit lower="0.5" upper="1.5" effort="10" velocity="3"/></joint></robot>""")
    assert main(["simulate", str(file), "--seconds", "0.01"]) == 0
    assert capsys.readouterr().err.count("'hinge' at 0 rad (limits 0.5 to 1.5)") == 1


def test_pairs_that_never_collide_are_listed_and_converted(tmp_path, capsys):
    """Of a robot file with an SRDF, and of a World: those of its rigid groups, too."""
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{INERTIA}{ball}</link>' for name in "abcd")
    joints = "".join(
        f'<joint name="{a}{b}" type="{kind}"><parent link="{a}"/><child link="{b}"/><origin xyz="0.1 0 0"/></joint>'
        for a, b, kind in (("a", "b", "continuous"), ("b", "c", "continuous"), ("c", "d", "fixed"))
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    (tmp_path / "r.srdf").write_text('<robot name="r"><disable_collisions link1="a" link2="d"/></robot>')
    given = [str(tmp_path / "r.urdf"), "--srdf", str(tmp_path / "r.srdf")]
    assert main(["info", *given]) == 0
    assert "pairs of bodies that never collide:\n  a and d" in capsys.readouterr().out
    assert main(["convert", *given, str(tmp_path / "r.mjcf")]) == 0
    assert '<exclude body1="a" body2="d"/>' in (tmp_path / "r.mjcf").read_text()
    world = rbdyn.World()
    robot = world.add_articulated_system(tmp_path / "r.urdf")
    robot.ignore_collision("a", "c")                       # and d, which is fixed to c
    io.save_world(world, tmp_path / "w.xml")
    assert main(["convert", str(tmp_path / "w.xml"), str(tmp_path / "w.urdf")]) == 0
    assert io.load_urdf(tmp_path / "w.urdf").ignored_collisions == (("a", "c"), ("a", "d"))
