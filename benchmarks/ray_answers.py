"""Rays whose answers are known: where they enter every shape, by construction, and by all triangles one by one.

Into a convex shape a ray is aimed at an inner point, through one of its surface: before that it is outside, so that it
enters there.  Others run within a plane 1e-9 m beside it.  Of a mesh and a height map every triangle is solved, in
numbers of 64 bits after the point (where the platform has them).  Only sizes of shapes are shared with `rbdyn`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import rbdyn
from benchmarks.known_answers import spot, turn
from benchmarks.samples import Array
from rbdyn.collision import (
    Box,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    SupportShape,
)

FINE = np.longdouble


@dataclass
class Compared:
    """What rays into one shape differ by.

    Parameters
    ----------
    distance : list of float
        [m]; infinite where only one of both sees a hit.
    normal : list of float
        Where there is one normal.
    misses : int
        Rays that both let pass.
    unlike : int
        Rays of a batch that see something else alone.
    """

    distance: list[float] = field(default_factory=list)
    normal: list[float] = field(default_factory=list)
    misses: int = 0
    unlike: int = 0


def lens(direction: Array) -> Array:
    """The support function of an ellipsoid with the semi-axes .3, .2 and .1 m."""
    r = np.array([0.3, 0.2, 0.1])
    return np.asarray(r * r * direction / np.linalg.norm(r * direction))


def surfaces() -> dict[str, Shape]:
    """What rays are compared for triangle by triangle: closed and one-sided, in a tree and in a grid."""
    rng = np.random.default_rng(7)
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 41)[:-1], np.linspace(0.0, 2.0 * np.pi, 31)[:-1], indexing="ij")
    out = 0.5 + (0.2 + 0.03 * np.sin(5 * u)) * np.cos(v)
    torus = np.stack([out * np.cos(u), out * np.sin(u), 0.2 * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(40), np.arange(30), indexing="ij"))
    a, b, c, d = (30 * ((i + x) % 40) + (j + y) % 30 for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    rough = np.cumsum(rng.normal(size=(24, 31)) * 0.02, axis=1)
    return {
        "mesh, two-sided": Mesh(torus, faces, one_sided=False),
        "mesh, closed": Mesh(torus, faces),
        "height map": HeightMap(rough, (2.0, 1.3)),
    }


def placed(shape: Shape, rng: np.random.Generator) -> tuple[rbdyn.World, Array, Array]:
    """A World with one shape in it, its rotation and position."""
    world = rbdyn.World()
    parts = rbdyn.Geometry.parts_of(shape) if isinstance(shape, Compound) else [rbdyn.Geometry(shape)]
    body = world.add_single_body(parts, 0.0, np.zeros((3, 3)), "static")
    q = rng.normal(size=4)
    body.set_pose(rng.uniform(-0.5, 0.5, 3), q / np.linalg.norm(q))
    return world, np.array(body.rotation), np.array(body.position)


def _compare(world: rbdyn.World, o: Array, d: Array, known: Array, normals: Array, out: Compared) -> Compared:
    """Rays in the world; normals that are not numbers are not compared."""
    hits = world.ray_test_batch(o, d, 10.0)
    seen = np.isfinite(known)
    with np.errstate(invalid="ignore"):
        off = np.where(seen | np.isfinite(hits.distance), np.abs(hits.distance - known), 0.0)
    out.distance += [float(x) for x in off[seen | np.isfinite(hits.distance)]]
    one = seen & np.isfinite(normals).all(axis=1) & np.isfinite(hits.distance)
    out.normal += [float(x) for x in np.linalg.norm((hits.normal - normals)[one], axis=1)]
    out.misses += int((~seen).sum())
    for k in range(0, len(o), 7):
        alone = world.ray_test(o[k], d[k], 10.0)
        out.unlike += (np.inf if alone is None else alone.distance) != hits.distance[k]
    return out


def into_convex(shape: Shape, count: int, seed: int = 3, twin: Shape | None = None) -> Compared:
    """Rays at points of a convex shape, and past it; `twin` says where these are, if the shape cannot."""
    rng = np.random.default_rng(seed)
    world, R, p = placed(shape, rng)
    o, d = np.zeros((2 * count, 3)), np.zeros((2 * count, 3))
    inner = np.array([0.0, 0.0, -0.5]) if isinstance(shape, HalfSpace) else np.zeros(3)
    if isinstance(shape, ConvexHull):
        inner = shape.vertices.mean(axis=0)
    known, normals = np.full(2 * count, np.inf), np.full((2 * count, 3), np.nan)
    for k in range(count):
        at = spot(twin or shape, rng)
        way = inner - at.point + 0.3 * sum(rng.uniform() * (spot(twin or shape, rng).point - inner) for _ in range(3))
        way = way if way @ at.normal < -0.05 else inner - at.point
        way /= np.linalg.norm(way)
        sideways = np.cross(at.normal, rng.normal(size=3))
        known[k] = rng.uniform(0.1, 3.0)
        o[k], d[k] = at.point - known[k] * way, way
        if len(at.straight) + len(at.curved) == 2:
            normals[k] = at.normal @ R.T
        o[count + k] = at.point + 1e-9 * at.normal - rng.uniform(0.0, 3.0) * sideways  # within a plane just off it
        d[count + k] = sideways / np.linalg.norm(sideways)
    return _compare(world, p + o @ R.T, d @ R.T, known, normals, Compared())


def all_triangles(corners: Array, o: Array, d: Array, front_only: bool) -> tuple[float, Array]:
    """The nearest hit of a ray and its normal: T. Moeller, B. Trumbore (Journal of Graphics Tools 2, 1997)."""
    a, e, f = (x.astype(FINE) for x in (corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    o, d = o.astype(FINE), d.astype(FINE)
    p = np.cross(d, f)
    det = np.einsum("ij,ij->i", e, p)
    ok = np.abs(det) > 1e-15
    with np.errstate(divide="ignore", invalid="ignore"):
        s = o - a
        q = np.cross(s, e)
        u, v, t = np.einsum("ij,ij->i", s, p) / det, q @ d / det, np.einsum("ij,ij->i", f, q) / det
        ok &= (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
    if front_only:
        ok &= det > 0
    if not ok.any():
        return np.inf, np.full(3, np.nan)
    k = np.flatnonzero(ok)[np.argmin(t[ok])]
    n = np.cross(e[k], f[k])
    n = n / np.sqrt(n @ n) * (1 if det[k] > 0 else -1)
    return float(t[k]), n.astype(float)


def triangles_of(surface: Mesh | HeightMap) -> Array:
    """(m, 3, 3), in the frame of the surface [m]."""
    if isinstance(surface, Mesh):
        return np.asarray(surface.vertices[surface.faces])
    rows, columns = surface.heights.shape
    x, y = (np.linspace(-0.5, 0.5, n) * size for n, size in zip((columns, rows), surface.size, strict=True))
    grid = np.stack([*np.meshgrid(x, y), surface.heights], axis=-1)
    a, b, c, d = (g.reshape(-1, 3) for g in (grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def into_surface(surface: Mesh | HeightMap, count: int, seed: int = 3) -> Compared:
    """Random rays, most of them at the middle of it, some along its axes."""
    rng = np.random.default_rng(seed)
    world, R, p = placed(surface, rng)
    corners = triangles_of(surface)
    o = rng.uniform(-1.5, 1.5, (count, 3))
    d = rng.uniform(-0.5, 0.5, (count, 3)) - o
    d[::9] = rng.permuted(np.tile([0.0, 0.0, -1.0], (len(d[::9]), 1)), axis=1)
    d[1::9] = rng.normal(size=d[1::9].shape)
    d /= np.linalg.norm(d, axis=1)[:, None]
    known, normals = np.zeros(count), np.zeros((count, 3))
    for k in range(count):
        front_only = isinstance(surface, HeightMap) or surface.one_sided is not False
        known[k], normals[k] = all_triangles(corners, o[k], d[k], front_only)
    return _compare(world, p + o @ R.T, d @ R.T, known, normals @ R.T, Compared())


def into_compound(count: int, seed: int = 3) -> Compared:
    """The nearest of what its parts are known to be, as they stand apart."""
    rng = np.random.default_rng(seed)
    parts: list[Shape] = [Box((0.4, 0.3, 0.2)), Cylinder(0.2, 0.4), Cone(0.2, 0.3), Ellipsoid((0.1, 0.2, 0.3))]
    poses = np.tile(np.eye(4), (4, 1, 1))
    for k in range(4):
        poses[k, :3, :3], poses[k, :3, 3] = turn(rng), (3.0 * k, 0.0, 0.0)
    world, R, p = placed(Compound(list(zip(parts, poses, strict=True))), rng)
    o, d, known, normals = (np.full((count, 3), np.nan) for _ in range(4))
    for k in range(count):
        X = poses[k % 4]
        at = spot(parts[k % 4], rng)
        way = 0.1 * rng.normal(size=3) * np.abs(at.point) - at.point  # towards the middle
        way /= np.linalg.norm(way)
        known[k] = rng.uniform(0.05, 0.5)
        o[k], d[k] = X[:3, :3] @ (at.point - known[k] * way) + X[:3, 3], X[:3, :3] @ way
        if len(at.straight) + len(at.curved) == 2:
            normals[k] = R @ X[:3, :3] @ at.normal
    return _compare(world, p + o @ R.T, d @ R.T, known[:, 0], normals, Compared())


def every(convex: dict[str, Shape], count: int) -> dict[str, Compared]:
    """All of them; of a user's own shape, an ellipsoid, only few, as Python is asked."""
    found = {name: into_convex(shape, count) for name, shape in convex.items()}
    found["own shape"] = into_convex(SupportShape(lens), max(count // 10, 10), twin=Ellipsoid((0.3, 0.2, 0.1)))
    found["compound"] = into_compound(count)
    return found | {name: into_surface(one, count) for name, one in surfaces().items()}  # type: ignore[arg-type]
