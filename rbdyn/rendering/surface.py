"""Surface: a shape as triangles with normals, made once a shape."""

from __future__ import annotations

import copy
import weakref
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import shown
from rbdyn.collision.shapes import HeightMap, Mesh, Shape
from rbdyn.collision.shapes.surface import encloses, joined
from rbdyn.errors import CollisionError
from rbdyn.rendering.normals import split_at_creases

Array = NDArray[np.float64]

SIDES = 32  # of what is round


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles with normals for smooth shading, in the frame of a shape; read-only arrays.

    Attributes
    ----------
    vertices : (n, 3) ndarray of float64
        Corners [m]; one stands several times where edges meet that are to be seen.
    normals : (n, 3) ndarray of float64
        Outward unit normals there.
    faces : (m, 3) ndarray of int32
        Corner numbers, counter-clockwise seen from outside.
    one_sided : bool
        Whether only outsides can be seen, as of all that encloses a volume.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int32]
    one_sided: bool = True

    def __post_init__(self) -> None:
        for array in (self.vertices, self.normals, self.faces):
            array.flags.writeable = False


_by_value: weakref.WeakValueDictionary[tuple[Shape, int], Surface] = weakref.WeakValueDictionary()
_by_id: dict[tuple[int, int], tuple[weakref.ref[Shape], Surface]] = {}


def triangles(shape: Shape, sides: int = SIDES) -> Surface:
    """A shape as triangles with normals; the same object for equal shapes while one of them lives.

    Parameters
    ----------
    shape : Shape
        One of rbdyn.collision.shapes that has an end.
    sides : int
        Of what is round: how many go around it, 8 or more.

    Returns
    -------
    surface : Surface

    Raises
    ------
    CollisionError
        If it is a half-space, or no Shape.
    """
    if not isinstance(shape, Shape):
        raise CollisionError(f"shape must be one of rbdyn.collision.shapes, got {shown(shape)}")
    known = _by_id.get((id(shape), sides))
    if known is not None and known[0]() is shape:  # without the hash of all its corners
        return known[1]
    surface = _of_value(shape, sides)
    key = (id(shape), sides)
    _by_id[key] = (weakref.ref(shape, lambda _: _by_id.pop(key, None)), surface)
    return surface


def _of_value(shape: Shape, sides: int) -> Surface:
    """That of an equal shape, or a new one."""
    try:
        found = _by_value.get((shape, sides))
    except TypeError:  # it cannot be hashed: one that holds a function
        return _made(shape, sides)
    if found is None:
        found = _by_value[copy.copy(shape), sides] = _made(shape, sides)  # a copy: the shape itself may go
    return found


def _made(shape: Shape, sides: int) -> Surface:
    vertices, faces = shape.triangles(sides)
    if isinstance(shape, HeightMap):
        return Surface(vertices.copy(), _height_normals(shape), faces.astype(np.int32))
    return Surface(*split_at_creases(vertices, faces), _is_one_sided(shape))


def _is_one_sided(shape: Shape) -> bool:
    """As rays see it."""
    if not isinstance(shape, Mesh) or shape.one_sided is not None:
        return getattr(shape, "one_sided", True) is not False
    try:
        return encloses(*joined(shape.vertices, shape.faces))
    except CollisionError:  # nothing of it has an area
        return False


def _height_normals(shape: HeightMap) -> Array:
    """Of terrain at its points, (n, 3)."""
    ny, nx = shape.heights.shape
    dy, dx = np.gradient(shape.heights, shape.size[1] / (ny - 1), shape.size[0] / (nx - 1))
    normals = np.stack([-dx, -dy, np.ones_like(dx)], axis=-1).reshape(-1, 3)
    return np.asarray(normals / np.linalg.norm(normals, axis=1)[:, None])
