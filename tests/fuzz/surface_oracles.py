"""Surfaces of triangles with ties, and what rays and points find on them, by all triangles, in NumPy alone."""

import numpy as np
from surfaces import grid_mesh, triangles_of

from rbdyn.collision import Box, HeightMap, Mesh

SHAKES = np.vstack([np.zeros(3), np.eye(3), -np.eye(3), [(0.6, 0.7, -0.4), (-0.6, -0.3, 0.7)]])


def random_map(rng, most=40):
    """Spikes, steps of whole metres, or hills, on cells of whole metres or not."""
    ny, nx = rng.integers(2, most, 2)
    kind = rng.integers(0, 3)
    if kind == 0:
        heights = np.where(rng.random((ny, nx)) < 0.02, 2.0, 0.0)
        heights[0, -1] = 2.0
    elif kind == 1:
        heights = rng.integers(0, 3, (ny, nx)).astype(float)
    else:
        heights = rng.normal(size=(ny, nx))
    return HeightMap(heights, [(nx - 1.0, ny - 1.0), (10.0, 10.0), (2.0, 3.0)][rng.integers(0, 3)])


def random_mesh(rng):
    """A box, a grid with steps of whole metres, or an octahedron; seen from one side, or from both."""
    kind, one_sided = rng.integers(0, 3), bool(rng.integers(0, 2))
    if kind == 0:
        vertices, faces = Box([float(s) for s in rng.integers(1, 4, 3)]).triangles()
    elif kind == 1:
        x, y = np.meshgrid(*(np.arange(float(k)) - 2.0 for k in rng.integers(2, 8, 2)), indexing="ij")
        grid = grid_mesh(x, y, rng.integers(0, 3, x.shape).astype(float))
        vertices, faces = grid.vertices, grid.faces
    else:
        vertices = np.vstack([np.eye(3), -np.eye(3)])
        faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    return Mesh(vertices, faces, one_sided=one_sided)


# ---- rays into triangles ---------------------------------------------------------------------

def _all_hits(triangles, o, d, one_sided):
    """Distance along each ray to each closed triangle, (n, m); infinite where they do not meet."""
    a, e, f = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(d[:, None], f)
    det = np.einsum("mj,nmj->nm", e, p)
    s = o[:, None] - a
    q = np.cross(s, e)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = np.einsum("nmj,nmj->nm", s, p) / det
        v = np.einsum("nmj,nj->nm", q, d) / det
        t = np.einsum("mj,nmj->nm", f, q) / det
        flat = np.abs(det) <= 1e-14 * np.linalg.norm(np.cross(e, f), axis=1)
        met = ~flat & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & ((det > 0.0) | (not one_sided))
    return np.where(met, t, np.inf)


def mesh_hits(mesh, o, d, t, shake):
    """By when rays have met a triangle, shaken by `shake` [m] or not, and how far off the surface they are at t.

    What every shaken ray meets must be met by then; what is met must be a point of the surface.
    """
    triangles, high = triangles_of(mesh), np.zeros(len(o))
    for e in SHAKES:
        high = np.maximum(high, _all_hits(triangles, o + shake * e, d, mesh.one_sided).min(axis=1))
    at = o + np.where(np.isfinite(t), t, 0.0)[:, None] * d
    return high, np.where(np.isfinite(t), point_to_triangles(triangles, at), 0.0)


# ---- rays into height maps -------------------------------------------------------------------

def _height(surface, x, y):
    """Of the ground below points, of its border where they are beyond it."""
    h = surface.heights
    ny, nx = h.shape
    u = np.clip((x / surface.size[0] + 0.5) * (nx - 1), 0.0, nx - 1)
    v = np.clip((y / surface.size[1] + 0.5) * (ny - 1), 0.0, ny - 1)
    j, i = np.minimum(u.astype(int), nx - 2), np.minimum(v.astype(int), ny - 2)
    u, v = u - j, v - i
    a, b, c, d = h[i, j], h[i, j + 1], h[i + 1, j + 1], h[i + 1, j]
    return np.where(u >= v, a + u * (b - a) + v * (c - b), a + v * (d - a) + u * (c - d))


def check_map_rays(surface, o, d, length, t):
    """Rows whose t is not where a ray comes into the ground from above.

    The height above the ground is linear in the way between the lines and diagonals of the grid.  A ray that was above
    it by a hair and is below it by a hair has come in; one that only touches it may have.
    """
    ny, nx = surface.heights.shape
    size = np.array(surface.size)
    cells = np.array([nx - 1, ny - 1])
    slope = max(np.abs(np.diff(surface.heights, axis=1)).max() * cells[0] / size[0],
                np.abs(np.diff(surface.heights, axis=0)).max() * cells[1] / size[1])  # fmt: skip
    hair = 1e-8 * (1.0 + np.ptp(surface.heights)) + 1e-13 * (1.0 + slope) * np.abs(o).max()
    o_grid, d_grid = (o[:, :2] / size + 0.5) * cells, d[:, :2] / size * cells
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ways = [(np.arange(n + 1.0) - o_grid[:, k, None]) / d_grid[:, k, None] for k, n in enumerate(cells)]
        skew, by = o_grid[:, 0] - o_grid[:, 1], d_grid[:, 0] - d_grid[:, 1]
        ways.append((np.arange(-cells[1], cells[0] + 1.0) - skew[:, None]) / by[:, None])
        borders = np.sort(np.stack([-o_grid / d_grid, (cells - o_grid) / d_grid]), axis=0)
    within = (d_grid == 0.0) & (o_grid >= 0.0) & (o_grid <= cells)
    first = np.where(within, 0.0, np.where(d_grid == 0.0, np.inf, borders[0]))
    last = np.where(within, length, np.where(d_grid == 0.0, -np.inf, borders[1]))
    begin, end = np.maximum(first.max(axis=1), 0.0), np.minimum(last.min(axis=1), length)
    crosses = begin < end
    begin, end = np.where(crosses, begin, 0.0), np.where(crosses, end, 0.0)
    at = np.hstack([begin[:, None], *ways, end[:, None]])
    at = np.sort(np.clip(np.nan_to_num(at, posinf=length, neginf=0.0), begin[:, None], end[:, None]), axis=1)

    def above(ways):
        p = o[:, None] + ways[..., None] * d[:, None]
        return p[..., 2] - _height(surface, p[..., 0], p[..., 1])

    gap = above(at)
    was_above = np.maximum.accumulate(gap, axis=1) > hair
    is_in = (was_above[:, :-1] & (gap[:, 1:] < -hair)) & crosses[:, None]
    rows = np.arange(len(o))
    k = is_in.argmax(axis=1)
    high, low = gap[rows, k], gap[rows, k + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip(high / (high - low), 0.0, 1.0)
    entered = np.where(is_in.any(axis=1), at[rows, k] + share * (at[rows, k + 1] - at[rows, k]), np.inf)
    at_entry = (o + np.where(np.isfinite(entered), entered, 0.0)[:, None] * d)[:, :2]
    entered[(0.5 * size - np.abs(at_entry) < 1e-9 * size).any(axis=1)] = np.inf  # on the border, which it may pass by
    hit = np.isfinite(t)
    s = np.where(hit, t, 0.0)
    reach = 2.0 * hair / np.maximum(np.abs(d).max(axis=1), 1e-3)  # a share of the hair along the ray
    bad = ~hit & np.isfinite(entered)
    steep = np.where(entered < np.inf, 1e-6, 0.0)
    with np.errstate(invalid="ignore"):
        bad |= hit & (t > entered + 1e-6 + reach + steep)
    bad |= hit & (np.abs(above(s[:, None])[:, 0]) > 4.0 * hair * (1.0 + slope))
    off = np.abs((o + s[:, None] * d)[:, :2]) - 0.5 * size
    return bad | (hit & (off.max(axis=1) > 1e-8 * size.max()))


# ---- points ----------------------------------------------------------------------------------

def _to_segments(p, a, b):
    e = b - a
    t = np.clip(np.einsum("nmj,mj->nm", p[:, None] - a, e) / np.einsum("mj,mj->m", e, e), 0.0, 1.0)
    return np.linalg.norm(p[:, None] - a - t[..., None] * e, axis=2)


def point_to_triangles(triangles, p):
    """Distance of points from the nearest triangle, (n,): from its sides, or its plane where the foot lies within."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1)[:, None]
    high = np.einsum("nmj,mj->nm", p[:, None] - a, n)
    foot = p[:, None] - high[..., None] * n
    inside = np.ones(high.shape, dtype=bool)
    for s, t in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("nmj,mj->nm", np.cross(t - s, foot - s), n) >= 0.0
    sides = np.minimum(np.minimum(_to_segments(p, a, b), _to_segments(p, b, c)), _to_segments(p, c, a))
    return np.where(inside, np.minimum(np.abs(high), sides), sides).min(axis=1)
