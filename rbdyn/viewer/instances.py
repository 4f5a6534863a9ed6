"""Shapes as instances of few meshes: equal ones, and those that differ by their sizes alone, are drawn together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Box, Cone, Cylinder, Ellipsoid, Shape, Sphere
from rbdyn.rendering.things import linear
from rbdyn.scenery import Surface, triangles

UNIT: dict[str, Shape] = {
    "ball": Sphere(1.0),
    "box": Box((1.0, 1.0, 1.0)),
    "cylinder": Cylinder(1.0, 1.0),
    "cone": Cone(1.0, 1.0),
}


class Instance(NamedTuple):
    """A shape as one of many.

    Parameters
    ----------
    key : hashable
        Equal for those that are drawn together.
    shape : Shape
        Of which all of them are copies.
    scale : (3,) tuple of float
        Along its axes.
    """

    key: Any
    shape: Shape
    scale: tuple[float, float, float]


def instance_of(shape: Shape) -> Instance:
    """How a shape is drawn."""
    if isinstance(shape, Sphere):
        return Instance("ball", UNIT["ball"], (shape.radius,) * 3)
    if isinstance(shape, Ellipsoid):
        x, y, z = shape.radii
        return Instance("ball", UNIT["ball"], (x, y, z))
    if isinstance(shape, Box):
        x, y, z = shape.size
        return Instance("box", UNIT["box"], (x, y, z))
    if isinstance(shape, (Cylinder, Cone)):
        kind = "cylinder" if isinstance(shape, Cylinder) else "cone"
        return Instance(kind, UNIT[kind], (shape.radius, shape.radius, shape.height))
    return Instance(id(triangles(shape)), shape, (1.0, 1.0, 1.0))


def surface_of(instance: Instance) -> Surface:
    """Its triangles."""
    return triangles(instance.shape)


def shade(color: tuple[float, ...]) -> NDArray[np.uint8]:
    """A colour of instances and arrows: three.js takes it in linear light."""
    return np.round(255.0 * np.array(linear(color))).astype(np.uint8)
