"""Pairs of shapes of very different sizes: how far distances, casts, rays and contacts are from exact answers.

    python -m benchmarks.sizes [poses]

A small shape stands on the flat top, or on the apex, of a large one, which is one unit or as many small units large.
The gap, the way of a cast and the depth of a contact are known by construction.  Errors are shares of the small shape's
size.  Each row is a ratio of both sizes.  The columns are the worst errors of all pairs of kinds; a missed answer is
inf.  Spheres among small shapes have a table of their own: they are what particles and feet are made of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
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
    NativeBackend,
    Shape,
    Sphere,
    distance,
    shape_cast,
)
from rbdyn.spatial.rotations import matrix_from_quat

RATIOS = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9)
GAP, DEPTH = 0.3, 0.1  # of the small shape's size
CUBE, FACES = Box((1.0, 1.0, 1.0)).triangles()


def mesh(size: float) -> Mesh:
    """A cube of triangles."""
    return Mesh(size * CUBE, FACES)


# Of each kind one whose top is at z = size / 2, above the origin.
LARGE: dict[str, Callable[[float], Shape]] = {
    "box": lambda s: Box((s, s, s)),
    "hull": lambda s: ConvexHull(s * CUBE),
    "cylinder": lambda s: Cylinder(s / 2, s),
    "mesh": mesh,
    "height map": lambda s: HeightMap(np.full((5, 5), s / 2), size=(s, s)),
    "sphere": lambda s: Sphere(s / 2),
    "capsule": lambda s: Capsule(s / 4, s / 2),
    "ellipsoid": lambda s: Ellipsoid((s / 2, s / 2, s / 2)),
}
FLAT = ("box", "hull", "cylinder", "mesh", "height map")
OTHERS: dict[str, Callable[[float], Shape]] = {k: LARGE[k] for k in LARGE if k not in ("height map", "sphere")}
OTHERS["cone"] = lambda s: Cone(s / 2, s)
SPHERES: dict[str, Callable[[float], Shape]] = {"sphere": LARGE["sphere"]}


def seat(rotation: Array, at: Array) -> Array:
    """A pose, (4, 4)."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation, at
    return X


def errors(large: Shape, small: Shape, size: float, s: float, aside: Array, R: Array) -> tuple[float, ...]:
    """Worst errors of a distance, a cast and a contact, as shares of s [m]."""
    place = seat(R, np.zeros(3))
    apart = seat(R, R @ [*aside, size / 2 + s / 2 + GAP * s])
    gap = abs(float(distance(large, place, small, apart).distance) - GAP * s)
    hit = shape_cast(small, apart, -2.0 * GAP * s * R[:, 2], large, place)
    way = abs(float(hit.fraction) * 2.0 - 1.0) * GAP * s
    backend = NativeBackend()
    backend.add_shape(large, 0)
    backend.add_shape(small, 1)
    found = backend.query(np.stack([place, seat(R, R @ [*aside, size / 2 + s / 2 - DEPTH * s])]))
    depth = abs(found["depth"].max() - DEPTH * s) if len(found) else np.inf
    return tuple(x / s if np.isfinite(x) else np.inf for x in (gap, way, depth))


def ray_error(small: Shape, s: float, far: float, rng: np.random.Generator) -> float:
    """Error of a ray that starts `far` [m] away and ends at the top of a small shape, as a share of s."""
    world = rbdyn.World()
    world.add_single_body([rbdyn.Geometry(small)], 0.0, np.zeros((3, 3)), "static")
    d = np.array([*(0.2 * rng.normal(size=2)), -1.0])
    d /= np.linalg.norm(d)
    hit = world.ray_test((0.0, 0.0, s / 2) - far * d, d, length=2.0 * far)
    return np.inf if hit is None else float(abs(hit.distance - far) / s)


def worst(kinds: dict[str, Callable[[float], Shape]], ratio: float, poses: int) -> tuple[Array, list[str]]:
    """The largest errors of a distance, a cast, a contact and a ray, and which pair had each of the first three."""
    rng = np.random.default_rng(2)
    most, which = np.zeros(4), ["-"] * 3
    for k in range(poses):
        size = (1.0, ratio)[k % 2]
        s = size / ratio
        q = rng.normal(size=4)
        R = matrix_from_quat(q / np.linalg.norm(q)) if k > 1 else np.eye(3)
        for name, make in kinds.items():
            for other, large in LARGE.items():
                aside = rng.uniform(-0.3, 0.3, 2) * size if other in FLAT else np.zeros(2)
                for j, error in enumerate(errors(large(size), make(s), size, s, aside, R)):
                    if error > most[j]:
                        most[j], which[j] = error, f"{name} on {other}"
            if name != "cone":
                most[3] = max(most[3], ray_error(make(s), s, size, rng))
    return most, which


def main(argv: list[str]) -> None:
    """Print both tables."""
    poses = int(argv[0]) if argv else 6
    for title, kinds in (("Small spheres", SPHERES), ("Other small shapes", OTHERS)):
        rows = []
        for ratio in RATIOS:
            most, which = worst(kinds, ratio, poses)
            rows.append([f"{ratio:.0e}", *(f"{x:.0e}" for x in most), which[2]])
        table.show(f"{title}: errors as shares of their size",
                   ["ratio of sizes", "distance", "cast", "contact", "ray", "worst contact"], rows)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
