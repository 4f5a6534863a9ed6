"""Distances, closest points, casts and rays beside oracles that share no code: how far they differ at worst.

    python -m benchmarks.closest [poses] [word]         # a word that the pairs must have

Three tables.  Distances, closest points and casts of every two shapes beside scipy's optimisers, at random poses, apart
by up to their size; of surfaces the oracle solves every triangle.  The same of pairs that are put together so that the
answer is known beforehand, fifty times as many.  Rays into every shape, where the answer is known, too, and into
surfaces beside all triangles.  Of each the median and the worst: distances and points in metres, casts as shares of
the way.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence

import numpy as np

from benchmarks import ray_answers, table
from benchmarks.convex_programs import closest, first_touch
from benchmarks.known_answers import meeting
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
RAY_GOAL = 1e-12
MORE = 50  # times as many poses where the answer is known
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


def known_errors(
    a: Shape, b: Shape, count: int, seed: int = 1, apart: tuple[float, float] = (1e-3, 1.0)
) -> list[list[float]]:
    """Of distances [m], points [m], normals, casts (shares of the way), and where these meet [m]: of convex shapes.

    Casts of two corners are left out, which have no normal; `apart` is between what the distances are [m].
    """
    rng = np.random.default_rng(seed)
    found: list[list[float]] = [[] for _ in range(5)]
    for _ in range(count):
        m = meeting(a, b, rng, apart)
        ours, hit = distance(a, m.X, b, m.Y), shape_cast(a, m.start, m.way, b, m.Y)
        found[0].append(abs(ours.distance - m.distance))
        found[1].append(float(max(np.linalg.norm(ours.on_a - m.on_a), np.linalg.norm(ours.on_b - m.on_b))))
        found[2].append(float(np.linalg.norm(ours.normal - m.normal)))
        if m.smooth:
            found[3].append(abs(float(hit.fraction) - m.share))
            found[4].append(float(np.linalg.norm(hit.position - m.on_b)) if np.isfinite(hit.fraction) else np.inf)
    return found


def pairs(word: str) -> list[tuple[str, Shape, Shape]]:
    """Every two of the shapes, the endless one last."""
    every, out = shapes(), []
    for name_b, name_a in itertools.combinations_with_replacement(every, 2):
        a, b = every[name_a], every[name_b]
        if (isinstance(a, ENDLESS) and isinstance(b, ENDLESS)) or word not in f"{name_b}, {name_a}":
            continue
        out.append((f"{name_b}, {name_a}", *((b, a) if isinstance(a, ENDLESS) else (a, b))))
    return out


def _row(name: str, found: Sequence[Sequence[float]], goal: float) -> list[str]:
    worst = [max(e, default=0.0) for e in found]
    cells = [f"{np.median(e):.0e} {top:.0e}" if len(e) else "-" for e, top in zip(found, worst, strict=True)]
    return [name, *cells, "met" if max(worst) < goal else "MISSED"]


def _all(found: list[list[Sequence[float]]], goal: float) -> list[str]:
    return _row("all", [np.concatenate([f[k] for f in found]) for k in range(len(found[0]))], goal)  # type: ignore[misc]


def main(poses: str = "20", word: str = "") -> None:
    """Print the tables."""
    goal = f"goal {GOAL:.0e}"
    every = {name: errors(a, b, int(poses)) for name, a, b in pairs(word)}
    rows = [_row(name, found, GOAL) for name, found in every.items()] + [_all(list(map(list, every.values())), GOAL)]
    header = ["pair", "distance [m]", "points [m]", "cast", goal]
    table.show(f"{poses} poses of each pair, beside scipy: median and worst difference", header, rows)

    count = MORE * int(poses)
    known = [pair for pair in pairs(word) if not {"height map", "compound"} & set(pair[0].split(", "))]
    put = {name: known_errors(a, b, count) for name, a, b in known}
    rows = [_row(name, found, GOAL) for name, found in put.items()] + [_all(list(map(list, put.values())), GOAL)]
    header = ["pair", "distance [m]", "points [m]", "normal", "cast", "where [m]", goal]
    table.show(f"{count} of each pair of convex shapes whose answer is known beforehand", header, rows)

    convex = {name: shape for name, shape in shapes().items() if name not in ("mesh", "height map", "compound")}
    found = {name: one for name, one in ray_answers.every(convex, count).items() if word in name}
    rows = []
    for name, one in found.items():
        first, *cells, verdict = _row(name, [one.distance, one.normal], RAY_GOAL)
        verdict = verdict if not one.unlike else "MISSED"
        rows.append([first, str(len(one.distance)), str(one.misses), str(one.unlike), *cells, verdict])
    header = ["rays into", "hits", "misses", "unlike alone", "distance [m]", "normal", f"goal {RAY_GOAL:.0e}"]
    table.show("rays whose answer is known, and all triangles", header, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
