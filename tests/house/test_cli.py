"""The command line: what it prints, where, and with which exit code."""

import io
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from rbdyn import models
from rbdyn.cli.main import main
from rbdyn.cli.progress import Progress
from rbdyn.cli.simulate import depth_at_origin
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
    assert err == ""


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
    assert depth_at_origin(models.quadruped()) == pytest.approx(0.63, abs=1e-9)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["simulate", "nowhere.urdf"], "nowhere.urdf"),
        (["simulate", str(ROOT)], "folder"),
        (["simulate", __file__], "not well-formed XML"),
        (["simulate"], "ROBOT.urdf"),
        (["simulate", QUADRUPED, "--secnds", "1"], "--secnds"),
        (["simulate", QUADRUPED, "--seconds", "nan"], "'nan' is not a finite number"),
        (["simulate", QUADRUPED, "--seconds", "-1"], "above 0"),
        (["simulate", QUADRUPED, "--seconds", "0.0001"], "steps of 0.002 s"),
        (["simulate", QUADRUPED, "--dt", "x"], "'x'"),
        (["simulate", QUADRUPED, "--pd", "-1", "1"], "not be negative"),
        (["simulate", QUADRUPED, "--pd", "1"], "two gains"),
        (["demo", "extra"], "extra"),
        (["fly"], "'demo'"),
        ([], "COMMAND"),
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


def test_only_commands_that_exist_are_listed(capsys):
    assert main(["--help"]) == 0
    listed = re.findall(r"^    (\w+) ", capsys.readouterr().out.split("commands:")[1], re.MULTILINE)
    assert listed == ["demo", "simulate"]


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
