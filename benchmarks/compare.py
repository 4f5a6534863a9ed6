"""This checkout's rbdyn beside another one's: python -m benchmarks.compare OTHER [--rounds N] [--only TEXT].

Two processes, one for each checkout, run the same rows by turns, A B A B ..., in processor time, so that a machine
that drifts, drifts for both.  Where a process keeps its memory changes short rows by up to 5 %, so there are several
such pairs.  Two ratios of other / this, above 1 where this one is faster: of the shortest times of all pairs, since
whatever else the machine does only adds time, and the median over the pairs of their medians.  A row counts as slower
if both say so.  Both must be built.  The rows are defined here and use only what both versions have.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rbdyn.mechanism import Mechanism

SLOWER = 0.97  # least ratio that counts as no slower
CHUNK = 0.02  # [s] of one timing
SCENES = (("standing", 2.5e-3, 400), ("limp", 2.5e-3, 200), ("air", 1e-3, 400), ("stack20", 5e-3, 100))
BALLS = (("balls216", 1e-2, 20), ("balls666", 1e-2, 5))

Loop = Callable[[], object]


def rows() -> Iterator[tuple[str, Callable[[], Loop]]]:
    """Name of each row, and what makes its loop, which is then run again and again."""
    from benchmarks import libraries, robots, samples

    def single(robot: robots.Robot, call: str) -> Loop:
        ours = libraries.Rbdyn(robot)
        drawn = samples.draw(ours.model, 200)
        return lambda: ours.loops[call](drawn)

    for robot in robots.ROBOTS:
        for call in libraries.CALLS:
            yield f"{call} {robot.name}", lambda robot=robot, call=call: single(robot, call)
    for name, dt, steps in (*SCENES, *BALLS):
        yield f"step {name}", lambda name=name, dt=dt, steps=steps: scene(name, dt, steps)
    yield "step air, no limits", air_without_limits
    yield "step standing, no limits", standing_without_limits
    yield "step pile50", pile
    yield "forward dynamics, 1000-joint chain", chain
    yield "simulate Panda", simulate
    yield "inverse kinematics Panda", inverse_kinematics
    yield "Model Talos", lambda: model(robots.TALOS)
    yield "load_urdf Talos", lambda: robots.TALOS.mechanism
    yield "remove_fixed_tree_joints, 1000 bodies", surgery
    yield "World, 1000 spheres added", spheres


def scene(name: str, dt: float, steps: int) -> Loop:
    """Steps of a scene that goes on from loop to loop."""
    from benchmarks.scenes import in_rbdyn
    from benchmarks.scenes.types import Scene

    world = in_rbdyn.build(Scene(name, dt, 0, 0, 0, 1, None, ())).world
    return lambda: world.step(steps)


def without_limits() -> Mechanism:
    """A quadruped whose joints turn freely: limits that one version has and the other has not do not count."""
    from benchmarks import robots

    mechanism = robots.ANYMAL.mechanism()
    for joint in mechanism.joints:
        joint.position_limits = joint.velocity_limit = joint.effort_limit = None
    return mechanism


def air_without_limits() -> Loop:
    """The scene air with such joints."""
    from benchmarks.scenes import in_rbdyn
    from benchmarks.scenes.types import AIR_HEIGHT, air_speeds
    from rbdyn.world import World

    _, q = in_rbdyn.anymal_start()
    q[2] = AIR_HEIGHT
    world = World(1e-3)
    robot = world.add_articulated_system(without_limits(), self_collision=False)
    robot.set_state(q, [0.0] * 6 + list(air_speeds(robot.nv - 6)))
    return lambda: world.step(400)


def standing_without_limits() -> Loop:
    """The scene standing with such joints, and motors that give any torque."""
    from benchmarks.scenes import in_rbdyn
    from benchmarks.scenes.types import FRICTION, KD, KP
    from rbdyn.world import World

    _, q = in_rbdyn.anymal_start()
    world = World(2.5e-3)
    robot = world.add_articulated_system(without_limits(), self_collision=False)
    world.add_ground()
    world.set_default_material(friction=FRICTION)
    robot.set_state(q)
    robot.set_pd_gains(KP, KD)
    robot.set_pd_target(q)
    return lambda: world.step(400)


def pile() -> Loop:
    """Steps of 50 falling boxes."""
    import numpy as np

    from rbdyn.world import World

    rng = np.random.default_rng(11)
    world = World(5e-3)
    world.add_ground()
    for k in range(50):
        quat = rng.normal(size=4)
        box = world.add_box(*rng.uniform(0.1, 0.3, 3), mass=8.0)
        box.set_pose((*rng.uniform(-0.4, 0.4, 2), 0.3 + 0.22 * k), quat / np.linalg.norm(quat))
    return lambda: world.step(10)


def chain() -> Loop:
    """Forward dynamics of a long chain."""
    import numpy as np

    from benchmarks.chains import Rbdyn

    ours, rng = Rbdyn(1000), np.random.default_rng(2)
    states = [(0.02 * rng.normal(size=1000), 0.02 * rng.normal(size=1000), rng.normal(size=1000)) for _ in range(5)]
    return lambda: ours.run(states)


def simulate() -> Loop:
    """A tenth of a second of an arm."""
    import rbdyn
    from benchmarks.robots import PANDA

    state = rbdyn.State(rbdyn.Model(PANDA.mechanism()))
    rest = state.model.neutral()

    def run() -> None:
        state.set(rest, 0.0 * state.v)
        rbdyn.simulate(state, 0.1, 1e-3)

    return run


def inverse_kinematics() -> Loop:
    """An arm reaches for a point."""
    import rbdyn
    from benchmarks.robots import PANDA

    model = rbdyn.Model(PANDA.mechanism())
    start = model.random(1)
    return lambda: rbdyn.inverse_kinematics(model, start, PANDA.tip, None, (0.3, 0.2, 0.6))


def model(robot: object) -> Loop:
    """Compile a mechanism."""
    import rbdyn

    mechanism = robot.mechanism()  # type: ignore[attr-defined]
    return lambda: rbdyn.Model(mechanism)


def surgery() -> Loop:
    """Merge the fixed joints of a large tree."""
    from benchmarks.surgery import half_welded

    mechanism = half_welded()
    return lambda: mechanism.copy().remove_fixed_tree_joints()


def spheres() -> Loop:
    """Make a World of many bodies."""
    from rbdyn.world import World

    def run() -> None:
        world = World()
        for _ in range(1000):
            world.add_sphere(0.1, 1.0)

    return run


# ---- the two processes -----------------------------------------------------------------------


def worker() -> None:
    """Answer each line of standard input, "make ROW" or "run N", with a line: "ok", a reason, or seconds."""
    sys.path[0] = str(Path.cwd())
    spec = importlib.util.spec_from_file_location("benchmarks", Path(__file__).with_name("__init__.py"))
    assert spec is not None
    sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)  # this checkout's rows, on that one's rbdyn
    made = dict(rows())
    loop: Loop | None = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "make":
            loop = None
            gc.enable()
            gc.collect()
            try:
                loop = made[rest]()
                loop()
                print("ok", flush=True)
            except Exception as error:  # whatever another version cannot do is a row without a ratio
                print(f"{type(error).__name__}: {str(error)[:100]!r}", flush=True)
            gc.disable()
        elif loop is not None:
            start = time.process_time()
            for _ in range(int(rest)):
                loop()
            print(time.process_time() - start, flush=True)


class Side:
    """A worker in one checkout."""

    def __init__(self, folder: Path) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, line: str) -> str:
        """The worker's answer."""
        pipes: tuple[IO[str] | None, IO[str] | None] = self.process.stdin, self.process.stdout
        assert pipes[0] is not None
        assert pipes[1] is not None
        pipes[0].write(line + "\n")
        pipes[0].flush()
        return pipes[1].readline().strip()


class Measured(NamedTuple):
    """One row in one pair of processes: the shortest seconds of a loop here and there, and the median ratio."""

    mine: float
    theirs: float
    ratio: float


def measure(this: Side, that: Side, name: str, rounds: int) -> Measured | str:
    """The figures of a row, or why there are none."""
    answers = {this.ask(f"make {name}"), that.ask(f"make {name}")}
    if answers != {"ok"}:
        return "; ".join(sorted(answers))
    count = max(1, round(CHUNK / max(float(this.ask("run 1")), 1e-6)))
    that.ask("run 1")
    pairs = [(float(this.ask(f"run {count}")), float(that.ask(f"run {count}"))) for _ in range(rounds)]
    mine, theirs = (min(times) / count for times in zip(*pairs, strict=True))
    return Measured(mine, theirs, median(b / a for a, b in pairs))


def compare(other: Path, rounds: int, pairs: int, only: str) -> int:
    """Print the table; the number of rows that are slower than SLOWER."""
    sides = [(Side(Path.cwd()), Side(other)) for _ in range(pairs)]
    missed = 0
    print(f"{'row':<42}{'this us':>12}{'other us':>12}{'other/this':>12}{'median':>9}   of the pairs")
    for name, _ in rows():
        if only not in name:
            continue
        found = [measure(this, that, name, rounds) for this, that in sides]
        figures = [f for f in found if not isinstance(f, str)]
        if not figures:
            print(f"{name:<42}  {found[0]}", flush=True)
            continue
        mine, theirs = min(f.mine for f in figures), min(f.theirs for f in figures)
        best, middle = theirs / mine, median(f.ratio for f in figures)
        slower = max(best, middle) < SLOWER
        missed += slower
        each = " ".join(f"{f.ratio:.3f}" for f in figures) + ("  SLOWER" if slower else "")
        print(f"{name:<42}{1e6 * mine:>12.4g}{1e6 * theirs:>12.4g}{best:>12.3f}{middle:>9.3f}   {each}", flush=True)
    print(f"{missed} rows are slower by more than {100 * (1 - SLOWER):.0f} %")
    return missed


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("other", type=Path, nargs="?", default=Path(), help="the other checkout, built in place")
    parser.add_argument("--rounds", type=int, default=9, help="timings of each row, pair and side")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of processes")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker()
        return 0
    return 1 if compare(options.other, options.rounds, options.pairs, options.only) else 0


if __name__ == "__main__":
    sys.exit(main())
