"""The command line: what it prints, where, and with which exit code."""

import io
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.cli import info
from rbdyn.cli.main import main
from rbdyn.cli.progress import Progress
from rbdyn.cli.simulate import depth_at_start
from rbdyn.cli.terminal import say
from rbdyn.cli.timed import run_for
from rbdyn.world import World

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUADRUPED = str(models.path("quadruped"))
ARM = str(models.path("six_axis_arm"))
ROD = """<robot name="rod"><link name="world"/>
<joint name="swing" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>
<link name="rod"><inertial><origin xyz="1 0 0"/><mass value="3"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def table(text):
    """Name -> first number of each row that a command printed."""
    rows = (re.fullmatch(r"  (\S.*?)  +(-?\d\S*).*", line) for line in text.splitlines())
    return {row[1]: float(row[2].rstrip(",")) for row in rows if row}


def test_demo_stands_on_its_feet(capsys):
    """The four foot forces carry the weight, and the base is where the stance puts it."""
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    rows = table(out)
    feet = [rows[f"force on {leg}_FOOT"] for leg in ("LF", "RF", "LH", "RH")]
    assert rows["weight"] == pytest.approx(9.81 * 35.8, rel=1e-4)
    assert sum(feet) == pytest.approx(rows["weight"], rel=1e-3)
    assert min(feet) > 60.0
    assert 0.48 < rows["base height"] < models.QUADRUPED_STANCE.base_height
    assert rows["real-time factor"] > 0 and rows["time per step"] > 0
    assert err == ""


def test_simulated_robot_rests_on_the_ground(capsys):
    """A quadruped on stiff, straight legs; its contacts carry its weight."""
    assert main(["simulate", QUADRUPED, "--seconds", "1", "--dt", "0.004", "--pd", "300", "20"]) == 0
    out, err = capsys.readouterr()
    assert "1 s in 250 steps" in out and "free base" in out
    assert table(out)["lifted by contacts"] == pytest.approx(9.81 * 35.8, rel=1e-2)
    assert err == "", "all that it asks for acts"


def test_pd_holds_the_start(tmp_path, capsys):
    """A level rod starts to fall with m g c / I = 7.3575 rad/s^2; PD slows it, and stronger gains slow it more."""
    robot = tmp_path / "rod.urdf"
    robot.write_text(ROD)
    speeds = []
    for extra in ([], ["--pd", "20", "2"], ["--pd"], ["--pd", "1e4", "1e3"]):
        assert main(["simulate", str(robot), "--seconds", "0.1", "--dt", "0.001", *extra]) == 0
        speeds.append(table(capsys.readouterr().out)["largest |v|"])
    assert speeds[0] == pytest.approx(0.73575, rel=2e-2)
    assert speeds[0] > speeds[1] > speeds[2] > 10 * speeds[3] > 0


def test_fixed_base_hangs(capsys):
    """--fixed takes the base's six degrees of freedom away."""
    assert main(["simulate", QUADRUPED, "--fixed", "--seconds", "0.1"]) == 0
    assert "12 degrees of freedom, fixed base" in capsys.readouterr().out
    assert main(["simulate", ARM, "--seconds", "0.5"]) == 0
    assert "6 degrees of freedom, fixed base" in capsys.readouterr().out


def test_free_robot_starts_on_the_ground():
    """Straight legs of 0.3 + 0.3 m and a foot of radius 0.03 m reach 0.63 m below the base."""
    assert depth_at_start(models.quadruped()) == pytest.approx(0.63, abs=1e-9)


def test_a_robot_on_a_floor_of_its_own(tmp_path, capsys):
    """It starts where its file says, gets no second ground, and the floor bears its weight: 1 and 2 kg."""
    pytest.importorskip("mujoco")
    file = tmp_path / "r.xml"
    file.write_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a" pos="0 0 0.25"><freejoint/><geom type="box" size="0.2 0.2 0.2" mass="1"/></body>
      <body name="b" pos="2 0 0.2"><joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/>
        <geom type="box" size="0.2 0.2 0.2" mass="2"/></body></worldbody></mujoco>""")
    assert main(["simulate", str(file), "--seconds", "1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"contacts +8\n", said)
    assert re.search(r"lifted by contacts +29\.43 N of 29\.43 N", said)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["simulate", "nowhere.urdf"], "nowhere.urdf"),
        (["simulate", str(ROOT)], "folder"),
        (["simulate", __file__], "it has no root element, needed one of <robot>"),
        (["simulate"], "ROBOT"),
        (["simulate", QUADRUPED, "--secnds", "1"], "--secnds"),
        (["simulate", QUADRUPED, "--seconds", "nan"], "'nan' is not a finite number"),
        (["simulate", QUADRUPED, "--seconds", "-1"], "above 0"),
        (["simulate", QUADRUPED, "--seconds", "0.0001"], "steps of 0.002 s"),
        (["simulate", QUADRUPED, "--dt", "x"], "'x'"),
        (["simulate", QUADRUPED, "--pd", "-1", "1"], "not be negative"),
        (["simulate", QUADRUPED, "--pd", "1"], "two gains"),
        (["demo", "extra"], "extra"),
        (["info"], "ROBOT"),
        (["info", "quadrupod"], "quadrupod"),
        (["info", __file__], "it has no root element, needed one of <robot>"),
        (["info", "\x1b[31m\n.urdf"], r"\x1b[31m\n.urdf"),
        (["simulate", QUADRUPED, "--record", "/no/such/folder/run.npz"], "/no/such/folder/run.npz"),
        (["simulate", QUADRUPED, "--record", "/no/such/folder/run"], "/no/such/folder/run"),
        (["view"], "ROBOT.urdf"),
        (["view", "nowhere.urdf"], "nowhere.urdf"),
        (["view", QUADRUPED, "--port", "0"], "port must be"),
        (["view", QUADRUPED, "--seconds", "-1"], "--seconds"),
        (["fly"], "'demo'"),
        (["--versoin"], "--versoin"),
    ],
)
def test_bad_arguments_end_with_two(arguments, said, capsys):
    """A clear message on stderr, nothing on stdout, exit code 2."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err and "Traceback" not in err


def test_divergence_ends_with_one(capsys):
    """Not a usage error, and no traceback either."""
    assert main(["simulate", QUADRUPED, "--seconds", "4e200", "--dt", "1e200"]) == 1
    assert "not finite" in capsys.readouterr().err


def test_no_command_prints_the_help(capsys):
    assert main([]) == 0
    bare, err = capsys.readouterr()
    assert main(["--help"]) == 0
    assert bare == capsys.readouterr().out and bare.startswith("usage: rbdyn ")
    assert err == ""


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rbdyn {rbdyn.__version__}\n"


def test_only_commands_that_exist_are_listed(capsys):
    assert main(["--help"]) == 0
    listed = re.findall(r"^    (\w+) ", capsys.readouterr().out.split("commands:")[1], re.MULTILINE)
    assert listed == ["demo", "info", "check", "convert", "simulate", "view"]


def sections(text):
    """The paragraphs of what `info` prints, as lists of lines."""
    return [part.splitlines() for part in text.strip().split("\n\n")]


def test_info_prints_the_tree(capsys):
    """Numbers of the file: quadruped.urdf."""
    assert main(["info", "quadruped"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    head, tree = sections(out)
    assert head[0] == "quadruped"
    assert {line.strip() for line in head} >= {"base         free", "nq, nv       19, 18", "mass         35.8 kg"}
    rows = {line.split()[0]: line for line in tree}
    assert rows["base"].split()[1:] == ["ROOT", "floating", "0:7", "0:6", "18", "1"]
    assert " ".join(rows["LH_THIGH"].split()) == "LH_THIGH LH_HFE revolute 0 1 0 14 13 -2 to 2 12 80 2.2 1"
    assert rows["LH_FOOT"].split()[1:] == ["LH_FOOT_FIXED", "fixed", "0.15", "1"]
    indents = [len(line) - len(line.lstrip()) for line in tree[1:7]]
    assert indents == [0, 2, 4, 6, 8, 10]
    assert "loop" not in out.replace("0 that close loops", "") and "frames:" not in out


def test_info_of_a_file_with_everything(tmp_path, capsys):
    """Warnings, mimic joints, one that is prismatic, and a fixed base of a floating robot."""
    robot = tmp_path / "gripper.urdf"
    robot.write_text("""<robot name="gripper"><link name="palm"/><link name="left"/><link name="right"/>
    <joint name="close" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="7.5"/></joint>
    <joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" velocity="0.1" effort="0"/><mimic joint="close" multiplier="-2" offset="0.5"/></joint>
    </robot>""")
    assert main(["info", str(robot), "--fixed"]) == 0
    out, _ = capsys.readouterr()
    assert "base         fixed" in out and "nq, nv       2, 2" in out
    assert re.search(r"left +close +prismatic +0 1 0 +0 +0 +0 to 0.04 +0.1 +7.5", out)
    assert "joints that follow another:\n  follow = -2 * close + 0.5\n" in out
    assert "diagnostics:\n  " in out and "'right' has no mass" in out.split("diagnostics:")[1]


def test_info_of_loops_and_frames():
    """What no URDF of the standard kind holds."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    a, b = rbdyn.RigidBody("a"), rbdyn.RigidBody("b")
    a.add_frame("grip", rbdyn.Transform(translation=(0, 0.5, 1)))
    m.attach(m.root_body, a, rbdyn.Joint("j", rbdyn.Spherical()))
    m.attach(a, b, rbdyn.Joint("k", rbdyn.Planar()))
    m.attach(b, m.root_body, rbdyn.Joint("close", rbdyn.Revolute()))
    assert list(info.loops(m)) == ["close (revolute, 5 constraints): b to world"]
    assert list(info.frames(m)) == ["grip on a at 0, 0.5, 1 m"]
    rows = list(info.tree(m))
    assert rows[1][:6] == ("  a", "j", "spherical", "", "0:4", "0:3")
    assert rows[2][:6] == ("    b", "k", "planar", "0 0 1", "4:7", "3:6")
    assert dict(info.summary(m))["constraints"] == "5"


def test_names_from_files_cannot_control_the_terminal(tmp_path, capsys):
    """C1 control characters, line ends and reversed writing are legal in XML; they come out as escapes."""
    evil = "x\x9b31m&#10;fake: row&#x202e;\u0130\u5dee"
    robot = tmp_path / "evil.urdf"
    robot.write_text(
        f'<robot name="{evil}"><link name="{evil}w"/><link name="{evil}"/><joint name="{evil}" type="continuous">'
        f'<parent link="{evil}w"/><child link="{evil}"/></joint></robot>',
        encoding="utf-8",
    )
    for command in (["info"], ["simulate", "--seconds", "0.01"]):
        main([*command, str(robot)])
        for text in capsys.readouterr():
            assert all(c.isprintable() for line in text.split("\n") for c in line)
            assert not any(line.startswith("fake") for line in text.split("\n"))
    main(["info", str(robot)])
    assert "\\x9b31m\\nfake: row\\u202e\u0130\u5dee" in capsys.readouterr().out


def test_streams_of_few_characters():
    """What an ASCII terminal cannot show is escaped."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    say("gr\u00fcn \x1b[1m", stream)
    stream.flush()
    assert raw.getvalue().splitlines() == [rb"gr\xfcn \x1b[1m"]


def test_deep_trees_stay_on_the_screen(capsys):
    info.print_columns([info.HEADINGS, *info.tree(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 100, seed=1))])
    assert max(map(len, capsys.readouterr().out.splitlines())) < 180


def test_bundled_robots_by_name_and_files_before_them(tmp_path, monkeypatch, capsys):
    assert main(["simulate", "double_pendulum", "--seconds", "0.1"]) == 0
    assert "moving mass 2 kg" in capsys.readouterr().out
    (tmp_path / "quadruped").write_text(ROD)
    monkeypatch.chdir(tmp_path)
    assert main(["info", "quadruped"]) == 0
    assert capsys.readouterr().out.startswith("rod\n")


def test_module_runs_as_a_program():
    """`python -m rbdyn` from another process: tables on stdout, stderr silent off a terminal, codes passed on."""
    run = [sys.executable, "-m", "rbdyn"]
    good = subprocess.run([*run, "demo"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    assert "real-time factor" in good.stdout
    bad = subprocess.run([*run, "simulate", "x.urdf"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "x.urdf" in bad.stderr and "Traceback" not in bad.stderr


def test_progress_is_for_terminals():
    """Drawn and wiped on a terminal, silent elsewhere."""
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = Progress("walking", 4, stream)
        progress(1)
        progress.close()
        progress(2)
    assert "walking [##########" in terminal.getvalue() and "25 %" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")
    assert pipe.getvalue() == ""


def test_timed_run_makes_the_steps_it_reports():
    """A ball falls as far as the closed form says after the reported time."""
    world = World(time_step=0.003)
    ball = world.add_sphere(radius=0.1, mass=1.0)
    timing = run_for(world, 0.5, "ball")
    assert timing.steps == 167
    assert timing.simulated == pytest.approx(world.time)
    np.testing.assert_allclose(ball.position[2], -0.5 * 9.81 * timing.simulated**2, rtol=1e-9)


def test_runs_are_recorded(tmp_path, capsys):
    """In any format, by its suffix; the file of an unknown one is a recording as it is written."""
    for name in ("run.npz", "run.csv", "run.rec"):
        file = tmp_path / name
        assert main(["simulate", QUADRUPED, "--seconds", "0.2", "--record", str(file)]) == 0
        out, err = capsys.readouterr()
        assert f"saved {file}: 21 frames" in out and err == ""
    for name in ("run.npz", "run.rec"):
        assert len(rbdyn.load_recording(tmp_path / name)) == 21
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 22


def test_view_says_where(tmp_path, capsys):
    """The address of a page that is served; a recording is told by its content."""
    pytest.importorskip("viser", reason="needs viser")
    with rbdyn.World(0.01).record(path=tmp_path / "run"):
        pass
    (tmp_path / "damaged").write_bytes((tmp_path / "run").read_bytes()[:100])
    for robot in (ARM, "double_pendulum"):
        assert main(["view", robot, "--seconds", "0"]) == 0
        out, err = capsys.readouterr()
        assert re.fullmatch(r"http://localhost:\d+  \(Ctrl-C ends it\)\n", out) and err == ""
    assert main(["view", str(tmp_path / "damaged"), "--seconds", "0"]) == 2
    assert "does not say who was recorded" in capsys.readouterr().err
    assert main(["simulate", QUADRUPED, "--seconds", "0.1", "--record", str(tmp_path / "dog")]) == 0
    capsys.readouterr()
    assert main(["view", str(tmp_path / "dog"), "--seconds", "0"]) == 0
    assert "http://localhost" in capsys.readouterr().out


def test_demo_writes_its_pages(tmp_path, capsys, monkeypatch):
    """A page and a picture; without an extra it says which, and goes on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "viser", None)
    assert main(["demo", "--pages"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"demo.png +written, \d+ kB", out) and "demo.html" in out and "rbdyn[viz]" in out
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert [file.name for file in tmp_path.iterdir()] == ["demo.png"]
