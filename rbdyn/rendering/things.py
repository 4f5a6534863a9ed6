"""Thing: a shape as the renderer takes it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere
from rbdyn.rendering.surface import triangles

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

TRIANGLES, BALL, CAPSULE, CYLINDER, CONE, ELLIPSOID, PLANE = range(7)  # as in scene.pxd


@dataclass(frozen=True, eq=False)
class Thing:
    """A shape as the renderer takes it: round ones by their sizes, others by their triangles.

    Parameters
    ----------
    kind : int
        One of the above.
    color : (3,) tuple of float
        Linear red, green, blue, 0 to 1.
    size : (3,) tuple of float
        Of what is round, as scene.pxd has it [m].
    center, half : (3,) tuple of float
        Middle and half sides of its box, in its own frame [m].
    radius : float
        Of a ball about the middle that holds it [m].
    vertices, normals : (n, 3) ndarray of float64, optional
        Corners [m], and unit normals there.
    faces : (m, 3) ndarray of int32, optional
        Corner numbers.
    one_sided : bool
        Whether only its outside can be seen.
    """

    kind: int
    color: Triple
    size: Triple = (0.0, 0.0, 0.0)
    center: Triple = (0.0, 0.0, 0.0)
    half: Triple = (0.0, 0.0, 0.0)
    radius: float = math.inf
    vertices: Array | None = None
    normals: Array | None = None
    faces: NDArray[np.int32] | None = None
    one_sided: bool = True


def linear(color: tuple[float, ...]) -> Triple:
    """Red, green and blue of a screen, 0 to 1, as shares of light.  IEC 61966-2-1."""
    r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in color[:3])
    return r, g, b


def thing_of(shape: Shape, color: tuple[float, ...]) -> Thing:
    """A shape in a colour (red, green, blue and more, 0 to 1, as a screen has them)."""
    if isinstance(shape, HalfSpace):
        return Thing(PLANE, linear(color))
    surface = triangles(shape)
    kind, size, half = _round(shape)
    if kind == TRIANGLES:
        low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
        middle = 0.5 * (low + high)
        radius = float(np.sqrt(((surface.vertices - middle) ** 2).sum(axis=1).max()))
        x, y, z = middle.tolist()
        a, b, c = (0.5 * (high - low)).tolist()
        center, half = (x, y, z), (a, b, c)
    else:
        center, radius = (0.0, 0.0, 0.0), math.sqrt(sum(x * x for x in half))
    return Thing(
        kind,
        linear(color),
        size,
        center,
        half,
        radius,
        np.ascontiguousarray(surface.vertices),
        np.ascontiguousarray(surface.normals),
        np.ascontiguousarray(surface.faces, dtype=np.intc),
        surface.one_sided,
    )


def _round(shape: Shape) -> tuple[int, Triple, Triple]:
    """Kind, sizes and half sides of a round shape; TRIANGLES for any other."""
    if isinstance(shape, Sphere):
        return BALL, (shape.radius, 0.0, 0.0), (shape.radius,) * 3
    if isinstance(shape, Capsule):
        r, h = shape.radius, 0.5 * shape.height
        return CAPSULE, (r, h, 0.0), (r, r, h + r)
    if isinstance(shape, (Cylinder, Cone)):
        r, h = shape.radius, 0.5 * shape.height
        return CYLINDER if isinstance(shape, Cylinder) else CONE, (r, h, 0.0), (r, r, h)
    if isinstance(shape, Ellipsoid):
        return ELLIPSOID, shape.radii, shape.radii
    return TRIANGLES, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
