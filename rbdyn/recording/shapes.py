"""Shapes as numbers, and back: what a recording keeps of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)

PLAIN: tuple[type[Shape], ...] = (Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, HalfSpace)  # a few sizes each
BY_ARRAYS: dict[type[Shape], tuple[str, ...]] = {
    ConvexHull: ("vertices",),
    Mesh: ("vertices", "faces"),
    HeightMap: ("heights",),
}
KINDS: dict[str, type[Shape]] = {kind.__name__: kind for kind in (*PLAIN, *BY_ARRAYS)}


def shape_values(shape: Shape) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    """What makes a shape anew: its kind, sizes for JSON, and arrays.

    A shape of any other kind, such as one that a function describes, becomes its triangles.
    """
    if type(shape) in PLAIN:
        return type(shape).__name__, {f.name: getattr(shape, f.name) for f in fields(shape)}, {}  # type: ignore[arg-type]
    if type(shape) not in BY_ARRAYS:
        vertices, faces = shape.triangles()
        return "Mesh", {}, {"vertices": compact(vertices), "faces": faces.astype(np.int32)}
    arrays = {name: compact(getattr(shape, name)) for name in BY_ARRAYS[type(shape)]}
    sizes: dict[str, Any] = {}
    if isinstance(shape, HeightMap):
        sizes["size"] = shape.size
    if isinstance(shape, Mesh) and shape.one_sided is not None:
        sizes["one_sided"] = shape.one_sided
    return type(shape).__name__, sizes, arrays


def shape_from(kind: str, sizes: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Shape:
    """The shape of which `shape_values` told; an error if these values make none."""
    return KINDS[kind](**sizes, **arrays)


def compact(array: NDArray[Any]) -> NDArray[Any]:
    """In single precision if that loses nothing, as with meshes from files."""
    if array.dtype != np.float64:
        return array
    short = array.astype(np.float32)
    return short if np.array_equal(short.astype(np.float64), array) else array
