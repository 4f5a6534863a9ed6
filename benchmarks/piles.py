"""Things that tumble: milliseconds of processor time a step, with the quality that goes with it.

Every row names depth, the kinetic energy left, the sweeps and how many steps did not converge.  The last table adds up
what independent islands cost alone, and compares it with a World that holds them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

import rbdyn
from benchmarks import table

DT = 5e-3


@dataclass
class Scene:
    """One scene, and the most it may cost."""

    name: str
    build: Callable[[], rbdyn.World]
    steps: int
    goal: float | None = None  # [ms] a step


def _turned(rng: np.random.Generator) -> np.ndarray:
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)


def pile(count: int, seed: int = 11) -> rbdyn.World:
    """Boxes of random sizes and poses that fall on one another, ten a layer or forty."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(DT)
    world.add_ground()
    _drop(world, rng, count, 0.0)
    return world


def _drop(world: rbdyn.World, rng: np.random.Generator, count: int, x0: float) -> None:
    side = 0.5 if count <= 100 else 1.0
    for k in range(count):
        x, y, z = rng.uniform(0.1, 0.3, 3)
        box = world.add_box(x, y, z, mass=800.0 * x * y * z)
        layer = k // 10 if count <= 100 else k // 40
        box.set_pose((x0 + rng.uniform(-side, side), rng.uniform(-side, side), 0.3 + 0.35 * layer), _turned(rng))


def _ball(world: rbdyn.World, position: tuple[float, float, float], speed: float) -> None:
    ball = world.add_sphere(0.15, 5.0)
    ball.set_pose(position)
    ball.set_velocity((speed, 0.0, 0.0), (0.0, 0.0, 0.0))


def wall() -> rbdyn.World:
    """A wall of 10 by 10 bricks that a ball hits."""
    world = rbdyn.World(DT)
    world.add_ground()
    for row in range(10):
        for k in range(10):
            world.add_box(0.1, 0.19, 0.1, 1.0).set_pose((0.0, 0.2 * k + 0.1 * (row % 2), 0.05 + 0.1 * row))
    _ball(world, (-2.0, 1.0, 0.6), 10.0)
    return world


def pyramid() -> rbdyn.World:
    """A pyramid of 15 layers that a ball hits."""
    world = rbdyn.World(DT)
    world.add_ground()
    for row in range(15):
        for k in range(15 - row):
            world.add_box(0.1, 0.19, 0.1, 1.0).set_pose((0.0, 0.2 * k + 0.1 * row, 0.05 + 0.1 * row))
    _ball(world, (-2.0, 1.4, 0.6), 10.0)
    return world


def stack(count: int = 20, ball: bool = True) -> rbdyn.World:
    """A stack of cubes, and a ball that hits it."""
    world = rbdyn.World(DT)
    world.add_ground()
    for k in range(count):
        world.add_box(0.2, 0.2, 0.2, 8.0).set_pose((0.0, 0.0, 0.1 + 0.2 * k))
    if ball:
        _ball(world, (-2.0, 0.0, 2.2), 5.0)
    return world


def tray() -> rbdyn.World:
    """200 balls that fall into a tray."""
    rng = np.random.default_rng(3)
    world = rbdyn.World(DT)
    world.add_ground()
    for k in range(4):
        across = k % 2 == 1
        wall = world.add_box(2.0 if across else 0.1, 0.1 if across else 2.0, 0.6, 1.0)
        wall.body_type = "static"
        at = 1.0 if k < 2 else -1.0
        wall.set_pose((0.0, at, 0.3) if across else (at, 0.0, 0.3))
    for k in range(200):
        ball = world.add_sphere(0.08, 2.0)
        ball.set_pose((*rng.uniform(-0.8, 0.8, 2), 0.2 + 0.18 * (k // 20)))
    return world


def stacks(tumbling: bool = True, resting: bool = True) -> rbdyn.World:
    """A hundred resting stacks of five cubes, and far away a pile of 27 that tumbles."""
    world = rbdyn.World(DT)
    world.add_ground()
    for k in range(100 if resting else 0):
        for row in range(5):
            world.add_box(0.2, 0.2, 0.2, 8.0).set_pose((0.5 * (k % 10), 0.5 * (k // 10), 0.1 + 0.2 * row))
    rng = np.random.default_rng(5)
    for k in range(27 if tumbling else 0):
        box = world.add_box(*rng.uniform(0.1, 0.3, 3), 4.0)
        box.set_pose((50.0 + rng.uniform(-0.25, 0.25), rng.uniform(-0.25, 0.25), 0.3 + 0.3 * (k // 3)), _turned(rng))
    return world


SCENES = (
    Scene("pile 100", lambda: pile(100), 600, 0.8),
    Scene("pile 500", lambda: pile(500), 300, 7.0),
    Scene("200 balls in a tray", tray, 400, None),
    Scene("wall 10x10 + ball", wall, 400, 1.0),
    Scene("pyramid 15 + ball", pyramid, 400, None),
    Scene("stack 20 + ball", stack, 400, 0.13),
    Scene("stack 20 at rest", lambda: stack(ball=False), 200, None),
)


@dataclass
class Run:
    """What a scene cost and how it went."""

    seconds: list[float]
    iterations: list[int]
    unconverged: int
    depth: float  # [m] of the deepest contact in the second half
    kinetic: float  # [J] at the end


def measure(build: Callable[[], rbdyn.World], steps: int) -> Run:
    """Step a scene and look at every step; what the looking costs does not count."""
    world = build()
    run = Run([], [], 0, 0.0, 0.0)
    for k in range(steps):
        start = time.process_time()
        world.step()
        run.seconds.append(time.process_time() - start)
        run.iterations.append(world.contact.iterations)
        run.unconverged += not world.contact.converged
        if 2 * k >= steps:
            run.depth = max([run.depth, *(c.depth for c in world.contacts)])
    run.kinetic = sum(body.kinetic_energy for body in world.objects if body.body_type == "dynamic")
    return run


def run(quick: bool) -> None:
    """Print the tables of this section."""
    rows = []
    for scene in SCENES:
        if quick and scene.name == "pile 500":
            continue
        seen = measure(scene.build, scene.steps // 2 if quick else scene.steps)
        mean = 1e3 * fmean(seen.seconds)
        goal = "-" if scene.goal is None else f"{scene.goal:g} {'met' if mean <= scene.goal else 'MISSED'}"
        figures = (mean, 1e3 * median(seen.seconds), fmean(seen.iterations), max(seen.iterations), seen.unconverged,
                   1e3 * seen.depth, seen.kinetic)
        rows.append([scene.name, goal, *map(table.number, figures)])
    header = ["scene", "goal", "mean ms", "median ms", "sweeps", "most", "unconverged", "depth mm", "kinetic J"]
    table.show(f"piles, dt {1e3 * DT:g} ms, processor time a step", header, rows)
    parts = {
        "100 resting stacks of 5": lambda: stacks(tumbling=False),
        "a tumbling pile of 27": lambda: stacks(resting=False),
        "both": stacks,
    }
    times = {name: 1e3 * fmean(measure(build, 100 if quick else 200).seconds) for name, build in parts.items()}
    *alone, both = times.values()
    rows = [[name, table.number(value), ""] for name, value in times.items()]
    rows[-1][-1] = f"{both / sum(alone):.2f} {'met' if both <= 1.1 * sum(alone) else 'MISSED'}"
    table.show("islands", ["scene", "mean ms", "both / sum, goal 1.10"], rows)
