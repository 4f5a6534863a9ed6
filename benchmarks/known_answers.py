"""Pairs of shapes that are put together so that their nearest points, and when they touch, are known beforehand.

A point and an outward normal are drawn on each of two convex shapes, and one is placed so that the normals are opposite
and the points a given distance apart: then they are the nearest ones, whatever the shapes.  A shape that is moved back
from where it touches comes there again.  Only the sizes of the shapes are shared with `rbdyn.collision`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchmarks.samples import Array
from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, Mesh, Shape, Sphere


@dataclass
class Spot:
    """Where a shape is met, in its frame.

    Parameters
    ----------
    point, normal : (3,) ndarray
        On the surface [m], and outward, unit.
    straight, curved : list of (3,) ndarray
        Directions in which the surface goes straight on, and round.
    """

    point: Array
    normal: Array
    straight: list[Array]
    curved: list[Array] = field(default_factory=list)


def _unit(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x))


def _across(m: Array) -> list[Array]:
    return list(np.linalg.svd(m[None])[2][1:])


def _around(rng: np.random.Generator) -> Array:
    t = rng.uniform(0.0, 2.0 * np.pi)
    return np.array([np.cos(t), np.sin(t), 0.0])


Z = np.array([0.0, 0.0, 1.0])


def spot(shape: Shape, rng: np.random.Generator) -> Spot:
    """A random one, of corners, edges, faces, rims and sides each often."""
    if isinstance(shape, HalfSpace):
        return Spot(np.zeros(3), Z, [np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])])
    if isinstance(shape, (Sphere, Ellipsoid)):
        radii = np.full(3, shape.radius) if isinstance(shape, Sphere) else np.array(shape.radii)
        m = _unit(rng.normal(size=3))
        return Spot(radii**2 * m / np.linalg.norm(radii * m), m, [], _across(m))
    if isinstance(shape, Capsule):
        h, m = 0.5 * shape.height, _unit(rng.normal(size=3))
        if rng.uniform() < 0.5:
            return Spot(shape.radius * m + np.copysign(h, m[2]) * Z, m, [], _across(m))
        m = _around(rng)
        return Spot(shape.radius * m + rng.uniform(-h, h) * Z, m, [Z], [np.cross(Z, m)])
    if isinstance(shape, Box):
        free = rng.permutation([True] * int(rng.integers(3)) + [False] * 3)[:3]
        m = _unit(np.where(free, 0.0, rng.normal(size=3))) if not free.all() else Z
        half = 0.5 * np.array(shape.size)
        return Spot(np.where(free, rng.uniform(-half, half), np.copysign(half, m)), m, list(np.eye(3)[free]))
    if isinstance(shape, Cylinder):
        return _of_cylinder(shape.radius, 0.5 * shape.height, rng)
    if isinstance(shape, Cone):
        return _of_cone(shape.radius, shape.height, rng)
    assert isinstance(shape, (ConvexHull, Mesh))
    return _of_polyhedron(np.asarray(shape.vertices), rng)


def _of_cylinder(r: float, h: float, rng: np.random.Generator) -> Spot:
    kind, u, m = rng.integers(3), _around(rng), _unit(rng.normal(size=3))
    if kind == 0:
        end = rng.choice([-1.0, 1.0])
        return Spot(r * np.sqrt(rng.uniform()) * u + h * end * Z, end * Z, [np.eye(3)[0], np.eye(3)[1]])
    if kind == 1:
        return Spot(r * u + rng.uniform(-h, h) * Z, u, [Z], [np.cross(Z, u)])
    out = _unit(m * (1.0, 1.0, 0.0))
    return Spot(r * out + np.copysign(h, m[2]) * Z, m, [], [np.cross(Z, out)])


def _of_cone(r: float, height: float, rng: np.random.Generator) -> Spot:
    kind, u, side = rng.integers(4), _around(rng), np.arctan2(r, height)
    apex, rim = 0.5 * height * Z, r * u - 0.5 * height * Z
    if kind == 0:
        return Spot(r * np.sqrt(rng.uniform()) * u - 0.5 * height * Z, -Z, [np.eye(3)[0], np.eye(3)[1]])
    if kind == 1:
        m, share = np.cos(side) * u + np.sin(side) * Z, rng.uniform()
        return Spot(apex + share * (rim - apex), m, [_unit(rim - apex)], [np.cross(Z, u)])
    if kind == 2:
        up = rng.uniform(side, 0.5 * np.pi)
        return Spot(apex, np.cos(up) * u + np.sin(up) * Z, [])
    up = rng.uniform(-0.5 * np.pi, side)
    return Spot(rim, np.cos(up) * u + np.sin(up) * Z, [], [np.cross(Z, u)])


def _of_polyhedron(vertices: Array, rng: np.random.Generator) -> Spot:
    """Corners where a random normal leads; of a face, and of an edge between two, a random point."""
    from scipy.spatial import ConvexHull as Hull

    kind, m = rng.integers(3), _unit(rng.normal(size=3))
    if kind == 0:
        return Spot(vertices[np.argmax(vertices @ m)], m, [])
    hull = Hull(vertices)
    face = int(rng.integers(len(hull.simplices)))
    a, b, c = (vertices[k] for k in hull.simplices[face])
    m = _unit(np.cross(b - a, c - a))
    m *= np.sign(m @ hull.equations[face, :3])
    if kind == 1:
        p, q = sorted(rng.uniform(size=2))
        along = _unit(b - a)
        return Spot(p * a + (q - p) * b + (1.0 - q) * c, m, [along, np.cross(m, along)])
    other = hull.neighbors[face, 2]  # across from the third corner
    p, q, r = (vertices[k] for k in hull.simplices[other])
    n = _unit(np.cross(q - p, r - p))
    n *= np.sign(n @ hull.equations[other, :3])
    s, t = rng.uniform(size=2)
    return Spot(s * a + (1.0 - s) * b, _unit(t * m + (1.0 - t) * n), [_unit(b - a)])


@dataclass
class Meeting:
    """Two shapes with what is nearest of them, world.

    Parameters
    ----------
    X, Y : (4, 4) ndarray
        Their poses.
    distance : float
        [m]
    on_a, on_b, normal : (3,) ndarray
        The nearest points [m]; the normal leads from b to a.
    way : (3,) ndarray
        Along it a meets b [m] ...
    share : float
        ... after this share ...
    start : (4, 4) ndarray
        ... from here, at the point `on_b`.
    smooth : bool
        Whether they have one normal there.
    """

    X: Array
    Y: Array
    distance: float
    on_a: Array
    on_b: Array
    normal: Array
    way: Array
    share: float
    start: Array
    smooth: bool


def turn(rng: np.random.Generator) -> Array:
    """A random rotation."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def _facing(m: Array, n: Array, rng: np.random.Generator) -> Array:
    """A random rotation that leads m to n."""
    u, v = np.linalg.svd(m[None])[2], np.linalg.svd(n[None])[2]
    u[0], v[0] = m, n
    t = rng.uniform(0.0, 2.0 * np.pi)
    v[1], v[2] = np.cos(t) * v[1] + np.sin(t) * v[2], np.cos(t) * v[2] - np.sin(t) * v[1]
    u[2] *= np.sign(np.linalg.det(u))
    v[2] *= np.sign(np.linalg.det(v))
    return np.asarray(v.T @ u)


def _alone(a: Spot, b: Spot, R: Array, S: Array) -> bool:
    """Whether the points are the only nearest ones: no direction is straight on both."""
    straight = np.array([R @ e for e in a.straight] + [S @ e for e in b.straight]).reshape(-1, 3)
    return len(straight) == 0 or (len(straight) <= 2 and bool(np.linalg.svd(straight)[1].min() > 0.1))


def _touch_smoothly(a: Spot, b: Spot, R: Array, S: Array) -> bool:
    """Whether there is one normal where they touch: unlike that of two corners."""
    every = np.array([R @ e for e in a.straight + a.curved] + [S @ e for e in b.straight + b.curved]).reshape(-1, 3)
    return len(every) > 1 and bool(np.linalg.svd(every)[1][1] > 0.1)


def meeting(a: Shape, b: Shape, rng: np.random.Generator, apart: tuple[float, float] = (1e-3, 1.0)) -> Meeting:
    """A random one, whose distance [m] has a logarithm that is spread evenly, and whose points are the only ones."""
    while True:
        one, other = spot(a, rng), spot(b, rng)
        S = turn(rng)
        R = _facing(one.normal, -S @ other.normal, rng)
        if _alone(one, other, R, S):
            break
    n, far = S @ other.normal, float(np.exp(rng.uniform(*np.log(apart))))
    X, Y = np.eye(4), np.eye(4)
    X[:3, :3], Y[:3, :3] = R, S
    Y[:3, 3] = rng.uniform(-1.0, 1.0, 3)
    on_b = Y[:3, 3] + S @ other.point
    X[:3, 3] = on_b - R @ one.point
    way = -n + rng.uniform(-1.0, 1.0) * _unit(np.cross(n, rng.normal(size=3)))
    way *= rng.uniform(0.3, 2.0)
    share, start = float(rng.uniform(0.1, 0.9)), X.copy()
    start[:3, 3] -= share * way
    X[:3, 3] += far * n
    return Meeting(X, Y, far, on_b + far * n, on_b, n, way, share, start, _touch_smoothly(one, other, R, S))
