"""Towers of cubes, each kicked once: when do they rest? python -m benchmarks.towers [seeds] [seconds]

Cubes of 0.2 m and 1 kg stand exactly on one another and get 2 cm/s each, in any direction, and turns of 0.06 rad/s.
`rest` counts the towers that come to rest, below 1e-5 m/s; `speed` is the largest in the latest second, and `unsolved`
the share of its steps that did not converge, both of the worst tower.  `made` is the most energy above that after the
kick, as a share of the kick's.  Under `precise` is the same with ``BisectionSolver(threshold=1e-8)``.
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


if __name__ == "__main__":
    main(*sys.argv[1:])
