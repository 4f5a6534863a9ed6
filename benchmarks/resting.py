"""Every shape comes to rest on every ground, and stays for 10 s: how fast it creeps, and what energy it gains.

python -m benchmarks.resting
"""

from __future__ import annotations

import numpy as np

import rbdyn
from benchmarks.terrain import mesh_of
from rbdyn.collision import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)

DT = 2e-3
GROUNDS = ("half-space", "box", "height map", "mesh")
HULL = ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1)


def lifted(z: float) -> np.ndarray:
    """A pose above the origin [m]."""
    X = np.eye(4)
    X[2, 3] = z
    return X


SHAPES: dict[str, Shape] = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "cone": Cone(0.15, 0.2),
    "ellipsoid": Ellipsoid((0.1, 0.15, 0.2)),
    "hull": HULL,
    "mesh": Mesh(HULL.hull.vertices, HULL.hull.triangles),
    "compound": Compound([Box((0.3, 0.2, 0.05)), (Cylinder(0.05, 0.2), lifted(0.1))]),
}


def add_ground(world: rbdyn.World, ground: str) -> None:
    """A level ground at height 0."""
    if ground == "half-space":
        world.add_ground()
    elif ground == "box":
        slab = world.add_single_body([rbdyn.Geometry(Box((10.0, 10.0, 1.0)))], 1.0, np.eye(3), "static")
        slab.set_pose((0.0, 0.0, -0.5))
    elif ground == "height map":
        world.add_height_map(HeightMap(np.zeros((51, 53)), (10.0, 10.0)))
    else:
        world.add_mesh(mesh_of(np.zeros((51, 51))), body_type="static")


def add_body(world: rbdyn.World, shape: Shape) -> rbdyn.SingleBody:
    """One of 1 kg, its centre of mass at its origin."""
    if isinstance(shape, Compound):
        return world.add_compound(shape, 1.0)
    c = shape.centroid
    inertia = shape.inertia(1.0) - (c @ c * np.eye(3) - np.outer(c, c))
    geometry = rbdyn.Geometry(shape, rbdyn.Transform(translation=-c))
    return world.add_single_body([geometry], 1.0, 0.5 * (inertia + inertia.T))


def rest(shape: Shape, ground: str, fall: float = 30.0, stay: float = 10.0) -> tuple[float, float, float]:
    """Creep [m/s] over the time at rest, energy gained in its steps [J], and the speed at its end [m/s]."""
    world = rbdyn.World(DT)
    world.sleeping = False
    world.set_default_material(0.8, torsional_friction=0.01, rolling_friction=0.01)
    add_ground(world, ground)
    body = add_body(world, shape)
    body.set_pose((0.013, 0.022, 0.3), (0.99, 0.1, 0.05, 0.02) / np.linalg.norm((0.99, 0.1, 0.05, 0.02)))
    world.step(round(fall / DT))
    before, position, gained = body.kinetic_energy + body.potential_energy, body.position, 0.0
    for _ in range(round(stay / DT)):
        world.step()
        energy = body.kinetic_energy + body.potential_energy
        gained, before = gained + max(energy - before, 0.0), energy
    creep = float(np.linalg.norm(body.position - position)) / stay
    return creep, gained, float(np.linalg.norm(body.linear_velocity))


def main() -> None:
    """Print the table."""
    print(f"{'shape':10s}" + "".join(f"{ground:>28s}" for ground in GROUNDS))
    for name, shape in SHAPES.items():
        cells = [rest(shape, ground) for ground in GROUNDS]
        print(f"{name:10s}" + "".join(f"{creep:12.0e} m/s {gained:9.0e} J" for creep, gained, _ in cells), flush=True)


if __name__ == "__main__":
    main()
