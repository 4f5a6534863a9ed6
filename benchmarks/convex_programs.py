"""Distances, closest points, shares of a way, and least pushes by scipy's optimisers, from the shapes' definitions.

Each convex shape is the set of points that a few variables reach under inequalities, so that two shapes are a convex
program (of cones: several, of which the best counts), solved by sequential quadratic programming.  Surfaces are all
their triangles, one by one.  Nothing here is shared with `rbdyn.collision` but the sizes of the shapes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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
)

FREE = (None, None)
UNIT = (0.0, 1.0)
SURE = 1e-11  # by how much a point may be outside, as a share of its size


@dataclass
class PointSet:
    """Points `place(v)` of the variables v within bounds, where every `inside(v)` is at least 0.

    Parameters
    ----------
    starts : list of (k,) ndarray
        Variables to begin with.
    bounds : list of (low, high)
        Of the variables.
    place : callable
        v -> point (3,) in the shape's frame [m], and its derivative (3, k).
    inside : callable
        v -> values (c,), and their derivatives (c, k).
    """

    starts: list[Array]
    bounds: list[tuple[float | None, float | None]]
    place: Callable[[Array], tuple[Array, Array]]
    inside: Callable[[Array], tuple[Array, Array]]


def _itself(v: Array) -> tuple[Array, Array]:
    return v[:3], np.eye(3, len(v))


def _anything(v: Array) -> tuple[Array, Array]:
    return np.zeros(0), np.zeros((0, len(v)))


def sets_of(shape: Shape) -> list[tuple[PointSet, Array]]:
    """The convex sets of which a shape is the union, and their poses in its frame."""
    if isinstance(shape, Compound):
        return [(part, pose @ inner) for child, pose in shape.parts for part, inner in sets_of(child)]
    if isinstance(shape, (Mesh, HeightMap)):
        vertices, faces = shape.triangles()
        return [(_triangle(vertices[face]), np.eye(4)) for face in faces]
    if isinstance(shape, Cone):
        return [(one, np.eye(4)) for one in _cones(shape.radius, shape.height)]
    return [(_set_of(shape), np.eye(4))]


def _cones(r: float, height: float) -> list[PointSet]:
    """The same cone twice: as an inequality, which has no slope at the apex, and as all ways from the apex."""
    slope = r / height

    def below(v: Array) -> tuple[Array, Array]:
        far = max(float(np.hypot(v[0], v[1])), 1e-300)
        return np.array([slope * (0.5 * height - v[2]) - far]), -np.array([[v[0] / far, v[1] / far, slope]])

    def place(v: Array) -> tuple[Array, Array]:
        x, y, s = v
        point = np.array([r * s * x, r * s * y, height * (0.5 - s)])
        return point, np.array([[r * s, 0.0, r * x], [0.0, r * s, r * y], [0.0, 0.0, -height]])

    def disc(v: Array) -> tuple[Array, Array]:
        return np.array([1.0 - v[:2] @ v[:2]]), -2.0 * np.array([[v[0], v[1], 0.0]])

    start = np.array([0.2 * r, 0.1 * r, -0.25 * height])
    around = [np.array([0.5 * np.cos(t), 0.5 * np.sin(t), 0.5]) for t in np.arange(3) * 2.0 * np.pi / 3.0]
    return [
        PointSet([start], [FREE, FREE, (-0.5 * height, 0.5 * height)], _itself, below),
        PointSet(around, [FREE, FREE, UNIT], place, disc),
    ]


def _triangle(corners: Array) -> PointSet:
    sides = np.stack([corners[1] - corners[0], corners[2] - corners[0]], axis=1)
    return PointSet(
        [np.full(2, 1.0 / 3.0)],
        [UNIT, UNIT],
        lambda v: (corners[0] + sides @ v, sides),
        lambda v: (np.array([1.0 - v.sum()]), np.array([[-1.0, -1.0]])),
    )


def _set_of(shape: Shape) -> PointSet:
    zero = [np.zeros(3)]
    if isinstance(shape, HalfSpace):
        return PointSet(zero, [FREE, FREE, (None, 0.0)], _itself, _anything)
    if isinstance(shape, Box):
        return PointSet(zero, [(-0.5 * s, 0.5 * s) for s in shape.size], _itself, _anything)
    if isinstance(shape, (Sphere, Ellipsoid)):
        radii = np.full(3, shape.radius) if isinstance(shape, Sphere) else np.array(shape.radii)
        weight = radii**-2.0
        return PointSet(
            zero, [FREE] * 3, _itself, lambda v: (np.array([1.0 - weight @ v**2]), -2.0 * (weight * v)[None])
        )
    if isinstance(shape, Capsule):  # the last is the coordinate of a point of its axis
        h, scale = 0.5 * shape.height, shape.radius**-2.0

        def within(v: Array) -> tuple[Array, Array]:
            d = v[:3] - (0.0, 0.0, v[3])
            return np.array([1.0 - scale * (d @ d)]), -2.0 * scale * np.array([[*d, -d[2]]])

        return PointSet([np.zeros(4)], [FREE, FREE, FREE, (-h, h)], _itself, within)
    if isinstance(shape, Cylinder):
        h, scale = 0.5 * shape.height, shape.radius**-2.0
        return PointSet(
            zero,
            [FREE, FREE, (-h, h)],
            _itself,
            lambda v: (np.array([1.0 - scale * (v[:2] @ v[:2])]), -2.0 * scale * np.array([[v[0], v[1], 0.0]])),
        )
    assert isinstance(shape, ConvexHull)
    from scipy.spatial import ConvexHull as Hull

    planes = np.unique(Hull(shape.vertices).equations.round(14), axis=0)
    return PointSet(
        [shape.vertices.mean(axis=0)],
        [FREE] * 3,
        _itself,
        lambda v: (-planes[:, 3] - planes[:, :3] @ v, -planes[:, :3]),
    )


# ---- the programs ----------------------------------------------------------------------------


def _solve(fun: Any, jac: Any, start: Array, bounds: Any, constraints: list[dict[str, Any]]) -> tuple[Array, float]:
    """The best variables, and by how much Lagrange's equations miss: SLSQP, and Newton's method from where it ends."""
    from scipy.optimize import minimize

    options = {"ftol": 1e-16, "maxiter": 300}
    v = start
    for _ in range(2):
        v = minimize(fun, v, jac=jac, bounds=bounds, constraints=constraints, method="SLSQP", options=options).x
    return _polished(jac, v, bounds, constraints)


def _active(v: Array, bounds: Any, constraints: list[dict[str, Any]]) -> Callable[[Array], tuple[Array, Array]]:
    """What holds with equality at v: a function of the variables to values, and derivatives by rows."""
    known = []
    for c in constraints:
        on = np.abs(np.atleast_1d(c["fun"](v))) < 1e-6 if c["type"] == "ineq" else np.ones(len(c["fun"](v)), bool)
        known.append((c, on))
    at = [(k, end) for k, ends in enumerate(bounds) for end in ends if end is not None and abs(v[k] - end) < 1e-6]

    def active(v: Array) -> tuple[Array, Array]:
        values = [c["fun"](v)[on] for c, on in known] + [np.array([v[k] - end]) for k, end in at]
        rows = [c["jac"](v)[on] for c, on in known] + [np.eye(len(v))[k : k + 1] for k, _ in at]
        return np.concatenate([np.zeros(0), *values]), np.concatenate([np.zeros((0, len(v))), *rows])

    return active


def _polished(jac: Any, v: Array, bounds: Any, constraints: list[dict[str, Any]]) -> tuple[Array, float]:
    """Newton's method on Lagrange's equations, with what is active at v held; v, if that leads nowhere."""
    active = _active(v, bounds, constraints)
    k = len(v)
    z = np.concatenate([v, np.linalg.lstsq(active(v)[1].T, jac(v), rcond=None)[0]])

    def equations(z: Array) -> Array:
        values, rows = active(z[:k])
        return np.concatenate([jac(z[:k]) - rows.T @ z[k:], values])

    first = last = np.abs(equations(z)).max()
    for _ in range(6):
        e = 1e-6
        slopes = np.stack([(equations(z + e * d) - equations(z - e * d)) / (2 * e) for d in np.eye(len(z))], axis=1)
        step = z - np.linalg.lstsq(slopes, equations(z), rcond=1e-9)[0]
        size = np.abs(equations(step)).max()
        if not size < last:
            break
        z, last = step, size
    off = max((max(low - x, x - high) for x, (low, high) in zip(z[:k], _ends(bounds), strict=True)), default=0.0)
    good = last <= first and max(off, _violation(constraints, z[:k])) < 1e-11 and np.abs(z[:k] - v).max() < 1e-4
    return (z[:k], last) if good else (v, first)


def _ends(bounds: Any) -> list[tuple[float, float]]:
    return [(-np.inf if low is None else low, np.inf if high is None else high) for low, high in bounds]


def _violation(constraints: list[dict[str, Any]], v: Array) -> float:
    off = 0.0
    for c in constraints:
        value = np.atleast_1d(c["fun"](v))
        if value.size:
            off = max(off, float(np.abs(value).max() if c["type"] == "eq" else (-value).max()))
    return off


def _inequalities(a: PointSet, b: PointSet, more: int = 0) -> list[dict[str, Any]]:
    """Of the variables of a, then those of b, then `more`."""
    k, m = len(a.bounds), len(b.bounds)

    def fun(v: Array) -> Array:
        return np.concatenate([a.inside(v[:k])[0], b.inside(v[k : k + m])[0]])

    def jac(v: Array) -> Array:
        in_a, in_b = a.inside(v[:k])[1], b.inside(v[k : k + m])[1]
        rows = np.zeros((len(in_a) + len(in_b), k + m + more))
        rows[: len(in_a), :k], rows[len(in_a) :, k : k + m] = in_a, in_b
        return rows

    if fun(np.concatenate([a.starts[0], b.starts[0], np.zeros(more)])).size == 0:
        return []
    return [{"type": "ineq", "fun": fun, "jac": jac}]


def closest(a: Shape, X: Array, b: Shape, Y: Array) -> tuple[float, Array, Array]:
    """Distance of two shapes that are apart [m], and the closest point of each, world [m]."""
    found = []
    for set_a, at_a in sets_of(a):
        for set_b, at_b in sets_of(b):
            U, V, k = X @ at_a, Y @ at_b, len(set_a.bounds)

            def both(v: Array, A: Any = set_a, B: Any = set_b, U: Array = U, V: Array = V, k: int = k) -> Any:
                (x, dx), (y, dy) = A.place(v[:k]), B.place(v[k:])
                x, y = U[:3, :3] @ x + U[:3, 3], V[:3, :3] @ y + V[:3, 3]
                return x, y, np.concatenate([U[:3, :3] @ dx, -V[:3, :3] @ dy], axis=1)

            def fun(v: Array, both: Any = both) -> float:
                x, y, _ = both(v)
                return float((x - y) @ (x - y))

            def jac(v: Array, both: Any = both) -> Array:
                x, y, d = both(v)
                return np.asarray(2.0 * (x - y) @ d)

            for start_a in set_a.starts:
                for start_b in set_b.starts:
                    start = np.concatenate([start_a, start_b])
                    inequalities = _inequalities(set_a, set_b)
                    v, missed = _solve(fun, jac, start, [*set_a.bounds, *set_b.bounds], inequalities)
                    x, y, _ = both(v)
                    if _violation(inequalities, v) < SURE:
                        found.append((float(np.linalg.norm(x - y)), missed, x, y))
    least = min(one[0] for one in found)
    best = min((one for one in found if one[0] < least + SURE), key=lambda one: one[1])  # of equals the surest
    return best[0], best[2], best[3]


def first_touch(a: Shape, X: Array, way: Array, b: Shape, Y: Array) -> float:
    """The least share of the way after which a point of a is one of b; infinite if there is none."""
    best = np.inf
    for set_a, at_a in sets_of(a):
        for set_b, at_b in sets_of(b):
            U, V, k = X @ at_a, Y @ at_b, len(set_a.bounds)

            def apart(
                v: Array, A: PointSet = set_a, B: PointSet = set_b, U: Array = U, V: Array = V, k: int = k
            ) -> Any:
                (x, dx), (y, dy) = A.place(v[:k]), B.place(v[k:-1])
                off = U[:3, :3] @ x + U[:3, 3] + v[-1] * way - V[:3, :3] @ y - V[:3, 3]
                return off, np.concatenate([U[:3, :3] @ dx, -V[:3, :3] @ dy, way[:, None]], axis=1)

            meet = {"type": "eq", "fun": lambda v, f=apart: f(v)[0], "jac": lambda v, f=apart: f(v)[1]}
            constraints = [meet, *_inequalities(set_a, set_b, 1)]
            last = np.eye(k + len(set_b.bounds) + 1)[-1]
            bounds = [*set_a.bounds, *set_b.bounds, UNIT]
            for start_a, start_b, share in itertools.product(set_a.starts, set_b.starts, (0.5, 0.05)):
                start = np.concatenate([start_a, start_b, [share]])
                v, _ = _solve(lambda v: float(v[-1]), lambda v, g=last: g, start, bounds, constraints)
                if _violation(constraints, v) < SURE:
                    best = min(best, float(v[-1]))
    return best
