"""What compiled code is told of triangles: each with what lies around it, under a tree of boxes."""

from __future__ import annotations

import numpy as np

from rbdyn.collision.shapes.bounding_tree import bounding_tree
from rbdyn.collision.shapes.solid import solid_of
from rbdyn.collision.shapes.wide_tree import wide_tree
from rbdyn.errors import CollisionError
from rbdyn.spatial.unique_rows import unique_rows

SLIVER = 1e-12  # triangles of a smaller area, in units of their longest side squared, have no normal


def joined(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices, those in one place as one, and faces of them, without such as have no area or come twice.

    What comes twice, turned against each other, is a wall: between solids that are flush, and none if what is left of
    the faces encloses them.
    """
    plain = vertices + 0.0  # no negative zeros
    place, number = unique_rows(plain)
    kept, faces = plain[place], number[faces]
    a, b, c = (kept[faces[:, k]] for k in range(3))
    longest = np.max([((x - y) ** 2).sum(axis=1) for x, y in ((a, b), (b, c), (c, a))], axis=0)
    faces = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > SLIVER * longest]
    if len(faces) == 0:
        raise CollisionError("a mesh needs a triangle with an area, this one has none")
    first, group = unique_rows(np.sort(faces, axis=1))
    a, b, c = faces.T
    turned = np.where((a < b).astype(int) + (b < c) + (c < a) == 2, 1, -1)  # which way round
    walls = (np.bincount(group) > 1) & (np.bincount(group, weights=turned) == 0.0)
    if walls.any() and not walls.all():
        outside = faces[np.sort(first[~walls])]
        if encloses(kept, outside):
            return kept, outside
    return kept, faces[np.sort(first)]


def sides_of(faces: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The sides of all triangles, those in one place side by side: n a + b of their ends a < b, and their numbers.

    Side k m + t of m triangles is that of triangle t from corner k to the next.
    """
    sides = np.sort(np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1).astype(np.int64)
    key = sides[:, 0] * n + sides[:, 1]
    order = np.argsort(key, kind="stable")
    return key[order], order


def corners_beyond(faces: np.ndarray, key: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Of each triangle's side from corner k to the next, the corner of the triangle across it; -1: none, or several.

    `key` and `order` are those of `sides_of`.
    """
    apex = np.concatenate([faces[:, (k + 2) % 3] for k in range(3)])
    start = np.flatnonzero(np.diff(key, prepend=-1))
    two = start[np.diff(start, append=len(key)) == 2]
    beyond = np.full(len(key), -1, dtype=np.intc)
    one, other = order[two], order[two + 1]
    beyond[one], beyond[other] = apex[other], apex[one]
    return np.ascontiguousarray(beyond.reshape(3, -1).T)


def rings(key: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The vertices at the other ends of each vertex's edges: where its row begins, (n + 1,), and the rows.

    `key` is that of `sides_of`.
    """
    a, b = np.divmod(key[np.flatnonzero(np.diff(key, prepend=-1))], n)
    ends = np.sort(np.concatenate([a * n + b, b * n + a]))
    near, ring = np.divmod(ends, n)
    return np.searchsorted(near, np.arange(n + 1)).astype(np.intc), ring.astype(np.intc)


def encloses(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether triangles, that are joined, enclose a volume, and are turned outwards."""
    try:
        solid_of(vertices, faces, "mesh")
    except CollisionError:
        return False
    return True


def in_order(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same triangles, with vertices numbered as they come first, those of no triangle last: near in memory, too."""
    used, n = faces.ravel(), len(vertices)
    first = np.full(n, len(used))
    first[used[::-1]] = np.arange(len(used))[::-1]
    order = np.argsort(first, kind="stable")
    number = np.empty(n, dtype=np.intc)
    number[order] = np.arange(n, dtype=np.intc)
    return vertices[order], np.ascontiguousarray(number[faces])


def grain_of(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Half the diagonal of the largest box around a triangle [m]."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    box = np.maximum(np.maximum(a, b), c) - np.minimum(np.minimum(a, b), c)
    return float(0.5 * np.sqrt(np.einsum("ij,ij->i", box, box).max()))


def surface_data(vertices: np.ndarray, faces: np.ndarray, grain: float) -> dict[str, object]:
    """The fields of MeshData that follow its hull, but the last, of triangles that are joined."""
    node, order = bounding_tree(vertices, faces)
    vertices, faces = in_order(vertices, faces[order])
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    key, side = sides_of(faces, len(vertices))
    ring_start, ring = rings(key, len(vertices))
    return {
        "surface_vertices": np.ascontiguousarray(vertices),
        "surface_normals": np.ascontiguousarray(normals),
        "faces": faces,
        "beyond": corners_beyond(faces, key, side),
        "ring_start": ring_start,
        "ring": ring,
        "node": node,
        "wide": wide_tree(node),
        "grain": grain,
        "n_triangles": len(faces),
    }
