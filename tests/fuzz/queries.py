"""Geometric queries where ties are: along lines of grids, through nodes, flush, concentric, in one plane.

Each family makes `n` queries of one kind, asks them in slices of SLICE, and compares all answers with what the
definitions of the shapes say (solids.py, surface_oracles.py); it returns lines about those that are wrong.
"""

import time

import numpy as np
from scipy.spatial.transform import Rotation
from solids import (
    box,
    capsule,
    cylinder,
    is_separable,
    outside_at,
    plane_gap,
    random_solid,
    sphere,
    turned,
    turned_back,
    widest_gap,
)
from surface_oracles import check_map_rays, mesh_hits, point_to_triangles, random_map, random_mesh
from surfaces import triangles_of

import rbdyn
from rbdyn.collision import Sphere, distance, shape_cast

SLICE = 25  # queries a call: one that takes less than LONGEST has none that takes more
LONGEST = 0.01  # [s]
TINY = np.array([0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-200, 1e-17, -1e-17, 1e-12])


class Clock:
    """Processor time of the slowest query [s], and of all."""

    def __init__(self):
        self.slowest = self.all = 0.0

    def ask(self, n, call):
        """The answers of `call(rows)` for slices of n rows; what is slow is asked again, one by one."""
        answers = []
        for begin in range(0, n, SLICE):
            rows = slice(begin, min(begin + SLICE, n))
            took, answer = self._time(call, rows)
            answers.append(answer)
            self.all += took
            if took < LONGEST:
                self.slowest = max(self.slowest, took / SLICE)
                continue
            for k in range(rows.start, rows.stop):
                self.slowest = max(self.slowest, min(self._time(call, slice(k, k + 1))[0] for _ in range(3)))
        return answers

    @staticmethod
    def _time(call, rows):
        start = time.thread_time()
        answer = call(rows)
        return time.thread_time() - start, answer


def joined(answers):
    return [np.concatenate([np.asarray(part) for part in parts]) for parts in zip(*answers, strict=True)]


def wrong(name, bad, *what):
    """A line for each row that is wrong, three at most."""
    return [f"{name}: row {k}: {', '.join(str(x[k]) for x in what)}" for k in np.flatnonzero(bad)[:3]]


# ---- poses and rays --------------------------------------------------------------------------

def rotations(rng, n):
    return Rotation.random(n, random_state=rng).as_matrix()


def poses(R, p):
    X = np.tile(np.eye(4), (len(R), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, p
    return X


def random_pairs(rng, a, b, n):
    """Poses of a and b: concentric, flush, apart by halves, by what is hardly a number, or anyhow; some far away."""
    R = rotations(rng, n)
    R[rng.random(n) < 0.2] = np.eye(3)
    own = np.where((rng.random(n) < 0.3)[:, None, None], rotations(rng, n), np.eye(3))
    quarter = Rotation.from_euler("zyx", 0.5 * np.pi * rng.integers(0, 4, (n, 3))).as_matrix()
    own = np.where((rng.random(n) < 0.3)[:, None, None], np.round(quarter), own)
    kind = rng.integers(0, 6, n)
    p = rng.uniform(-1.0, 1.0, (n, 3)) * (a.size + b.size)
    p[kind == 0] = 0.0
    p[kind == 1] = 0.5 * rng.integers(-4, 5, (int((kind == 1).sum()), 3))
    p[kind == 2] = rng.choice(TINY, (int((kind == 2).sum()), 3))
    flush = np.flatnonzero(kind >= 4)  # along an axis of b, and half metres aside
    d = np.eye(3)[rng.integers(0, 3, len(flush))] * rng.choice([-1.0, 1.0], len(flush))[:, None]
    touch = b.support(d) - turned(poses(own[flush], np.zeros((len(flush), 3))),
                                  a.support(-turned_back(poses(own[flush], np.zeros((len(flush), 3))), d)))
    aside = np.where(d == 0.0, 0.5 * rng.integers(-2, 3, d.shape), 0.0)
    gap = rng.choice([0.0, 0.0, 1e-12, -1e-12, 1e-9, -1e-6, 0.5, -0.1], len(flush))
    p[flush] = d * (np.einsum("ij,ij->i", touch, d) + gap)[:, None] + aside
    far = rng.choice([0.0, 1.0, 1e3, 1e6], n, p=[0.3, 0.5, 0.1, 0.1])[:, None] * rng.integers(-3, 4, (n, 3))
    Y = poses(R, far)
    X = poses(R @ own, far + np.einsum("nij,nj->ni", R, p))
    return X, Y


def random_rays(rng, n, nodes, size):
    """Origins and directions: from and to nodes, along axes and diagonals, with parts that are hardly numbers."""
    pick = nodes[rng.integers(0, len(nodes), n)]
    o = pick + 0.5 * rng.integers(-6, 7, (n, 3)) * (rng.random((n, 1)) < 0.7)
    free = rng.random(n) < 0.2
    o[free] = rng.uniform(-1.5, 1.5, (int(free.sum()), 3)) * size
    kind = rng.integers(0, 6, n)
    d = rng.integers(-2, 3, (n, 3)).astype(float)
    axis = np.eye(3)[rng.integers(0, 3, n)] * rng.choice([-1.0, 1.0], n)[:, None]
    d = np.where((kind == 0)[:, None], axis, d)
    d = np.where((kind == 1)[:, None], axis + rng.choice(TINY, (n, 3)), d)
    d = np.where((kind >= 4)[:, None], nodes[rng.integers(0, len(nodes), n)] - o, d)
    d = np.where((kind == 3)[:, None] & free[:, None], rng.normal(size=(n, 3)), d)
    none = np.abs(d).max(axis=1) < 1e-6
    d[none] = axis[none]
    return o, d / np.linalg.norm(d, axis=1)[:, None]


def cast_rays(clock, world, o, d, length):
    def call(rows):
        hits = world.ray_test_batch(o[rows], d[rows], length)
        return hits.distance, hits.normal

    return joined(clock.ask(len(o), call))


def not_rays(t, normal):
    """Rows that are no answer: NaN, or a normal that is not of unit length."""
    bad = np.isnan(t) | (t < 0.0)
    hit = np.isfinite(t)
    return bad | (hit & ~(np.abs(np.linalg.norm(normal, axis=1) - 1.0) < 1e-9))


# ---- families --------------------------------------------------------------------------------

def map_rays(rng, n, clock):
    surface = random_map(rng)
    world = rbdyn.World()
    world.add_height_map(surface)
    h = surface.heights
    x, y = np.meshgrid(*(np.linspace(-0.5, 0.5, m) * s for m, s in zip(h.shape[::-1], surface.size, strict=True)))
    nodes = np.column_stack([x.ravel(), y.ravel(), h.ravel() + rng.choice([0.0, 0.0, 1.0, 2.0], h.size)])
    o, d = random_rays(rng, n, nodes, max(surface.size))
    t, normal = cast_rays(clock, world, o, d, 1000.0)
    return wrong("map_rays", not_rays(t, normal) | check_map_rays(surface, o, d, 1000.0, t), o, d, t)


def mesh_rays(rng, n, clock):
    mesh = random_mesh(rng)
    world = rbdyn.World()
    world.add_mesh(mesh, body_type="static")
    far = rng.choice([0.0, 0.0, 100.0, 1e4])
    o, d = random_rays(rng, n, mesh.vertices, 2.0)
    o = o - far * d
    t, normal = cast_rays(clock, world, o, d, 1e6)
    tol = 1e-7 + 1e-12 * far
    high, off = mesh_hits(mesh, o, d, t, 0.01 * tol)
    return wrong("mesh_rays", not_rays(t, normal) | (t > high + tol) | (off > tol), o, d, t, high, off)


def solid_rays(rng, n, clock):
    a = random_solid(rng)
    X = poses(rotations(rng, 1) if rng.random() < 0.5 else np.eye(3)[None], rng.integers(-2, 3, (1, 3)))
    world = rbdyn.World()
    body = world.add_single_body([rbdyn.Geometry(a.shape)], 0.0, np.zeros((3, 3)), "static")
    body.set_pose(X[0, :3, 3], X[0, :3, :3])
    o, d = random_rays(rng, n, np.vstack([a.flat, np.zeros(3)]), a.size)
    X = np.repeat(X, n, axis=0)
    o, d = turned(X, o) + X[:, :3, 3], turned(X, d)
    t, normal = cast_rays(clock, world, o, d, 100.0)
    tol = 1e-9 * (1.0 + a.size)
    begin, hit = outside_at(a, X, o), np.isfinite(t)
    s = np.where(hit, t, 0.0)
    at, before = (outside_at(a, X, o + (s - back)[:, None] * d) for back in (0.0, 1e-6))
    bad = hit & ((np.abs(at) > tol) | (before < -tol) | (begin < -tol))
    low, high = np.zeros(n), np.full(n, 100.0)  # a miss comes nowhere in: the least of a convex function
    for _ in range(90):
        p, q = low + (high - low) / 3.0, high - (high - low) / 3.0
        less = outside_at(a, X, o + p[:, None] * d) < outside_at(a, X, o + q[:, None] * d)
        low, high = np.where(less, low, p), np.where(less, q, high)
    least = outside_at(a, X, o + (0.5 * (low + high))[:, None] * d)
    bad |= ~hit & (begin > tol) & (least < -tol)
    return wrong("solid_rays " + a.name, not_rays(t, normal) | bad, o, d, t, begin, least)


def distances(rng, n, clock):
    """Both ways round: points in both, as far apart as a plane keeps them; no push is less than what is found."""
    a, b = random_solid(rng), random_solid(rng)
    X, Y = random_pairs(rng, a, b, n)
    name = f"distances {a.shape} {b.shape}"
    d, on_a, on_b, m = joined(clock.ask(n, lambda rows: distance(a.shape, X[rows], b.shape, Y[rows])))
    e, there_b, there_a, back = joined(clock.ask(n, lambda rows: distance(b.shape, Y[rows], a.shape, X[rows])))
    size = a.size + b.size
    tol = 1e-9 * size + 4e-15 * (np.abs(X[:, :3, 3]).max(axis=1) + np.abs(Y[:, :3, 3]).max(axis=1))
    bad = np.zeros(n, dtype=bool)
    for apart, p, q, u in ((d, on_a, on_b, m), (e, there_a, there_b, -back)):
        bad |= ~(np.isfinite(apart) & np.isfinite(p).all(axis=1) & np.isfinite(q).all(axis=1))
        bad |= ~(np.abs(np.linalg.norm(u, axis=1) - 1.0) < 1e-9)
        bad |= ~(np.abs(plane_gap(a, X, b, Y, u) - apart) <= tol)
        bad |= ~(np.linalg.norm(p - q - apart[:, None] * u, axis=1) <= tol)
        bad |= ~(outside_at(a, X, p) <= 100.0 * tol) | ~(outside_at(b, Y, q) <= 100.0 * tol)
    bad |= ~(np.abs(d - e) <= np.where(np.minimum(d, e) < 0.0, 1e-6 * size, 0.0) + tol)
    bad |= (d > 1e-6 * size) & (np.linalg.norm(m + back, axis=1) > 1e-5)
    lines = wrong(name, bad, X.tolist(), Y.tolist(), d, e, on_a, there_a, m, back, plane_gap(a, X, b, Y, m) - d,
                  outside_at(a, X, on_a), outside_at(b, Y, on_b))
    deep = np.flatnonzero(d < 0.0)[:60]
    more = widest_gap(a, X[deep], b, Y[deep]) - np.maximum(d, e)[deep]
    return lines + wrong(name + " push", more > 1e-6 * size + tol[deep], X[deep].tolist(), Y[deep].tolist(), d[deep],
                         e[deep], more)  # fmt: skip


def casts(rng, n, clock):
    """A hit: a plane keeps them apart before, and both hold the place.  A miss: a plane keeps them apart."""
    a, b = random_solid(rng), random_solid(rng)
    X, Y = random_pairs(rng, a, b, n)
    way = rng.choice([0.0, 0.0, 0.5, -0.5, 1.0, -2.0, 4.0, -4.0, 1e-12], (n, 3))
    to = rng.random(n) < 0.5
    way[to] = (Y[to, :3, 3] - X[to, :3, 3]) * rng.choice([0.5, 1.0, 2.0], (int(to.sum()), 1))
    way = np.where((rng.random(n) < 0.5)[:, None], turned(Y, way), way)
    s, place, normal = joined(clock.ask(n, lambda rows: shape_cast(a.shape, X[rows], way[rows], b.shape, Y[rows])))
    size = a.size + b.size
    tol = 4e-6 * size + 4e-15 * (np.abs(X[:, :3, 3]).max(axis=1) + np.abs(Y[:, :3, 3]).max(axis=1))
    hit = np.isfinite(s)
    bad = np.isnan(s) | (hit & ((s < 0.0) | (s > 1.0)))
    bad |= hit & ~(np.isfinite(place).all(axis=1) & (np.abs(np.linalg.norm(normal, axis=1) - 1.0) < 1e-9))
    there = X.copy()
    there[:, :3, 3] += np.where(hit, s, 0.0)[:, None] * way
    moved = hit & (s > 0.0)
    gap = plane_gap(a, there, b, Y, np.where(hit[:, None], normal, (1.0, 0.0, 0.0)))
    bad |= moved & (~(np.abs(gap) <= tol) | (np.einsum("ij,ij->i", normal, way) > 0.0))
    bad |= moved & ((outside_at(b, Y, place) > 10.0 * tol) | (outside_at(a, there, place) > 10.0 * tol))
    lines = wrong(f"casts {a.shape} {b.shape}", bad, X.tolist(), Y.tolist(), way.tolist(), s, gap, place, normal,
                  outside_at(a, there, place), outside_at(b, Y, place))
    miss = np.flatnonzero(~hit)
    # ways that pass within the tolerance may be met or not: b a little less is a shape that is a little farther
    doubt = miss[~is_separable(a, X[miss], b, Y[miss], way[miss])]
    deep = np.array([_is_deep(a, X[k], b, Y[k], way[k], tol[k]) for k in doubt], dtype=bool)
    doubt = doubt[deep]
    return lines + wrong(f"casts {a.shape} {b.shape} miss", np.ones(len(doubt), dtype=bool), X[doubt].tolist(),
                         Y[doubt].tolist(), way[doubt].tolist())  # fmt: skip


def _is_deep(a, X, b, Y, way, tol):
    """Whether they are in each other somewhere on the way, by more than `tol`, along whatever direction.

    A plane that keeps them apart proves that they are not, whoever names it: the normal of `distance` is tried, too.
    """
    share = np.linspace(0.0, 1.0, 65)
    there = np.repeat(X[None], len(share), axis=0)
    there[:, :3, 3] += share[:, None] * way
    still = np.repeat(Y[None], len(share), axis=0)
    named = plane_gap(a, there, b, still, distance(a.shape, there, b.shape, still).normal)
    return (np.maximum(widest_gap(a, there, b, still), named) < -tol).any()


def _scene(rng):
    """A World of solids whose distance from a point is known, and who they are."""
    half = [0.5 * rng.integers(1, 4) for _ in range(6)]
    solids = [sphere(half[0]), box(*half[1:4]), capsule(half[4], half[5]), cylinder(half[1], half[5])]
    world, at, bodies = rbdyn.World(), [], []
    for solid in solids:
        X = poses(rotations(rng, 1), 2.0 * rng.integers(-2, 3, (1, 3)))
        body = world.add_single_body([rbdyn.Geometry(solid.shape)], 0.0, np.zeros((3, 3)), "static")
        body.set_pose(X[0, :3, 3], X[0, :3, :3])
        at.append(X)
        bodies.append(body)
    bodies.append(world.add_ground(-3.0))
    return world, solids, at, bodies


def _from_points(solids, at, p):
    """Signed distance of points from each solid, and from the ground, (n, 5)."""
    columns = []
    for solid, X in zip(solids, at, strict=True):
        q = turned_back(np.repeat(X, len(p), axis=0), p - X[0, :3, 3])
        if solid.name in ("box", "cylinder"):  # an inner and an outer part; the cylinder in its half plane
            size = solid.shape.size if solid.name == "box" else (2.0 * solid.shape.radius, solid.shape.height)
            q = q if solid.name == "box" else np.column_stack([np.hypot(q[:, 0], q[:, 1]), q[:, 2]])
            off = np.abs(q) - 0.5 * np.array(size)
            columns.append(np.linalg.norm(np.maximum(off, 0.0), axis=1) + np.minimum(off.max(axis=1), 0.0))
        else:
            columns.append(solid.outside(q))
    return np.column_stack([*columns, p[:, 2] + 3.0])


def scene_queries(rng, n, clock):
    """Balls beside solids: what is nearest, and what they touch, from centres, corners and surfaces too."""
    world, solids, at, bodies = _scene(rng)
    known = np.vstack([turned(np.repeat(X, len(s.flat), axis=0), s.flat) + X[0, :3, 3]
                       for s, X in zip(solids, at, strict=True)] + [X[:, :3, 3] for X in at])  # fmt: skip
    p = known[rng.integers(0, len(known), n)] + 0.5 * rng.integers(-2, 3, (n, 3)) * (rng.random((n, 1)) < 0.7)
    p += rng.choice(TINY, (n, 3))
    r = 0.5 * rng.integers(1, 4)
    X, ball = poses(np.tile(np.eye(3), (n, 1, 1)), p), Sphere(float(r))
    gaps = _from_points(solids, at, p) - r

    def call(rows):
        hits = world.nearest_batch(ball, X[rows])
        return hits.distance, hits.position, hits.normal

    d, place, normal = joined(clock.ask(n, call))
    tol = 1e-9
    bad = ~(np.abs(d - gaps.min(axis=1)) < tol) | ~(np.abs(np.linalg.norm(normal, axis=1) - 1.0) < 1e-9)
    bad |= ~(np.abs(np.linalg.norm(p - place, axis=1) - np.abs(d + r)) < 1e-7)
    lines = wrong("scene nearest", bad, p, gaps.tolist(), d, place)
    touched = sum(clock.ask(n, lambda rows: world.overlap_test_batch(ball, X[rows])), [])
    sees = np.array([[any(s.object is body for s in row) for body in bodies] for row in touched])
    return lines + wrong("scene overlap", ((sees != (gaps <= 0.0)) & (np.abs(gaps) > tol)).any(axis=1), p,
                         gaps.tolist(), sees.tolist())  # fmt: skip


def surface_distances(rng, n, clock):
    """Balls and points of balls beside triangles: the least over all of them; and beside a height map."""
    mesh = random_mesh(rng) if rng.random() < 0.5 else random_map(rng, most=8)
    triangles = triangles_of(mesh)
    nodes = triangles.reshape(-1, 3)
    p = nodes[rng.integers(0, len(nodes), n)] + 0.5 * rng.integers(-2, 3, (n, 3)) * (rng.random((n, 1)) < 0.7)
    r = rng.choice([1e-3, 0.5, 1.0])
    X, far = poses(rotations(rng, n), p), np.eye(4)
    true = np.maximum(point_to_triangles(triangles, p) - r, 0.0)
    d, on_a, on_b, m = joined(clock.ask(n, lambda rows: distance(Sphere(r), X[rows], mesh, far)))
    e, *_ = joined(clock.ask(n, lambda rows: distance(mesh, far, Sphere(r), X[rows])))
    bad = ~(np.abs(d - true) < 1e-9) | (d != e) | ~np.isfinite(np.hstack([on_a, on_b])).all(axis=1)
    bad |= ~(np.abs(np.linalg.norm(m, axis=1) - 1.0) < 1e-9)
    return wrong(f"surface_distances {mesh.kind}", bad, p, true, d, e, m)


FAMILIES = {  # each makes n queries; those of two answers a row count two
    "map_rays": (map_rays, 1),
    "mesh_rays": (mesh_rays, 1),
    "solid_rays": (solid_rays, 1),
    "distances": (distances, 2),
    "casts": (casts, 1),
    "scene_queries": (scene_queries, 2),
    "surface_distances": (surface_distances, 2),
}
