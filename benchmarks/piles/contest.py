"""All engines in all scenes.

Depth, energy and rest are measured with one ruler from the poses and velocities of every fourth step; an engine that
has used up its time in a scene is cut there, and its row says so.  The last table adds up what independent islands cost
alone, and compares it with a World that holds them all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from benchmarks import table
from benchmarks.machine import optional
from benchmarks.piles import sleep
from benchmarks.piles.engines.engine import Engine
from benchmarks.piles.engines.rbdyn import RbdynEngine
from benchmarks.piles.ruler import RESTING, Ruler
from benchmarks.piles.scenes import DT, SCENES, Scene, Thing, stacks

LOOK = 4  # steps from one look to the next
BUDGET = 20.0  # [s] of processor time, for each engine in each scene
QUICK_BUDGET = 1.5
CROWDED = 300  # things, from which on engines with dense solvers have no chance

Build = Callable[[Sequence[Thing]], Engine]


@dataclass
class Run:
    """What one engine did in one scene."""

    seconds: list[float] = field(default_factory=list)
    depth: float = 0.0  # [m] of the deepest overlap in the second half
    made: float = 0.0  # [J] largest rise of the energy above its lowest value before
    rested: float = math.inf  # [s] from when on the kinetic energy stays small
    iterations: list[int] = field(default_factory=list)
    unconverged: int = 0


def engines(things: int) -> Iterator[tuple[str, Build]]:
    """Those that are installed and have a chance."""
    yield "rbdyn", RbdynEngine
    yield "rbdyn, 4 substeps of 12 sweeps", lambda scene: RbdynEngine(scene, substeps=4, sweeps=12)
    if optional("mujoco") is not None:
        from benchmarks.piles.engines.mujoco import MujocoEngine

        yield "mujoco Newton", MujocoEngine
        yield "mujoco CG", lambda scene: MujocoEngine(scene, solver="CG")
        yield "mujoco PGS", lambda scene: MujocoEngine(scene, solver="PGS")
        yield "mujoco hard", lambda scene: MujocoEngine(scene, hard=True)
    if optional("pybullet") is not None:
        from benchmarks.piles.engines.bullet import BulletEngine

        yield "bullet", BulletEngine
    if things <= CROWDED and optional("dartpy") is not None:
        from benchmarks.piles.engines.dart import DartEngine

        yield "dart", DartEngine
    if things <= CROWDED and optional("pydrake.all") is not None:
        from benchmarks.piles.engines.drake import DrakeEngine

        yield "drake SAP", DrakeEngine


def measure(build: Build, things: Sequence[Thing], steps: int, budget: float) -> Run:
    """Step a scene and look at it; what the looking costs does not count."""
    ruler, engine, run = Ruler(things), build(things), Run()
    seen = engine.motion()
    lowest = ruler.kinetic(seen) + ruler.potential(seen)
    small = RESTING * int(ruler.free.sum())
    note: Callable[[], None] | None = getattr(engine, "note", None)
    for k in range(steps):
        start = time.process_time()
        engine.step()
        run.seconds.append(time.process_time() - start)
        if note is not None:
            note()
        if (k + 1) % LOOK == 0:
            seen = engine.motion()
            kinetic = ruler.kinetic(seen)
            energy = kinetic + ruler.potential(seen)
            lowest = min(lowest, energy)
            run.made = max(run.made, energy - lowest)
            run.rested = min(run.rested, (k + 1) * DT) if kinetic < small else math.inf
            if 2 * k >= steps:
                run.depth = max(run.depth, ruler.depth(seen))
        if sum(run.seconds) > budget:
            break
    run.iterations, run.unconverged = getattr(engine, "iterations", []), getattr(engine, "unconverged", 0)
    return run


def _row(name: str, run: Run, ours: float, scene: Scene, steps: int) -> list[str]:
    mean = 1e3 * fmean(run.seconds)
    goal = ""
    if name == "rbdyn" and scene.goal is not None:
        goal = f"{scene.goal:g} {'met' if mean <= scene.goal else 'MISSED'}"
    cut = "" if len(run.seconds) == steps else f"cut after {len(run.seconds)}"
    solver = ["", ""]
    if run.iterations:
        solver = [table.number(fmean(run.iterations)), table.number(100.0 * run.unconverged / len(run.iterations))]
    figures = [1e3 * median(run.seconds), mean / ours, 1e3 * run.depth, run.made]
    rested = "never" if math.isinf(run.rested) else table.number(run.rested)
    return [name, table.number(mean), goal, *map(table.number, figures), rested, *solver, cut]


HEADER = [
    "engine",
    "mean ms",
    "goal",
    "median ms",
    "peer/ours",
    "depth mm",
    "made J",
    "rest s",
    "sweeps",
    "% unconverged",
    "",
]


def _contest(scene: Scene, quick: bool) -> None:
    things, steps = scene.things(), scene.steps // 2 if quick else scene.steps
    rows: list[list[str]] = []
    means: dict[str, float] = {}
    ours: Any = None
    for name, build in engines(len(things)):
        run = measure(build, things, steps, QUICK_BUDGET if quick else BUDGET)
        means[name] = 1e3 * fmean(run.seconds)
        ours = ours or means[name]
        rows.append(_row(name, run, ours, scene, steps))
    table.show(f"{scene.name}: dt {1e3 * DT:g} ms, processor time a step", HEADER, rows)
    if scene.goal and scene.newton and "mujoco Newton" in means:
        here, most = ours / means["mujoco Newton"], scene.goal / scene.newton
        print(f"of mujoco Newton's time: {here:.2f}, goal {most:.2f} {'met' if here <= most else 'MISSED'}")


def _islands(quick: bool) -> None:
    parts = {
        "100 resting stacks of 5": stacks(tumbling=False),
        "a tumbling pile of 27": stacks(resting=False),
        "both": stacks(),
    }
    steps = 100 if quick else 200
    times = {name: 1e3 * fmean(measure(RbdynEngine, part, steps, BUDGET).seconds) for name, part in parts.items()}
    *alone, both = times.values()
    rows = [[name, table.number(value), ""] for name, value in times.items()]
    rows[-1][-1] = f"{both / sum(alone):.2f} {'met' if both <= 1.1 * sum(alone) else 'MISSED'}"
    table.show("islands", ["scene", "mean ms", "both / sum, goal 1.10"], rows)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    for scene in SCENES:
        if quick and len(scene.things()) > CROWDED:
            continue
        _contest(scene, quick)
    _islands(quick)
    sleep.compare(quick)
