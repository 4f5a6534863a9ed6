"""Thin bodies against thin walls: how many pass? python -m benchmarks.thin_bodies [seeds]

Light bodies fall by a metre on a table top (a static box, or a mesh of two triangles), turning as they fall, and rods
fly at a wall of 2 mm.  Each count is of `seeds` bodies that ended beyond.  `deep` is how far any went into a ground
that has no other side, at worst.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from benchmarks import table
from rbdyn.collision import Mesh
from rbdyn.world import SingleBody, World

STEPS = (1e-3, 2e-3, 5e-3)  # [s]
MASS, HEIGHT, SPIN = 0.02, 1.0, 5.0  # [kg], [m], [rad/s]
BODIES: dict[str, Callable[[World], SingleBody]] = {
    "rod (capsule)": lambda w: w.add_capsule(0.006, 0.148, MASS),
    "cigar (ellipsoid)": lambda w: w.add_ellipsoid(0.006, 0.006, 0.08, MASS),
    "lens (ellipsoid)": lambda w: w.add_ellipsoid(0.05, 0.05, 0.004, MASS),
    "ruler (box)": lambda w: w.add_box(0.03, 0.002, 0.3, MASS),
    "needle (cylinder)": lambda w: w.add_cylinder(0.002, 0.1, MASS),
    "cone": lambda w: w.add_cone(0.005, 0.1, MASS),
    "coin (cylinder)": lambda w: w.add_cylinder(0.012, 0.002, MASS),
}
SHEET = Mesh([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [(0, 1, 2), (0, 2, 3)])


def turned(rng: np.random.Generator) -> np.ndarray:
    """Any attitude."""
    quaternion = rng.normal(size=4)
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def drop(make: Callable[[World], SingleBody], dt: float, seed: int, floor: str) -> tuple[bool, float]:
    """Whether a body ends under the floor, and how far it went into it at worst [m]."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.set_default_material(0.5)
    if floor == "ground":
        ground = world.add_ground()
    elif floor == "mesh":
        ground = world.add_mesh(SHEET, body_type="static")
    else:
        ground = world.add_box(3.0, 3.0, 0.02, body_type="static")
        ground.set_pose((0.0, 0.0, -0.01))
    body = make(world)
    body.set_pose((0.0, 0.0, HEIGHT), turned(rng))
    body.set_velocity((0.0, 0.0, 0.0), SPIN * rng.normal(size=3))
    deep = 0.0
    for _ in range(round((np.sqrt(2.0 * HEIGHT / 9.81) + 0.5) / dt)):
        world.step()
        deep = max(deep, -world.distance(body, ground).distance) if floor == "ground" else 0.0
    return bool(body.position[2] < 0.0), deep


def throw(dt: float, speed: float, seed: int) -> bool:
    """Whether a rod of 0.3 m passes a wall of 2 mm."""
    rng = np.random.default_rng(seed)
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(0.5)
    world.add_box(0.002, 4.0, 4.0, body_type="static")
    rod = world.add_capsule(0.005, 0.3, 1.0)
    rod.set_pose((-0.5 - rng.uniform(0.0, speed * dt), 0.0, 0.0), turned(rng))
    rod.set_velocity((speed, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.step(int(1.5 / speed / dt) + 30)
    return bool(rod.position[0] > 0.05)


def main(seeds: str = "25") -> None:
    """Print the tables."""
    count, rows = int(seeds), []
    for name, make in BODIES.items():
        for dt in STEPS:
            through = [sum(drop(make, dt, s, floor)[0] for s in range(count)) for floor in ("box", "mesh")]
            deep = max(drop(make, dt, s, "ground")[1] for s in range(count))
            rows.append([name, f"{1e3 * dt:g}", *map(str, through), table.number(1e3 * deep)])
    header = ["body", "dt ms", "20 mm box", "mesh", "deep mm"]
    table.show(f"of {count} dropped by a metre, through a table top", header, rows)
    rows = []
    for speed in (5.0, 10.0, 20.0, 50.0):
        rows.append([f"{speed:g}", *(str(sum(throw(dt, speed, s) for s in range(count))) for dt in STEPS)])
    table.show(f"of {count} rods, through a wall of 2 mm", ["m/s", *(f"{1e3 * dt:g} ms" for dt in STEPS)], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
