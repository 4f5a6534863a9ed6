"""Distances, closest points and casts of every two shapes beside scipy's optimisers: how far they differ at worst.

    python -m benchmarks.closest [poses] [word]         # a word that the pairs must have

At random poses, apart by up to their size; of surfaces the oracle solves every triangle.  Of each pair the median and
the worst: distances and points in metres, casts as shares of the way.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

from benchmarks import table
from benchmarks.convex_programs import closest, first_touch
from benchmarks.samples import Array
from rbdyn.collision import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
    distance,
    shape_cast,
)

GOAL = 1e-9
ENDLESS = (HalfSpace, HeightMap)


def lifted(z: float) -> Array:
    """A pose above the origin [m]."""
    X = np.eye(4)
    X[2, 3] = z
    return X


def shapes() -> dict[str, Shape]:
    """One of each kind; surfaces of few triangles."""
    rng = np.random.default_rng(3)
    corners = ConvexHull(rng.normal(size=(7, 3)) * 0.25)
    return {
        "half-space": HalfSpace(),
        "sphere": Sphere(0.3),
        "box": Box((0.6, 0.4, 0.2)),
        "capsule": Capsule(0.1, 0.5),
        "cylinder": Cylinder(0.25, 0.5),
        "cone": Cone(0.3, 0.6),
        "ellipsoid": Ellipsoid((0.1, 0.2, 0.4)),
        "hull": ConvexHull(rng.normal(size=(20, 3)) * 0.3),
        "mesh": Mesh(corners.hull.vertices, corners.hull.triangles),
        "height map": HeightMap(rng.uniform(-0.1, 0.1, (3, 3)), (1.2, 1.0)),
        "compound": Compound([Box((0.4, 0.4, 0.1)), (Cylinder(0.05, 0.4), lifted(0.25))]),
    }


def pose(rng: np.random.Generator, far: float, turned: bool = True) -> Array:
    """A random one, its place within a cube."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    X = np.eye(4)
    X[:3, :3] = q * np.sign(np.linalg.det(q)) if turned else np.eye(3)
    X[:3, 3] = rng.uniform(-far, far, 3)
    return X


def errors(a: Shape, b: Shape, poses: int, seed: int = 1) -> tuple[list[float], list[float], list[float]]:
    """Of distances [m], of points [m], and of casts (shares of the way): infinite where only one of them sees a hit."""
    rng, apart, points, casts = np.random.default_rng(seed), [], [], []
    flat = isinstance(b, ENDLESS)
    while len(apart) < poses:
        Y = pose(rng, 0.2, not flat)
        X = pose(rng, 0.2)
        out = rng.normal(size=3) if not flat else rng.normal(size=3) * 0.3 + (0.0, 0.0, 1.0)
        X[:3, 3] += Y[:3, 3] + rng.uniform(0.5, 1.5) * out / np.linalg.norm(out)
        if isinstance(b, HalfSpace):
            X[:3, 3] += Y[:3, 2] * max(0.0, 0.7 - Y[:3, 2] @ (X[:3, 3] - Y[:3, 3]))
        ours = distance(a, X, b, Y)
        if ours.distance <= 1e-4:
            continue
        theirs, on_a, on_b = closest(a, X, b, Y)
        apart.append(abs(ours.distance - theirs))
        points.append(float(max(np.linalg.norm(ours.on_a - on_a), np.linalg.norm(ours.on_b - on_b))))
        way = (1.3 * (on_b - on_a) if len(apart) % 2 else 0.5 * (Y[:3, 3] - X[:3, 3])) + 0.1 * rng.normal(size=3)
        way *= 2.0 - len(apart) % 2
        hit, touch = shape_cast(a, X, way, b, Y).fraction, first_touch(a, X, way, b, Y)
        if np.isfinite(hit) or np.isfinite(touch):
            casts.append(abs(float(hit) - touch))
    return apart, points, casts


def main(poses: str = "20", word: str = "") -> None:
    """Print the table."""
    every, rows, worst = shapes(), [], np.zeros(3)
    for name_b, name_a in itertools.combinations_with_replacement(every, 2):
        a, b = every[name_a], every[name_b]
        if isinstance(a, ENDLESS) and isinstance(b, ENDLESS):
            continue
        if word not in f"{name_b}, {name_a}":
            continue
        if isinstance(a, ENDLESS):
            a, b = b, a
        found = errors(a, b, int(poses))
        cells = [f"{np.median(e):.0e} {max(e):.0e}" if e else "-" for e in found]
        worst = np.maximum(worst, [max(e, default=0.0) for e in found])
        verdict = "met" if max(max(e, default=0.0) for e in found) < GOAL else "MISSED"
        rows.append([f"{name_b}, {name_a}", *cells, str(len(found[2])), verdict])
    rows.append(["all", *(f"{w:.0e}" for w in worst), "", ""])
    header = ["pair", "distance [m]", "points [m]", "cast", "hits", f"goal {GOAL:.0e}"]
    table.show(f"{poses} poses of each pair, beside scipy: median and worst difference", header, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
