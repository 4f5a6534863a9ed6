"""Every shape on every ground: dropped, set down, rolling and sliding over internal edges.  One table.

    python -m benchmarks.resting [word]      # a word that the rows must have: dropped, set down, rolls, cone, ...

Of what is dropped, and of what is set down, the creep over 10 s and the energy that all steps made are shown, less that
of overlaps that were pushed apart; of what rolls or slides, how far it is aside, as a share of its way, and the highest
hop.  Tiles of boxes are boxes side by side: what rolls over them meets edges, as it would anywhere, and no goal is set
for it.  Where something is dropped there is rolling and torsional friction, or round things would never come to rest;
where it is set down there is none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
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
GOAL = 1e-6  # m/s of creep; share of the way aside; m of a hop; J of energy made
GROUNDS = ("half-space", "box", "height map", "mesh")
TILED = ("tiles of boxes", "height map", "mesh")
HULL = ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1)
TILT = np.array((0.99, 0.1, 0.05, 0.02)) / np.linalg.norm((0.99, 0.1, 0.05, 0.02))
LYING = np.array((np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0))  # z along -y
UPRIGHT = np.array((1.0, 0.0, 0.0, 0.0))


def lifted(z: float) -> np.ndarray:
    """A pose above the origin [m]."""
    X = np.eye(4)
    X[2, 3] = z
    return X


def torus(n: int = 20, m: int = 10) -> Mesh:
    """A ring about z, of radii 0.2 and 0.05 m."""
    a, b = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 0.2 + 0.05 * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), 0.05 * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    k, h = (i + 1) % n, (j + 1) % m
    quads = np.c_[i * m + j, k * m + j, k * m + h, i * m + h]
    return Mesh(points, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]))


def angle() -> Mesh:
    """An L of 0.3 by 0.3 by 0.15 m, 0.1 m thick, along y."""
    outline = np.array([(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3)]) - 0.1
    points = np.array([(x, y, z) for y in (-0.075, 0.075) for x, z in outline])
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, b, c) for a, b, c in caps] + [(a + 6, c + 6, b + 6) for a, b, c in caps]
    for k in range(6):
        n = (k + 1) % 6
        faces += [(k, k + 6, n), (n, k + 6, n + 6)]
    return Mesh(points, np.array(faces))


SHAPES: dict[str, Shape] = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "cone": Cone(0.15, 0.2),
    "ellipsoid": Ellipsoid((0.1, 0.15, 0.2)),
    "convex hull": HULL,
    "mesh": Mesh(HULL.hull.vertices, HULL.hull.triangles),
    "mesh, torus": torus(),
    "mesh, angle": angle(),
    "compound": Compound([Box((0.3, 0.2, 0.05)), (Cylinder(0.05, 0.2), lifted(0.1))]),
}
SET_DOWN: dict[str, tuple[str, np.ndarray]] = {  # what rests without rolling friction, and how it lies
    "sphere": ("sphere", UPRIGHT),
    "box": ("box", UPRIGHT),
    "capsule, lying": ("capsule", LYING),
    "cylinder, standing": ("cylinder", UPRIGHT),
    "cylinder, lying": ("cylinder", LYING),
    "cone": ("cone", UPRIGHT),
    "ellipsoid, lying": ("ellipsoid", np.array((np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))),
    "mesh, torus": ("mesh, torus", UPRIGHT),
    "mesh, angle": ("mesh, angle", UPRIGHT),
    "compound": ("compound", UPRIGHT),
}
ROLLING = {"sphere": Sphere(0.1), "cylinder": Cylinder(0.1, 0.3), "capsule": Capsule(0.1, 0.3)}
SLIDING = {"box": Box((0.3, 0.2, 0.1)), "cylinder, standing": Cylinder(0.1, 0.2), "hull of a box": ConvexHull(
    np.array([(x, y, z) for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)]))}  # fmt: skip


def add_ground(world: rbdyn.World, ground: str) -> None:
    """A level ground at height 0."""
    if ground == "half-space":
        world.add_ground()
    elif ground == "box":
        slab = world.add_single_body([rbdyn.Geometry(Box((10.0, 10.0, 1.0)))], 1.0, np.eye(3), "static")
        slab.set_pose((0.0, 0.0, -0.5))
    elif ground == "height map":
        world.add_height_map(HeightMap(np.zeros((51, 53)), (10.0, 10.0)))
    elif ground == "mesh":
        world.add_mesh(mesh_of(np.zeros((51, 51))), body_type="static")
    else:
        for i, j in np.ndindex(20, 10):
            tile = world.add_box(0.25, 0.25, 0.1, body_type="static")
            tile.set_pose((0.25 * (i - 2), 0.25 * (j - 2), -0.05))


def add_body(world: rbdyn.World, shape: Shape) -> rbdyn.SingleBody:
    """One of 1 kg, its centre of mass at its origin."""
    if isinstance(shape, Compound):
        return world.add_compound(shape, 1.0)
    if isinstance(shape, (Mesh, ConvexHull)):
        return world.add_mesh(shape, 1.0)
    c = shape.centroid
    inertia = shape.inertia(1.0) - (c @ c * np.eye(3) - np.outer(c, c))
    geometry = rbdyn.Geometry(shape, rbdyn.Transform(translation=-c))
    return world.add_single_body([geometry], 1.0, 0.5 * (inertia + inertia.T))


def energy_of(body: rbdyn.SingleBody) -> float:
    """Kinetic and potential [J]."""
    return body.kinetic_energy + body.potential_energy


def made_by_step(world: rbdyn.World, body: rbdyn.SingleBody, before: float) -> float:
    """What a step adds to the energy, before [J], by other than pushing overlaps apart; the step is made."""
    start = world.snapshot()
    world.step()
    if energy_of(body) - before < 1e-12:
        return max(energy_of(body) - before, 0.0)
    end = world.snapshot()
    world.restore(start)
    world.set_erp(0.0, 0.0)
    world.step()
    made = max(energy_of(body) - before, 0.0)
    world.restore(end)
    return made


def stay(world: rbdyn.World, body: rbdyn.SingleBody, fall: float, seconds: float) -> tuple[float, float]:
    """Creep [m/s] over the seconds after the fall, and the energy that steps made from its start on [J]."""
    made, position = 0.0, body.position
    for k in range(round((fall + seconds) / DT)):
        if k == round(fall / DT):
            position = body.position
        made += made_by_step(world, body, energy_of(body))
    return float(np.linalg.norm(body.position - position)) / seconds, made


def drop(shape: Shape, ground: str, fall: float = 30.0, seconds: float = 10.0) -> tuple[float, float]:
    """Creep [m/s] of what came down tilted, and the energy that steps made, in the fall too [J]."""
    world = rbdyn.World(DT)
    world.sleeping = False
    world.set_default_material(0.8, torsional_friction=0.01, rolling_friction=0.01)
    add_ground(world, ground)
    body = add_body(world, shape)
    body.set_pose((0.013, 0.022, 0.3), TILT)
    return stay(world, body, fall, seconds)


def lowest(body: rbdyn.SingleBody) -> float:
    """Height of the lowest point [m]."""
    placed, heights = np.eye(4), []
    placed[:3, :3], placed[:3, 3] = body.rotation, body.position
    for geometry in body.geometries:
        X = placed @ geometry.pose.matrix
        points = geometry.shape.farthest(-X[2, :3]) if not isinstance(geometry.shape, Mesh) else geometry.shape.vertices
        heights.append(float((np.atleast_2d(points) @ X[2, :3]).min() + X[2, 3]))
    return min(heights)


def set_down(name: str, ground: str, fall: float = 1.0, seconds: float = 10.0) -> tuple[float, float]:
    """Creep [m/s] of what was set down on the ground at rest, and the energy that steps made [J]."""
    shape, turned = SET_DOWN[name]
    world = rbdyn.World(DT)
    world.sleeping = False
    add_ground(world, ground)
    body = add_body(world, SHAPES[shape])
    body.set_pose((0.013, 0.022, 1.0), turned)
    body.set_pose((0.013, 0.022, 1.0 - lowest(body)), turned)
    return stay(world, body, fall, seconds)


def go(shape: Shape, ground: str, slides: bool, heading: float = 0.3, seconds: float = 2.0) -> tuple[float, float]:
    """How far it was aside, as a share of its way, and its highest hop [m]; at 1 m/s, aslant over the edges."""
    world = rbdyn.World(DT)
    if slides:
        world.set_default_material(0.0)
    add_ground(world, ground)
    body = add_body(world, shape)
    turn = np.array((np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)))
    lying = not slides and not isinstance(shape, Sphere)
    half = np.sqrt(0.5)
    body.set_pose((-0.013, 0.0217, 1.0), (turn[0] * half, turn[0] * half, turn[3] * half, turn[3] * half)
                  if lying else turn)  # fmt: skip
    body.set_pose((-0.013, 0.0217, 1.0 - lowest(body)), body.orientation)
    along = np.array((np.cos(heading), np.sin(heading), 0.0))
    spin = 0.0 if slides else 1.0 / body.position[2]
    body.set_velocity(along, spin * np.array((-along[1], along[0], 0.0)))
    start, aside, hop = body.position.copy(), 0.0, 0.0
    for _ in range(round(seconds / DT)):
        world.step()
        way = body.position - start
        aside, hop = max(aside, abs(along[0] * way[1] - along[1] * way[0])), max(hop, abs(way[2]))
    return aside / float(along @ way), hop


def rows_of(name: str, what: tuple[str, str], cells: dict[str, tuple[float, float]]) -> list[list[str]]:
    """Two rows of the table: a figure a ground, the goal, and whether it is met."""
    made = []
    for k in range(2):
        every = [f"{cells[g][k]:.0e}" if g in cells else "-" for g in ("half-space", "box", *TILED)]
        asked = [cell[k] for ground, cell in cells.items() if not (ground == TILED[0] and name.endswith("rolls"))]
        made.append([name if k == 0 else "", what[k], *every, "met" if max(asked) < GOAL else "MISSED"])
    return made


def main(word: str = "") -> None:
    """Print the table."""
    rest = ("creep [m/s]", "energy made [J]")
    moves = ("aside / way", "hop [m]")
    cases: list[tuple[str, tuple[str, str], tuple[str, ...], Callable[[str], tuple[float, float]]]] = []
    cases += [(f"{n}, dropped", rest, GROUNDS, lambda g, s=s: drop(s, g)) for n, s in SHAPES.items()]
    cases += [(f"{n}, set down", rest, GROUNDS, lambda g, n=n: set_down(n, g)) for n in SET_DOWN]
    cases += [(f"{n} rolls", moves, TILED, lambda g, s=s: go(s, g, False)) for n, s in ROLLING.items()]
    cases += [(f"{n} slides", moves, TILED, lambda g, s=s: go(s, g, True)) for n, s in SLIDING.items()]
    rows: list[list[str]] = []
    for name, what, grounds, run in cases:
        if word in name:
            rows += rows_of(name, what, {ground: run(ground) for ground in grounds})
    table.show("at rest and on its way", ["shape", "", "half-space", "box", *TILED, f"goal {GOAL:.0e}"], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
