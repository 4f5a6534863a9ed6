"""Shapes as triangles, for drawing: round ones by as many sides as are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rbdyn.collision.shapes.shape import Shape

Triangles = tuple[np.ndarray, np.ndarray]


def revolved(radii: np.ndarray, heights: np.ndarray, sides: int) -> Triangles:
    """Vertices and faces of a profile of radii and heights, from the top down, that is turned about z.

    Rings of radius 0 are single points; the first and the last are closed by a fan.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    points: list[np.ndarray] = []
    rings: list[np.ndarray] = []
    n = 0
    for r, z in zip(radii, heights, strict=True):
        count = sides if r > 0.0 else 1
        points.append(np.stack([r * np.cos(angle[:count]), r * np.sin(angle[:count]), np.full(count, z)], axis=1))
        rings.append(np.resize(np.arange(n, n + count), sides))
        n += count
    faces = []
    for above, below in zip(rings[:-1], rings[1:], strict=True):
        right_above, right_below = np.roll(above, -1), np.roll(below, -1)
        faces += [np.stack([above, below, right_below], axis=1), np.stack([above, right_below, right_above], axis=1)]
    for ring, turned in ((rings[0], False), (rings[-1], True)):
        fan = np.stack([np.full(sides - 2, ring[0]), ring[1:-1], ring[2:]], axis=1)
        faces.append(fan[:, ::-1] if turned else fan)
    every = np.concatenate(faces)
    whole = (every[:, 0] != every[:, 1]) & (every[:, 1] != every[:, 2]) & (every[:, 2] != every[:, 0])
    return np.concatenate(points), every[whole]


def ball(sides: int) -> Triangles:
    """A ball of radius 1."""
    polar = np.pi * np.arange(sides // 2 + 1) / (sides // 2)
    radii = np.sin(polar)
    radii[[0, -1]] = 0.0
    return revolved(radii, np.cos(polar), sides)


def capsule(radius: float, height: float, sides: int) -> Triangles:
    """Two half balls, and the tube between them."""
    polar = 0.5 * np.pi * np.arange(sides // 4 + 1) / (sides // 4)
    radii, up = radius * np.sin(polar), radius * np.cos(polar)
    return revolved(np.concatenate([radii, radii[::-1]]), np.concatenate([up + 0.5 * height, -up[::-1] - 0.5 * height]),
                    sides)  # fmt: skip


def box(size: tuple[float, float, float]) -> Triangles:
    """Two triangles a side."""
    corners = 0.5 * np.array(size) * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def grid(heights: np.ndarray, size: tuple[float, float]) -> Triangles:
    """Two triangles a cell, cut from its least x and y to its largest, seen from above."""
    ny, nx = heights.shape
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, nx) * size[0], np.linspace(-0.5, 0.5, ny) * size[1])
    points = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    k = np.arange(ny * nx).reshape(ny, nx)
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[:-1, 1:], k[1:, 1:], k[1:, :-1]))
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def sampled(shape: Shape, sides: int) -> Triangles:
    """The hull of farthest points of a convex shape."""
    from rbdyn.collision.shapes.hull import convex_hull

    points, _ = ball(sides)
    return convex_hull(np.array([shape.farthest(d) for d in points]))


def joined_parts(parts: list[tuple[Triangles, np.ndarray]]) -> Triangles:
    """Triangles at their poses, in one list."""
    vertices, faces, n = [], [], 0
    for (points, triangles), X in parts:
        vertices.append(points @ X[:3, :3].T + X[:3, 3])
        faces.append(np.asarray(triangles) + n)
        n += len(points)
    return np.concatenate(vertices), np.concatenate(faces)
