"""A hundred bodies of all shapes dropped on each of six grounds: does any fall through, does any step make energy?

    python -m benchmarks.throws [bodies] [seconds]

`below` is how far the middle of a body has been under the ground at worst, `gain` the energy of all bodies together
beyond what they had at the start, at worst, as a share of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks.samples import Array
from rbdyn.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
    distance,
)

DT = 2e-3
HULL = ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.07)
SHAPES: tuple[Shape, ...] = (
    Sphere(0.1),
    Box((0.25, 0.2, 0.1)),
    Capsule(0.05, 0.2),
    Cylinder(0.1, 0.15),
    Cone(0.1, 0.2),
    Ellipsoid((0.08, 0.1, 0.15)),
    HULL,
    Mesh(HULL.hull.vertices, HULL.hull.triangles),
)


def grid(x: Array, y: Array, z: Array, close: tuple[bool, bool] = (False, False)) -> Mesh:
    """Triangles over a grid of points (n, m), joined at its ends where `close` says so."""
    n, m = x.shape
    at = np.arange(n * m).reshape(n, m)
    if close[0]:
        at = np.vstack([at, at[:1]])
    if close[1]:
        at = np.hstack([at, at[:, :1]])
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    return Mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), np.concatenate([np.c_[a, b, c], np.c_[a, c, d]]))


def valley() -> Mesh:
    """Two slopes of 45 degrees, a triangle pair each."""
    x = np.array([[-4.0, -4.0], [0.0, 0.0], [4.0, 4.0]])
    return grid(x, np.array([[-4.0, 4.0]] * 3), np.abs(x))


def bowl() -> Mesh:
    """A paraboloid."""
    r, a = np.meshgrid(np.linspace(0, 3, 40), np.linspace(0, 2 * np.pi, 65)[:-1], indexing="ij")
    return grid(r * np.cos(a), r * np.sin(a), 0.35 * r * r, (False, True))


def torus() -> Mesh:
    """It lies on the ground; bodies fall into its hole and beside it."""
    u, v = np.meshgrid(*[2 * np.pi * np.arange(n) / n for n in (96, 48)], indexing="ij")
    r = 1.0 + 0.4 * np.cos(v)
    found = grid(r * np.cos(u), r * np.sin(u), 0.4 * np.sin(v) + 0.4, (True, True))
    return Mesh(found.vertices, found.faces[:, ::-1])


def staircase() -> Mesh:
    """Twelve steps of 0.3 by 0.15 m."""
    outline = np.array([(0.3 * ((k + 1) // 2), 0.15 * (k // 2)) for k in range(26)]) - (1.8, 0.0)
    x = np.repeat(outline[:, :1], 2, axis=1)
    return grid(x, np.tile([-3.0, 3.0], (26, 1)), np.repeat(outline[:, 1:], 2, axis=1))


def lumps() -> Mesh:
    """A closed, lumpy body of 70,000 triangles, by a formula."""
    n, m = 188, 187
    u = 2 * np.pi * np.arange(n) / n
    v = np.pi * (np.arange(m) + 0.5) / m
    U, V = np.meshgrid(u, v, indexing="ij")
    r = 1.2 + 0.15 * np.sin(3 * U) * np.sin(V) ** 3 + 0.1 * np.cos(7 * V)
    r += 0.06 * np.sin(9 * U + 5 * V) * np.sin(V) ** 9
    side = grid(r * np.sin(V) * np.cos(U), r * np.sin(V) * np.sin(U), r * np.cos(V), (True, False))
    at = np.arange(n * m).reshape(n, m)
    caps = [(at[0, 0], at[k, 0], at[k + 1, 0]) for k in range(1, n - 1)]
    caps += [(at[0, -1], at[k + 1, -1], at[k, -1]) for k in range(1, n - 1)]
    faces = np.concatenate([side.faces, np.array(caps)])
    volume = np.einsum("ij,ij->", side.vertices[faces[:, 0]],
                       np.cross(side.vertices[faces[:, 1]], side.vertices[faces[:, 2]]))  # fmt: skip
    return Mesh(side.vertices, faces if volume > 0 else faces[:, ::-1])


def hills() -> HeightMap:
    """Fractal terrain."""
    return HeightMap.fractal((161, 161), (8.0, 8.0), z_scale=0.7, frequency=0.4, octaves=6, seed=5)


GROUNDS: dict[str, Callable[[], Mesh | HeightMap]] = {
    "valley": valley,
    "bowl": bowl,
    "torus": torus,
    "staircase": staircase,
    "lumps": lumps,
    "hills": hills,
}


def throw(ground: Mesh | HeightMap, bodies: int, seconds: float, seed: int = 0) -> tuple[float, float, float, float]:
    """Drop bodies; below [m], gain, speed of the fastest at the end [m/s], and processor time [s]."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(DT)
    if isinstance(ground, HeightMap):
        world.add_height_map(ground)
    else:
        world.add_mesh(ground, body_type="static")
    closed = isinstance(ground, Mesh) and _closed(ground)
    if closed:
        world.add_ground(float(ground.bounding_box()[0][2]))
    things = []
    for k in range(bodies):
        shape = SHAPES[k % len(SHAPES)]
        c = shape.centroid
        inertia = shape.inertia(1.0) - (c @ c * np.eye(3) - np.outer(c, c))
        geometry = rbdyn.Geometry(shape, rbdyn.Transform(translation=-c))
        body = world.add_single_body([geometry], 1.0, 0.5 * (inertia + inertia.T))
        top = float(ground.bounding_box()[1][2])
        quaternion = rng.normal(size=4)
        body.set_pose((*rng.uniform(-1.0, 1.0, 2), top + 0.3 + 0.03 * k), quaternion / np.linalg.norm(quaternion))
        body.set_velocity(angular=rng.normal(size=3) * 3.0)
        things.append(body)
    base = float(ground.bounding_box()[0][2])

    def energy() -> float:
        return sum(b.kinetic_energy + b.potential_energy - b.mass * 9.81 * base for b in things)

    first = energy()
    worst, below = 0.0, 0.0
    spent = 0.0
    for _ in range(round(seconds / DT / 10)):
        start = time.process_time()
        world.step(10)
        spent += time.process_time() - start
        worst = max(worst, energy() / first - 1.0)
        below = max(below, _deepest(ground, closed, base, things))
    fastest = max(float(np.linalg.norm(b.linear_velocity)) for b in things)
    return below, worst, fastest, spent


def _closed(mesh: Mesh) -> bool:
    try:
        return mesh.volume > 0.0
    except rbdyn.errors.CollisionError:
        return False


def _deepest(ground: Mesh | HeightMap, closed: bool, base: float, things: list[rbdyn.SingleBody]) -> float:
    """How far the middle of any is beyond the surface [m]."""
    places = np.array([b.position for b in things])
    if isinstance(ground, HeightMap):
        inside = (np.abs(places[:, :2]) < 0.5 * np.array(ground.size)).all(axis=1)
        return float(max(0.0, (ground.height(*places[inside, :2].T) - places[inside, 2]).max(initial=0.0)))
    if closed:
        low = float(max(0.0, base - places[:, 2].min()))
        within = ground.contains(places[np.linalg.norm(places, axis=1) < 3.0]) if len(places) else np.zeros(0, bool)
        if not within.any():
            return low
        deep = places[np.linalg.norm(places, axis=1) < 3.0][within]
        poses = np.tile(np.eye(4), (len(deep), 1, 1))
        poses[:, :3, 3] = deep
        return max(low, float((distance(Sphere(1e-6), poses, ground, np.eye(4)).distance + 1e-6).max()))
    X = ground.bounding_box()
    over = ((places[:, :2] > X[0][:2]) & (places[:, :2] < X[1][:2])).all(axis=1)
    return float(max(0.0, (_height(ground, places[over]) - places[over, 2]).max(initial=0.0)))


def _height(mesh: Mesh, places: Array) -> Array:
    """Of an open sheet that is over each place once: by rays from above."""
    if len(places) == 0:
        return np.zeros(0)
    world = rbdyn.World()
    world.add_mesh(mesh, body_type="static")
    origins = places.copy()
    origins[:, 2] = 100.0
    hits = world.ray_test_batch(origins, np.tile([0.0, 0.0, -1.0], (len(places), 1)), 1000.0)
    return np.asarray(np.where(np.isfinite(hits.distance), 100.0 - hits.distance, -np.inf))


def main(bodies: str = "100", seconds: str = "6") -> None:
    """Print the table."""
    print(f"{bodies} bodies, {seconds} s")
    print(f"{'ground':10s} {'triangles':>9s} {'below [m]':>10s} {'gain':>9s} {'fastest [m/s]':>13s} {'ms a step':>9s}")
    for name, make in GROUNDS.items():
        ground = make()
        below, gain, fastest, spent = throw(ground, int(bodies), float(seconds))
        steps = float(seconds) / DT
        count = len(ground.triangles()[1])
        print(f"{name:10s} {count:9d} {below:10.1e} {gain:9.1e} {fastest:13.1e} {1e3 * spent / steps:9.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
