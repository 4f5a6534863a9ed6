"""Random drops: python -m benchmarks.drops [--drops N] [--heaps N] [--rests N] [--dt DT].

Single bodies of all shapes, with any friction and restitution, and heaps of 2 to 11 of them, fall on the ground.
Prints for each kind how many gained energy, the largest gain beside the energy at the start (and above the lowest so
far, which a push against gravity raises), how deep they went beyond v dt, the kinetic energy at the end, and the worst
seeds.  Rests are drops and heaps, one heap for ten drops, with a rolling and torsional friction of ROLLING and
restitution up to a half: how many still move after which time, until all should be at rest.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from rbdyn.world import SingleBody, World

ROLLING = 5e-3  # [m] of rests: balls have radii of 5 to 20 cm
REST = 1e-5  # [J] less than this is at rest
TIMES = (1, 2, 5, 10, 15, 20, 25)  # [s] looks at what should come to rest
ROUNDING = 1e-9  # gains below this share of the energy are none


class Fall(NamedTuple):
    """What one run came to."""

    seed: int
    gain: float  # largest energy above the start's, beside it
    rise: float  # above the lowest so far [J]
    deep: float  # beyond v dt [m]
    left: float  # kinetic energy at the end [J]


def body(world: World, rng: np.random.Generator) -> SingleBody:
    """A body of 1 kg, of any shape and attitude."""
    makers: tuple[Callable[[], SingleBody], ...] = (
        lambda: world.add_sphere(rng.uniform(0.05, 0.2), 1.0),
        lambda: world.add_box(*rng.uniform(0.05, 0.4, 3), mass=1.0),
        lambda: world.add_cylinder(rng.uniform(0.05, 0.2), rng.uniform(0.02, 0.4), 1.0),
        lambda: world.add_capsule(rng.uniform(0.05, 0.15), rng.uniform(0.05, 0.4), 1.0),
    )
    made = makers[rng.integers(4)]()
    quat = rng.normal(size=4)
    made.set_pose(orientation=quat / np.linalg.norm(quat))
    made.set_velocity(rng.normal(size=3), 5.0 * rng.normal(size=3))
    return made


def energy(bodies: Iterable[SingleBody]) -> float:
    """[J]"""
    return sum(b.kinetic_energy + b.potential_energy for b in bodies)


def speed(one: SingleBody) -> float:
    """Of the fastest point that a metre around has [m/s]."""
    return float(np.linalg.norm(one.linear_velocity) + np.linalg.norm(one.angular_velocity))


def watch(world: World, bodies: list[SingleBody], seed: int, duration: float) -> Fall:
    """Step and look."""
    start = lowest = energy(bodies)
    gain = rise = deep = fastest = 0.0
    for _ in range(round(duration / world.time_step)):
        fastest = max([fastest, *map(speed, bodies)])
        world.step()
        now = energy(bodies)
        lowest = min(lowest, now)
        gain, rise = max(gain, (now - start) / start), max(rise, now - lowest)
        deep = max([deep, *(c.depth - fastest * world.time_step for c in world.contacts)])
    return Fall(seed, gain, rise, deep, sum(b.kinetic_energy for b in bodies))


def one_body(world: World, rng: np.random.Generator) -> list[SingleBody]:
    """In the air."""
    one = body(world, rng)
    one.set_pose(position=(0.0, 0.0, rng.uniform(0.5, 1.0)))
    return [one]


def pile(world: World, rng: np.random.Generator) -> list[SingleBody]:
    """2 to 11 bodies above one another."""
    bodies = [body(world, rng) for _ in range(rng.integers(2, 12))]
    for k, one in enumerate(bodies):
        one.set_pose(position=(*rng.uniform(-0.1, 0.1, 2), 0.4 + 0.6 * k))
    return bodies


def drop(seed: int, dt: float) -> Fall:
    """One body."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.add_ground()
    world.set_default_material(friction=rng.uniform(0.0, 1.2), restitution=rng.choice([0.0, 0.0, 0.5, 1.0]))
    return watch(world, one_body(world, rng), seed, 1.5)


def heap(seed: int, dt: float) -> Fall:
    """Bodies that fall on one another."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.add_ground()
    world.set_default_material(friction=rng.uniform(0.2, 1.0), restitution=0.0)
    return watch(world, pile(world, rng), seed, 3.0)


def come_to_rest(seed: int, dt: float) -> list[float]:
    """Kinetic energies of a drop or a heap at TIMES [J]."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.add_ground()
    world.set_default_material(
        friction=rng.uniform(0.2, 1.2),
        restitution=rng.choice([0.0, 0.0, 0.5]),
        torsional_friction=ROLLING,
        rolling_friction=ROLLING,
    )
    bodies = pile(world, rng) if seed % 11 == 0 else one_body(world, rng)
    left = []
    for at in TIMES:
        world.step(round(at / dt) - world.steps)
        left.append(sum(b.kinetic_energy for b in bodies))
    return left


def rests(count: int, dt: float) -> None:
    """How many move, and the worst seeds."""
    began = time.process_time()
    left = np.array([come_to_rest(seed, dt) for seed in range(count)])
    worst = np.argsort(-left[:, -1])[:3]
    print(f"rests: {count} in {time.process_time() - began:.0f} s, rolling and torsional friction {1e3 * ROLLING:g} mm")
    moving = ", ".join(f"{at} s {n}" for at, n in zip(TIMES, (left > REST).sum(axis=0), strict=True))
    print(f"  above {REST:g} J after {moving}")
    print("  worst at the end " + ", ".join(f"{left[k, -1]:.2g} J (seed {k})" for k in worst))


def table(name: str, falls: list[Fall], seconds: float) -> None:
    """Counts and worst seeds."""
    gained = sum(f.gain > ROUNDING for f in falls)
    print(f"{name}: {len(falls)} in {seconds:.0f} s; {gained} gained energy beyond {ROUNDING:g} of their start")
    for what, unit, scale in (("gain", "", 1.0), ("rise", "J", 1.0), ("deep", "mm", 1e3), ("left", "J", 1.0)):
        worst = sorted(falls, key=lambda f: -getattr(f, what))[:3]
        shown = ", ".join(f"{scale * getattr(f, what):.3g} {unit} (seed {f.seed})" for f in worst)
        middle = scale * float(np.median([getattr(f, what) for f in falls]))
        print(f"  {what:5} median {middle:.2g} {unit}, worst {shown}", flush=True)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drops", description=__doc__)
    parser.add_argument("--drops", type=int, default=1000, help="of single bodies")
    parser.add_argument("--heaps", type=int, default=50, help="of 2 to 11 bodies")
    parser.add_argument("--rests", type=int, default=220, help="of drops and heaps with rolling friction")
    parser.add_argument("--dt", type=float, default=2e-3, help="time step [s]")
    options = parser.parse_args()
    for name, run, count in (("drops", drop, options.drops), ("heaps", heap, options.heaps)):
        began = time.process_time()
        falls = [run(seed, options.dt) for seed in range(count)]
        if falls:
            table(name, falls, time.process_time() - began)
    if options.rests:
        rests(options.rests, options.dt)
    return 0


if __name__ == "__main__":
    sys.exit(main())
