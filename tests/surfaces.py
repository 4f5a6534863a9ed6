"""Surfaces of triangles for tests, made by formulas."""

import numpy as np

from rbdyn.collision import HeightMap, Mesh


def grid_mesh(x, y, z):
    """A mesh over a grid of points, each (nu, nv)."""
    nu, nv = x.shape
    at = np.arange(nu * nv).reshape(nu, nv)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    return Mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), np.concatenate([np.c_[a, b, c], np.c_[a, c, d]]))


def ring(n, m):
    """A torus about z, of radii 0.2 and 0.05 m, a closed mesh of 2 n m triangles."""
    a, b = np.meshgrid(np.arange(n + 1) % n * 2 * np.pi / n, np.arange(m + 1) % m * 2 * np.pi / m, indexing="ij")
    r = 0.2 + 0.05 * np.cos(b)
    open_grid = grid_mesh(r * np.cos(a), r * np.sin(a), 0.05 * np.sin(b))
    vertices, same = np.unique(open_grid.vertices.round(12), axis=0, return_inverse=True)
    return Mesh(vertices, same.reshape(-1)[open_grid.faces])


def flat_mesh(n=21, size=2.0):
    x, y = np.meshgrid(*2 * [np.linspace(-size / 2, size / 2, n)], indexing="ij")
    return grid_mesh(x, y, 0.0 * x)


def flat_map(n=21, size=2.0):
    return HeightMap(np.zeros((n, n + 3)), (size, size))


def rough_map(seed, n=25, size=2.0, height=0.3):
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(*2 * [np.linspace(0, 1, n)])
    waves = [(rng.normal(size=2) * 4, rng.uniform(0, 6)) for _ in range(8)]
    h = sum(np.sin(k[0] * x + k[1] * y + phase) for k, phase in waves)
    return HeightMap(height / 4 * h + 0.02 * rng.normal(size=x.shape), (size, 1.3 * size))


def triangles_of(surface):
    """(m, 3, 3) corner points."""
    if isinstance(surface, Mesh):
        return surface.vertices[surface.faces]
    ny, nx = surface.heights.shape
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, nx) * surface.size[0], np.linspace(-0.5, 0.5, ny) * surface.size[1])
    p = np.stack([x, y, surface.heights], axis=-1)
    a, b, c, d = (q.reshape(-1, 3) for q in (p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def dot(x, y):
    """Of rows (n,)."""
    return (x * y).sum(axis=-1)


def nearest_on(surface, p):
    """The point of a surface nearest to p, of the triangles whose middles are within 0.6 m of it."""
    corners = triangles_of(surface)
    return nearest_on_triangles(corners[np.abs(corners.mean(axis=1) - p).max(axis=1) < 0.6], p)


def nearest_on_triangles(corners, p):
    """By the three sides of each triangle (n, 3, 3) and the feet on the planes, where they lie within."""
    sides = [(corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)]
    a, b, c = (corners[:, k] for k in range(3))
    n = np.cross(b - a, c - a)
    feet = p - n * (dot(p - a, n) / dot(n, n))[:, None]
    inside = np.all([dot(np.cross(t - s, feet - s), n) >= 0 for s, t in sides], axis=0)
    ends = [s + np.clip(dot(p - s, t - s) / dot(t - s, t - s), 0, 1)[:, None] * (t - s) for s, t in sides]
    points = np.concatenate([feet[inside], *ends])
    return points[np.argmin(np.linalg.norm(points - p, axis=1))]
