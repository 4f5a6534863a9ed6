"""Towers of cubes, kicked, hit, or made lighter: when do they rest? python -m benchmarks.towers [seeds] [seconds]

Cubes of 0.2 m and 1 kg stand exactly on one another and get 2 cm/s each, in any direction, and turns of 0.06 rad/s.
`rest` counts the towers that come to rest, below 1e-5 m/s; `speed` is the largest in the latest second, and `unsolved`
the share of its steps that did not converge, both of the worst tower.  `made` is the most energy above that after the
kick, as a share of the kick's.  Under `precise` is the same with ``BisectionSolver(threshold=1e-8)``.

Then the stack of 20 cubes that a ball hits, in two seconds at 5 ms, as the mean of three times as many starts; and the
largest speed of towers of ten, one of whose cubes has become lighter.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks import table
from rbdyn.contact import BisectionSolver
from rbdyn.world import SingleBody, World

SIZE, FRICTION, KICK, TURN = 0.2, 0.8, 0.02, 0.06  # [m], [1], [m/s], [rad/s]
REST = 1e-5  # [m/s]


def energy(cubes: list[SingleBody]) -> float:
    """[J]"""
    return sum(c.kinetic_energy + c.potential_energy for c in cubes)


def kick(dt: float, height: int, seed: int, seconds: int, precise: bool) -> tuple[float, float, float, float]:
    """Speed [m/s] and unsolved share of the latest second, energy made beside the kick's, processor time a step [s]."""
    rng = np.random.default_rng(seed)
    world = World(dt, contact=BisectionSolver(threshold=1e-8) if precise else None)
    world.add_ground()
    world.set_default_material(FRICTION)
    cubes = [world.add_box(SIZE, SIZE, SIZE, 1.0) for _ in range(height)]
    for k, cube in enumerate(cubes):
        cube.set_pose((0.0, 0.0, SIZE * (k + 0.5)))
    world.step(round(0.1 / dt))
    rest = energy(cubes)
    for cube in cubes:
        cube.set_velocity(KICK * rng.normal(size=3), TURN * rng.normal(size=3))
    kicked = energy(cubes)
    made, speed, unsolved, done, steps, start = 0.0, 0.0, 0, 0, round(1.0 / dt), time.process_time()
    for _ in range(seconds):
        done += 1
        speed, unsolved = 0.0, 0
        for _ in range(steps):
            world.step()
            unsolved += world.contact.statistics.unconverged
            speed = max(speed, *(float(np.linalg.norm(c.linear_velocity)) for c in cubes))
        made = max(made, energy(cubes) - kicked)
        if speed < REST:
            break
    return speed, unsolved / steps, made / (kicked - rest), (time.process_time() - start) / (steps * done)


def hit(seed: int) -> tuple[float, float, float]:
    """Processor time a step [s], share of unsolved steps, and cubes that still move at the end."""
    rng = np.random.default_rng(seed)
    world = World(5e-3)
    world.add_ground()
    cubes = [world.add_box(SIZE, SIZE, SIZE, 8.0) for _ in range(20)]
    for k, cube in enumerate(cubes):
        cube.set_pose((0.0, 0.0, SIZE * (k + 0.5)))
    ball = world.add_sphere(0.15, 5.0)
    ball.set_pose((-2.0, rng.uniform(-0.04, 0.04), rng.uniform(2.1, 2.3)))
    ball.set_velocity((5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    unsolved, steps, start = 0, 400, time.process_time()
    for _ in range(steps):
        world.step()
        unsolved += world.contact.statistics.unconverged
    spent = time.process_time() - start
    return spent / steps, unsolved / steps, sum(float(np.linalg.norm(c.linear_velocity)) > 1e-3 for c in cubes)


def lighten(dt: float, before: float, after: float) -> float:
    """The largest speed within half a second of a tower whose fourth cube weighed more before [m/s]."""
    world = World(dt)
    world.add_ground()
    cubes = [world.add_box(SIZE, SIZE, SIZE, before if k == 3 else 1.0) for k in range(10)]
    for k, cube in enumerate(cubes):
        cube.set_pose((0.0, 0.0, SIZE * (k + 0.5)))
    world.step(round(0.5 / dt))
    cubes[3].mass = after
    speed = 0.0
    for _ in range(round(0.5 / dt)):
        world.step()
        speed = max(speed, *(float(np.linalg.norm(c.linear_velocity)) for c in cubes))
    return speed


def main(seeds: str = "8", seconds: str = "5") -> None:
    """Print the table."""
    rows = []
    for precise in (False, True):
        for dt in (1e-3, 2e-3, 5e-3):
            for height in (10, 15, 25):
                runs = np.array([kick(dt, height, seed, int(seconds), precise) for seed in range(int(seeds))])
                resting = runs[:, 0] < REST
                worst = runs.max(axis=0)
                rows.append(
                    ["precise" if precise else "default", f"{1e3 * dt:g}", str(height), f"{resting.sum()} of {seeds}",
                     table.number(worst[0]), f"{worst[1]:.0%}", table.number(worst[2]),
                     table.number(1e6 * runs[:, 3].mean())]
                )  # fmt: skip
    header = ["solver", "dt ms", "cubes", "rest", "speed m/s", "unsolved", "made", "us a step"]
    table.show("towers that were kicked", header, rows)
    spent, unsolved, moving = np.mean([hit(seed) for seed in range(3 * int(seeds))], axis=0)
    title = f"a stack of 20 that a ball hits: means of {3 * int(seeds)} starts"
    table.show(title, ["ms a step", "unsolved", "moving"], [[f"{1e3 * spent:.3f}", f"{unsolved:.0%}", f"{moving:.1f}"]])
    masses = ((1000.0, 1.0), (1000.0, 0.01), (100.0, 1.0), (1.0, 0.01))
    rows = [
        [f"{a:g} to {b:g}", *(table.number(lighten(dt, a, b)) for dt in (1e-3, 2e-3, 5e-3))] for a, b in masses
    ]  # fmt: skip
    table.show("towers one of whose cubes becomes lighter: speeds in m/s", ["kg", "1 ms", "2 ms", "5 ms"], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
