"""Print what each stage of the contact solver buys: switch it off, and run the scenes again.

    python -m benchmarks.ablation [--stages newton repeats] [--scenes "G1 limp"] [--seconds 0.5] [--scratch FOLDER]

The product has no such switches.  A copy of the repository gets them: one line of each stage asks whether the variable
RBDYN_WITHOUT names it.  The copy is built once, and every stage and scene runs in a process of its own.

A cell says what is different without the stage: the time of a step as a ratio where that is a tenth or more, the share
of unconverged steps, and of steps with a residual above 1e-4 m/s (robots), in per cent more; energy that is made [J],
speed at the end [m/s] and the largest impulse [N s] where they are larger.  Residuals are computed from `World.problem`
by `benchmarks.robots_people_use`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import rbdyn
from benchmarks import robots_people_use, table
from benchmarks.limp import energy_of
from benchmarks.piles.scenes import SCENES as PILES
from benchmarks.robots_people_use import UNSOLVED, residual
from rbdyn import World

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("rbdyn", "collision", "contact", "io", "benchmarks", "setup.py", "pyproject.toml", "README.md", "build")
SWITCH = '''
cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    static int rbdyn_without(const char* stage) {
        const char* off = getenv("RBDYN_WITHOUT");
        return off != NULL && strcmp(off, stage) == 0;
    }
    """
    bint without "rbdyn_without"(const char* stage) nogil

'''


@dataclass(frozen=True)
class Stage:
    """A stage, and the line that leaves it out.

    Parameters
    ----------
    name : str
        In the table.
    file : str
        Below the root.
    line, without : str
        A text that stands there once, and what replaces it, with {} for the question.
    """

    name: str
    file: str
    line: str
    without: str


ISLAND, NEWTON, SPACE = "contact/solve/island.pyx", "contact/solve/newton.pyx", "contact/solve/velocity_space.pyx"
STAGES = (
    Stage("newton", ISLAND, "if not s.newton or", "if {} or not s.newton or"),
    Stage("cold", ISLAND, "if not alone and is_cold", "if not {} and not alone and is_cold"),
    Stage("motion", ISLAND, "max(threshold, FINE * speed)", "threshold if {} else max(threshold, FINE * speed)"),
    Stage("felt", ISLAND, "max(threshold, NOT_FELT * p.dt)", "threshold if {} else max(threshold, NOT_FELT * p.dt)"),
    Stage("tumbling", ISLAND, "if heap and (is_of_poses(p) or", "if not {} and heap and (is_of_poses(p) or"),
    Stage("squeeze", ISLAND, "if not throws(", "if {} or not throws("),
    Stage("jamming", ISLAND, "if island.converged or island.ended == COMPLIANT or",
          "if {} or island.converged or island.ended == COMPLIANT or"),
    Stage("accept", ISLAND, "    accept(island)", "    if not {}:\n        accept(island)"),
    Stage("bounces", ISLAND, "while lower_bounces(", "while not {} and lower_bounces("),
    Stage("bends", ISLAND, "if drop_bends(", "if not {} and drop_bends("),
    Stage("coupled", NEWTON, "        if wait == 0:", "        if not {} and wait == 0:"),
    Stage("convex", NEWTON, "        if not coupled:\n            wait = max(",
          "        if not coupled and {}:\n            return\n        if not coupled:\n            wait = max("),
    Stage("repeats", NEWTON, "while r > DIGITS * N.fastest:", "while not {} and r > DIGITS * N.fastest:"),
    Stage("last digits", NEWTON, "    if not contradictory:", "    if not {} and not contradictory:"),
    Stage("compliant", NEWTON, "if stood == ENOUGH_STILL or stood > 0 and moved(N) < tolerance:",
          "if not {} and (stood == ENOUGH_STILL or stood > 0 and moved(N) < tolerance):"),
    Stage("runaways", NEWTON, "and runs_away(N)", "and not {} and runs_away(N)"),
    Stage("affordable", NEWTON, "if affordable < FEWEST_STEPS:", "if affordable < FEWEST_STEPS and not {}:"),
    Stage("backwards", SPACE, "return backwards < forwards", "return backwards < forwards and not {}"),
    Stage("lasting", "contact/after/lasting.pyx", "if island.converged and island.iterations <= 1 or",
          "if {} or island.converged and island.iterations <= 1 or"),
)  # fmt: skip


@dataclass
class Figures:
    """Hold the figures of one run.

    us: processor time of a step.  unconverged, unsolved: shares of steps.  made: largest rise of the energy above its
    lowest value before [J].  speed: at the end [m/s].  impulse: the largest [N s].
    """

    us: float = 0.0
    unconverged: float = 0.0
    unsolved: float = 0.0
    made: float = 0.0
    speed: float = 0.0
    impulse: float = 0.0


Setting = tuple[World, Callable[[int], None] | None]


def robot(name: str, scene: str) -> Setting:
    """A robot of `benchmarks.robots_people_use`."""
    used = next(u for u in robots_people_use.ROBOTS if u.name == name)
    spread, rng = robots_people_use.SCENES[scene], np.random.default_rng(0)
    ours = robots_people_use.Ours(used, used.mechanism(), 1e-3, spread is None)

    def before(k: int) -> None:
        if spread and k % 20 == 0:
            ours.aim(rng.normal(0.0, spread, len(ours.at)))

    return ours.world, before


def pile(name: str) -> Setting:
    """A scene of `benchmarks.piles`."""
    from benchmarks.piles.engines.rbdyn import RbdynEngine

    scene = next(s for s in PILES if s.name == name)
    return RbdynEngine(scene.things()).world, None


def tower() -> Setting:
    """Twenty cubes of 8 kg, hit by a ball."""
    world = World(5e-3)
    world.add_ground()
    for k in range(20):
        world.add_box(0.2, 0.2, 0.2, 8.0).set_pose((0.0, 0.0, 0.2 * (k + 0.5)))
    ball = world.add_sphere(0.15, 5.0)
    ball.set_pose((-2.0, 0.01, 2.2))
    ball.set_velocity((5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return world, None


def heavy_on_light() -> Setting:
    """100 kg on 25 balls of a gram."""
    world = World(1e-3)
    world.add_ground()
    for k in range(25):
        world.add_sphere(0.05, 1e-3).set_pose((0.12 * (k % 5), 0.12 * (k // 5), 0.05))
    world.add_box(0.7, 0.7, 0.1, 100.0).set_pose((0.24, 0.24, 0.15))
    return world, None


def walls() -> Setting:
    """Boxes that bounce between two walls of high friction."""
    world = World(1e-3, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(2.0, 1.0, 0.0)
    for x in (-0.5, 0.5):
        world.add_box(0.1, 2.0, 2.0, 1.0, body_type="static").set_pose((x, 0.0, 0.0))
    rng = np.random.default_rng(80)
    for k in range(4):
        box = world.add_box(0.5, 0.2, 0.1, 1.0)
        box.set_pose((0.0, 0.0, 0.3 * k - 0.5))
        box.set_velocity(3.0 * rng.normal(size=3), 10.0 * rng.normal(size=3))
    return world, None


def jaws() -> Setting:
    """A box between two kinematic jaws that close further than it is wide."""
    world = World(1e-3)
    world.add_ground()
    world.add_box(0.1, 0.1, 0.1, 1.0).set_pose((0.0, 0.0, 0.05))
    for side in (-1.0, 1.0):
        jaw = world.add_box(0.1, 0.2, 0.2, 1.0, body_type="kinematic")
        jaw.set_pose((side * 0.12, 0.0, 0.1))
        jaw.set_velocity((-side * 0.1, 0.0, 0.0), (0.0, 0.0, 0.0))
    return world, None


def whirl() -> Setting:
    """Three balls of 0.1, 1 and 10 kg on two taut wires that turn fast."""
    world = World(2e-3, gravity=(0.0, 0.0, 0.0))
    a, b, c = (world.add_sphere(0.05, 0.1 * 10.0**k) for k in range(3))
    b.set_pose((1.0, 0.0, 0.0))
    c.set_pose((1.5, 0.0, 0.0))
    for first, second in ((a, b), (b, c)):
        world.add_stiff_wire(first, second, stretch_type="both")
    a.set_velocity((0.0, 8.0, 0.0), (0.0, 0.0, 0.0))
    return world, None


def press_on_balls() -> Setting:
    """Two balls between a kinematic plate that comes and a wall, off one line: friction holds them in the way."""
    world = World(1e-3, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(0.3)
    world.add_box(0.5, 4.0, 4.0, body_type="static").set_pose((0.65, 0.0, 0.0))
    plate = world.add_box(0.5, 4.0, 4.0, 1.0, body_type="kinematic")
    plate.set_pose((-0.26, 0.0, 0.0))
    plate.set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.add_sphere(0.1, 1.0).set_pose((0.1, 0.0, 0.0))
    world.add_sphere(0.1, 1.0).set_pose((0.3, 1e-3, 0.0))
    return world, None


def chain_on_a_rod() -> Setting:
    """Three links that turn at 60 rad/s, held by a rod to a point in space."""
    world = World(2e-3, gravity=(0.0, 0.0, 0.0))
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("root"), gravity=(0.0, 0.0, 0.0))
    last = mechanism.root_body
    for k in range(3):
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(1.0, (0.2, 0.0, 0.0), np.diag([0.01, 0.02, 0.02])))
        hinge = rbdyn.Joint(f"joint{k}", rbdyn.Revolute(((0, 0, 1), (0, 1, 0))[k % 2]))
        mechanism.attach(last, link, hinge, rbdyn.Transform(translation=(0.4 if k else 0.0, 0.0, 0.0)))
        last = link
    robot, rng = world.add_articulated_system(mechanism), np.random.default_rng(4)
    robot.set_state(rng.normal(size=3), 60.0 * rng.normal(size=3))
    world.add_stiff_wire((robot, "link2"), None, point_a=(0.4, 0.0, 0.0), point_b=(0.3, 0.4, 1.0), stretch_type="both")
    return world, None


SCENES: dict[str, Callable[[], Setting]] = {
    **{f"{name} {scene}": (lambda n=name, s=scene: robot(n, s)) for name, scene in (
        ("Go2", "noise 0.3"), ("G1", "limp"), ("Talos", "noise 0.1"), ("Talos", "limp"), ("Allegro", "noise 0.3"))},
    **{scene.name: (lambda n=scene.name: pile(n)) for scene in PILES if len(scene.things()) < 300},
    "tower and ball": tower,
    "heavy on light": heavy_on_light,
    "walls": walls,
    "jaws": jaws,
    "whirl": whirl,
    "press on balls": press_on_balls,
    "chain on a rod": chain_on_a_rod,
}  # fmt: skip


# ---- one run -----------------------------------------------------------------------------------------------------


def run(name: str, seconds: float) -> Figures:
    """Figures of a scene with the stages that are there."""
    warnings.simplefilter("ignore")
    world, before = SCENES[name]()
    robots = [o for o in world.objects if isinstance(o, rbdyn.world.ArticulatedSystem)]
    singles = [o for o in world.objects if isinstance(o, rbdyn.world.SingleBody) and o.body_type == "dynamic"]
    clock, steps, looks, figures = time.process_time, round(seconds / world.time_step), 0, Figures()
    lowest, spent = np.inf, 0.0
    for k in range(steps):
        if before is not None:
            before(k)
        began = clock()
        world.step()
        spent += clock() - began
        figures.unconverged += not world.contact.converged
        if k % 10 == 0:
            looks += 1
            problem = world.problem
            figures.unsolved += bool(robots) and residual(problem) > UNSOLVED
            if problem is not None and len(problem):
                figures.impulse = max(figures.impulse, float(np.abs(problem.impulse).max()))
            energy = sum(map(energy_of, robots)) + sum(o.kinetic_energy + o.potential_energy for o in singles)
            figures.made, lowest = max(figures.made, energy - min(lowest, energy)), min(lowest, energy)
    figures.us, figures.unconverged, figures.unsolved = (
        1e6 * spent / steps, figures.unconverged / steps, figures.unsolved / looks)  # fmt: skip
    speeds = [float(np.abs(r.v).max()) for r in robots] + [float(np.abs(b.linear_velocity).max()) for b in singles]
    figures.speed = max(speeds)
    return figures


# ---- the copy with switches --------------------------------------------------------------------------------------


def put_switches(folder: Path) -> None:
    """Write the switch of every stage into a copy of the repository; ValueError: a line is not there once."""
    for file in {stage.file for stage in STAGES}:
        text = (ROOT / file).read_text("utf-8")
        for stage in STAGES:
            if stage.file == file:
                if text.count(stage.line) != 1:
                    raise ValueError(f"{file}: {stage.line!r} stands there {text.count(stage.line)} times, not once")
                text = text.replace(stage.line, stage.without.format(f'without(b"{stage.name}")'))
        head, first, rest = text.partition("\ncdef ")
        (folder / file).unlink()
        (folder / file).write_text(head + SWITCH + first + rest, "utf-8")


def make_copy(folder: Path) -> None:
    """Copy the repository with what it has compiled, put switches in, and compile what changed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(folder.name, "__pycache__"))
        else:
            shutil.copy2(ROOT / name, folder / name)
    put_switches(folder)
    subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=folder, check=True)


def ask(folder: Path, scene: str, stage: str, seconds: float) -> Figures:
    """Run a scene in a process of its own, without a stage."""
    command = [sys.executable, "-m", "benchmarks.ablation", "--one", scene, "--seconds", str(seconds)]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "RBDYN_WITHOUT": stage}, check=True,
                          capture_output=True, text=True)  # fmt: skip
    return Figures(**json.loads(done.stdout.splitlines()[-1]))


def cell(all_: Figures, without: Figures) -> str:
    """Say what differs by a tenth."""
    said = []
    ratio = without.us / all_.us
    if not 1 / 1.1 < ratio < 1.1:
        said.append(f"{ratio:.2g}x")
    for mark, share in (("u", without.unconverged - all_.unconverged), ("r", without.unsolved - all_.unsolved)):
        if abs(share) >= 0.01:
            said.append(f"{mark}{100.0 * share:+.0f}")
    for mark, now, was, least in (("E", without.made, all_.made, 1e-2), ("v", without.speed, all_.speed, 1e-2),
                                  ("N", without.impulse, all_.impulse, 1.0)):  # fmt: skip
        if now > 1.1 * was + least:
            said.append(f"{mark}{table.number(now, 2)}")
    return " ".join(said) or "."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__.split("\n\n")[0])
    parser.add_argument("--stages", nargs="+", choices=[s.name for s in STAGES], default=[s.name for s in STAGES])
    parser.add_argument("--scenes", nargs="+", choices=list(SCENES), default=list(SCENES))
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (0.5)")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build" / "ablation")
    parser.add_argument("--one", choices=list(SCENES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asdict(run(options.one, options.seconds))))
        return
    make_copy(options.scratch)
    rows: list[list[str]] = []
    full = {scene: ask(options.scratch, scene, "", options.seconds) for scene in options.scenes}
    rows.append(["all stages: us", *(table.number(full[scene].us) for scene in options.scenes)])
    rows.append(["unconverged %", *(table.number(100.0 * full[scene].unconverged) for scene in options.scenes)])
    for stage in options.stages:
        found = (ask(options.scratch, scene, stage, options.seconds) for scene in options.scenes)
        rows.append([f"without {stage}", *map(cell, full.values(), found)])
    table.show("Stages of the contact solver, left out one at a time", ["", *options.scenes], rows)
    print("\nx: time of a step; u, r: unconverged and unsolved steps [% more]; E: energy made [J]; "
          "v: speed at the end [m/s]; N: largest impulse [N s]; .: less than a tenth")  # fmt: skip


if __name__ == "__main__":
    main()
