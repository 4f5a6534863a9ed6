"""Colours of what has none: pleasant ones, the same for the same name."""

from __future__ import annotations

import zlib

from rbdyn.collision.shapes import HalfSpace, HeightMap, Shape
from rbdyn.mechanism.geometry import Color

# muted, of like lightness, and told apart by those who see red and green alike (after P. Tol, Colour schemes, 2021)
PALETTE: tuple[Color, ...] = (
    (0.35, 0.55, 0.78, 1.0),  # blue
    (0.90, 0.60, 0.34, 1.0),  # orange
    (0.45, 0.70, 0.52, 1.0),  # green
    (0.80, 0.45, 0.50, 1.0),  # rose
    (0.62, 0.53, 0.76, 1.0),  # violet
    (0.85, 0.77, 0.42, 1.0),  # sand
    (0.42, 0.70, 0.74, 1.0),  # teal
    (0.66, 0.58, 0.50, 1.0),  # taupe
)
ROBOT: Color = (0.72, 0.74, 0.77, 1.0)  # painted metal
TERRAIN: Color = (0.62, 0.66, 0.58, 1.0)
GROUND: Color = (0.78, 0.79, 0.80, 1.0)


def default_color(name: str, shape: Shape, robot: bool) -> Color:
    """The colour of a shape that has none.

    Parameters
    ----------
    name : str
        Of its object: the same name has the same colour in every World.
    shape : Shape
        Ground and terrain have colours of their own.
    robot : bool
        Whether the object is a mechanism.

    Returns
    -------
    color : (r, g, b, a)
        0 to 1.
    """
    if isinstance(shape, HalfSpace):
        return GROUND
    if isinstance(shape, HeightMap):
        return TERRAIN
    return ROBOT if robot else PALETTE[zlib.crc32(name.encode()) % len(PALETTE)]
