"""World steps: speed and quality of whole scenes, beside MuJoCo with its default and with hard settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, median
from typing import Any

from benchmarks import table
from benchmarks.machine import optional
from benchmarks.scenes import in_rbdyn
from benchmarks.scenes.types import Scene

OURS, DEFAULT, HARD, PGS, CG = "rbdyn", "mujoco", "mujoco hard", "mujoco PGS", "mujoco CG"
SCENES = (
    Scene("standing", 2.5e-3, 40, 100, 8, 7, 2.5, (HARD,), {"slip mm": 0.04, "depth mm": 0.002}),
    Scene("limp", 2.5e-3, 24, 100, 8, 7, None, (DEFAULT, HARD)),
    Scene("air", 1e-3, 20, 100, 0, 7, None, (DEFAULT,)),
    Scene("stack20", 5e-3, 20, 40, 5, 3, 1.0, (DEFAULT,), {"height error mm": 1.0}),
    Scene("balls216", 1e-2, 20, 50, 0, 3, 2.0, (PGS,)),
    Scene("balls666", 1e-2, 20, 20, 0, 1, 2.0, (PGS, CG)),
)
ENGINES = {
    "standing": (OURS, DEFAULT, HARD),
    "limp": (OURS, DEFAULT, HARD),
    "air": (OURS, DEFAULT),
    "stack20": (OURS, DEFAULT, HARD),
    "balls216": (OURS, DEFAULT, PGS, HARD),
    "balls666": (OURS, PGS, CG),
}
STACK_TOP = 3.9  # [m] centre of the topmost cube


@dataclass
class Run:
    """What one engine did in one scene."""

    seconds: list[list[float]] = field(default_factory=list)  # per repetition, per chunk
    seen: list[dict[str, float]] = field(default_factory=list)  # of the latest repetition

    def per_step(self, scene: Scene) -> float:
        """Seconds per step: each chunk's median over the repetitions, then their mean."""
        return fmean(median(chunk) for chunk in zip(*self.seconds, strict=True)) / scene.steps


def run(quick: bool) -> None:
    """Print the tables of this section."""
    if optional("mujoco") is None:
        print("\nmujoco is not installed: scenes are shown without it")
    for scene in SCENES:
        if quick and scene.name == "balls666":
            print("\nballs666: left out by --quick")
            continue
        try:
            _contest(scene, quick)
        except FileNotFoundError as error:
            print(f"\n{scene.name}: skipped, {error}")


def _builders(scene: Scene) -> dict[str, Callable[[], Any]]:
    builders: dict[str, Callable[[], Any]] = {OURS: partial(in_rbdyn.build, scene)}
    if optional("mujoco") is not None:
        from benchmarks.scenes import in_mujoco

        settings: dict[str, dict[str, Any]] = {
            DEFAULT: {},
            HARD: {"hard": True},
            PGS: {"solver": "PGS"},
            CG: {"solver": "CG"},
        }
        for engine in ENGINES[scene.name][1:]:
            builders[engine] = partial(in_mujoco.build, scene, **settings[engine])
    return builders


def _contest(scene: Scene, quick: bool) -> None:
    """All engines by turns, chunk by chunk; then the table."""
    builders = _builders(scene)
    runs = {name: Run() for name in builders}
    for _ in range(min(scene.repetitions, 2) if quick else scene.repetitions):
        simulations = {name: build() for name, build in builders.items()}
        for name in builders:
            runs[name].seconds.append([])
            runs[name].seen = [simulations[name].observe()]
        for chunk in range(scene.chunks):
            for name, simulation in simulations.items():
                start = time.thread_time()
                simulation.step(scene.steps)
                passed = time.thread_time() - start
                if chunk < scene.dropped:
                    simulation.mark_feet()
                    continue
                runs[name].seconds[-1].append(passed)
                runs[name].seen.append(simulation.observe())
    _show(scene, runs)


def _quality(scene: Scene, seen: list[dict[str, float]]) -> dict[str, float]:
    """The figures that performance.md names for this scene."""
    later = seen[1:]
    figures = {}
    if scene.name == "standing":
        figures["slip mm"] = later[-1]["slip mm"]
    if scene.name == "air":
        energies = [s["energy J"] for s in seen]
        figures["energy J"] = energies[0]
        figures["drift J"] = max(abs(e - energies[0]) for e in energies)
        return figures
    if scene.name == "stack20":
        figures["height error mm"] = 1e3 * abs(later[-1]["top m"] - STACK_TOP)
    figures["depth mm"] = max(s["depth mm"] for s in later)
    figures["contacts"] = fmean(s["contacts"] for s in later)
    figures["iterations"] = fmean(s["iterations"] for s in later)
    return figures


def _verdict(scene: Scene, ratio: float | None, quality: dict[str, float]) -> str:
    """Speed counts only with the quality asked for."""
    if all(quality[figure] <= most for figure, most in scene.limits.items()):
        return table.verdict(ratio, scene.target)
    return f"{scene.target:g}x MISSED: quality"


def _show(scene: Scene, runs: dict[str, Run]) -> None:
    times = {name: run.per_step(scene) for name, run in runs.items()}
    best = min((times[name] / times[OURS] for name in scene.against if name in times), default=None)
    qualities = {name: _quality(scene, run.seen) for name, run in runs.items()}
    names = list(qualities[OURS])
    rows = []
    for name in runs:
        ratio = "-" if name == OURS else table.number(times[name] / times[OURS])
        against = _verdict(scene, best, qualities[OURS]) if name == OURS else ""
        figures = [table.number(qualities[name][figure]) for figure in names]
        rows.append([name, table.number(1e6 * times[name]), ratio, against, *figures])
    against = f", target against {' / '.join(scene.against)}" if scene.target else ""
    against += "".join(f", {figure} at most {most:g}" for figure, most in scene.limits.items())
    title = f"{scene.name}: dt {1e3 * scene.dt:g} ms, {scene.chunks * scene.steps} steps{against}"
    table.show(title, ["engine", "us per step", "peer/ours", "target", *names], rows)
