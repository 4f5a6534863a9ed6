"""Convex solids by their definitions, in NumPy alone: farthest points, what lies outside, and least pushes.

Rows of arrays are queries: directions, points and poses are (n, 3), (n, 3) and (n, 4, 4), lengths are in metres.
"""

import numpy as np
import scipy.spatial

from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere

CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def _unit(d):
    return d / np.maximum(np.linalg.norm(d, axis=1), 1e-300)[:, None]


def _rim(d, radius):
    return radius * d[:, :2] / np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-300)[:, None]


class Solid:
    """A shape, and what it is: `support(d)`, and `outside(p)`, which is convex, 0 on the surface, and grows by at most
    1 a metre."""

    def __init__(self, name, shape, size, support, outside, flat=()):
        self.name, self.shape, self.size, self.support, self.outside = name, shape, size, support, outside
        self.flat = np.array(flat).reshape(-1, 3)  # points where its flat sides are, in its frame


def sphere(r):
    return Solid("sphere", Sphere(r), r, lambda d: r * _unit(d), lambda p: np.linalg.norm(p, axis=1) - r,
                 [(0, 0, r)])  # fmt: skip


def box(x, y, z):
    half = 0.5 * np.array([x, y, z])
    return Solid("box", Box((x, y, z)), np.linalg.norm(half), lambda d: np.copysign(half, d),
                 lambda p: (np.abs(p) - half).max(axis=1), np.diag(half))  # fmt: skip


def capsule(r, h):
    def support(d):
        p = r * _unit(d)
        p[:, 2] += np.copysign(0.5 * h, d[:, 2])
        return p

    def outside(p):
        q = p.copy()
        q[:, 2] -= np.clip(p[:, 2], -0.5 * h, 0.5 * h)
        return np.linalg.norm(q, axis=1) - r

    return Solid("capsule", Capsule(r, h), r + 0.5 * h, support, outside, [(0, 0, r + 0.5 * h), (r, 0, 0)])


def cylinder(r, h):
    return Solid(
        "cylinder", Cylinder(r, h), np.hypot(r, 0.5 * h),
        lambda d: np.column_stack([_rim(d, r), np.copysign(0.5 * h, d[:, 2])]),
        lambda p: np.maximum(np.hypot(p[:, 0], p[:, 1]) - r, np.abs(p[:, 2]) - 0.5 * h),
        [(0, 0, 0.5 * h), (r, 0, 0)],
    )  # fmt: skip


def cone(r, h):
    def support(d):
        base = np.column_stack([_rim(d, r), np.full(len(d), -0.5 * h)])
        apex = np.array([0.0, 0.0, 0.5 * h])
        return np.where((d @ apex > np.einsum("ij,ij->i", d, base))[:, None], apex, base)

    def outside(p):
        side = np.hypot(p[:, 0], p[:, 1]) - r / h * (0.5 * h - p[:, 2])
        return np.maximum(side / np.hypot(1.0, r / h), -p[:, 2] - 0.5 * h)

    return Solid("cone", Cone(r, h), np.hypot(r, 0.5 * h), support, outside, [(0, 0, -0.5 * h)])


def ellipsoid(x, y, z):
    radii = np.array([x, y, z])
    return Solid("ellipsoid", Ellipsoid((x, y, z)), radii.max(), lambda d: radii * _unit(radii * d),
                 lambda p: (np.linalg.norm(p / radii, axis=1) - 1.0) * radii.min(), np.diag(radii))  # fmt: skip


def hull(points):
    points = np.asarray(points, dtype=float)
    planes = scipy.spatial.ConvexHull(points).equations
    middle = [points[s].mean(axis=0) for s in scipy.spatial.ConvexHull(points).simplices[:1]]
    return Solid("hull", ConvexHull(points), np.linalg.norm(points, axis=1).max(),
                 lambda d: points[np.argmax(d @ points.T, axis=1)],
                 lambda p: (p @ planes[:, :3].T + planes[:, 3]).max(axis=1), middle)  # fmt: skip


def random_solid(rng):
    """Sizes are half metres, so that sides coincide, or any."""
    def length():
        return 0.5 * rng.integers(1, 5) if rng.random() < 0.6 else rng.uniform(0.1, 2.0)

    kind = rng.integers(7)
    if kind == 6:
        corners = CORNERS * [length() for _ in range(3)] if rng.random() < 0.5 else rng.normal(size=(12, 3))
        return hull(corners)
    make, n = ((sphere, 1), (box, 3), (capsule, 2), (cylinder, 2), (cone, 2), (ellipsoid, 3))[kind]
    return make(*(length() for _ in range(n)))


# ---- in the world ----------------------------------------------------------------------------

def turned(X, v):
    return np.einsum("nij,nj->ni", X[:, :3, :3], v)


def turned_back(X, v):
    return np.einsum("nji,nj->ni", X[:, :3, :3], v)


def support_at(solid, X, d):
    """Points of the solid at poses X farthest along world directions d."""
    return turned(X, solid.support(turned_back(X, d))) + X[:, :3, 3]


def outside_at(solid, X, p):
    """By how much world points are outside of the solid at poses X."""
    return solid.outside(turned_back(X, p - X[:, :3, 3]))


def plane_gap(a, X, b, Y, n):
    """How far apart planes along the normals n, from b to a, keep them; negative: the push that frees a along n."""
    n_a, n_b = turned_back(X, -n), turned_back(Y, n)
    between = np.einsum("ij,ij->i", n, X[:, :3, 3] - Y[:, :3, 3])
    return between - np.einsum("ij,ij->i", n_a, a.support(n_a)) - np.einsum("ij,ij->i", n_b, b.support(n_b))


def _lattice(n):
    k = np.arange(n) + 0.5
    z = 1.0 - 2.0 * k / n
    phi = np.pi * (1.0 + 5.0**0.5) * k
    return np.column_stack([np.sqrt(1.0 - z * z) * np.cos(phi), np.sqrt(1.0 - z * z) * np.sin(phi), z])


LATTICE = _lattice(400)
AROUND = _lattice(24)


def widest_gap(a, X, b, Y, starts=3):
    """The largest plane gap over all directions, (n,): a sweep, the axes of both shapes, and zooms into the best."""
    n = len(X)
    axes = np.concatenate([X[:, :3, :3], -X[:, :3, :3], Y[:, :3, :3], -Y[:, :3, :3]], axis=2).transpose(0, 2, 1)
    sweep = np.concatenate([np.broadcast_to(LATTICE, (n, *LATTICE.shape)), axes], axis=1)
    m = sweep.shape[1]
    gaps = plane_gap(a, np.repeat(X, m, axis=0), b, np.repeat(Y, m, axis=0), sweep.reshape(-1, 3)).reshape(n, m)
    found, rows = [], np.arange(n)
    for _ in range(starts):
        best = sweep[rows, gaps.argmax(axis=1)]
        found.append(best)
        gaps = np.where(np.einsum("nmj,nj->nm", sweep, best) > 0.9, -np.inf, gaps)
    at = np.stack(found, axis=1).reshape(-1, 3)
    X, Y = np.repeat(X, starts, axis=0), np.repeat(Y, starts, axis=0)
    best, width = plane_gap(a, X, b, Y, at), np.full(len(at), 0.1)
    each, rows = len(AROUND), np.arange(len(at))
    for _ in range(50):
        cloud = _unit((at[:, None] + width[:, None, None] * AROUND).reshape(-1, 3))
        gaps = plane_gap(a, np.repeat(X, each, axis=0), b, np.repeat(Y, each, axis=0), cloud).reshape(-1, each)
        k = gaps.argmax(axis=1)
        better = gaps[rows, k] > best
        at[better], best[better] = cloud.reshape(-1, each, 3)[rows, k][better], gaps[rows, k][better]
        width[~better] *= 0.5
    return best.reshape(n, starts).max(axis=1)


def is_separable(a, X, b, Y, way, rounds=400):
    """Whether a plane is found that keeps the solid a, shifted along `way` or any part of it, from b.

    By the descent of Gilbert (SIAM J. Control 4, 1966) over support points alone.
    """
    v = X[:, :3, 3] + 0.5 * way - Y[:, :3, 3]
    v = np.where((np.abs(v).max(axis=1) > 0.0)[:, None], v, (1.0, 0.0, 0.0))
    proven = np.zeros(len(X), dtype=bool)
    left = np.arange(len(X))
    for _ in range(rounds):
        if not len(left):
            break
        d = v[left]
        w = support_at(a, X[left], -d) - support_at(b, Y[left], d)
        w += np.where((np.einsum("ij,ij->i", way[left], d) < 0.0)[:, None], way[left], 0.0)
        apart = np.einsum("ij,ij->i", w, d) > 0.0
        proven[left[apart]] = True
        e = w - d
        t = np.clip(-np.einsum("ij,ij->i", d, e) / np.maximum(np.einsum("ij,ij->i", e, e), 1e-300), 0.0, 1.0)
        v[left] = d + t[:, None] * e
        left = left[~apart & (np.einsum("ij,ij->i", v[left], v[left]) > 0.0)]
    return proven
