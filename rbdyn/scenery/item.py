"""Item: one shape that is seen; Carrier: the body that it moves with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rbdyn.collision.shapes import Shape
from rbdyn.mechanism.geometry import Color
from rbdyn.spatial.transform import Transform


class Carrier(NamedTuple):
    """A body with which shapes move.

    Parameters
    ----------
    object : str
        Name of the object in its World; of the mechanism, where there is none.
    body : str
        Name of the body, one of `body_names`; of a single body, the object's own.
    static : bool
        Whether it stays where it is, unless somebody moves it by hand: a body of type "static", or a fixed base.
    """

    object: str
    body: str
    static: bool


@dataclass(frozen=True)
class Item:
    """One shape that is seen.

    Parameters
    ----------
    name : str
        Unique in its scenery: "OBJECT/GEOMETRY", and "OBJECT/visual/GEOMETRY" of what is only drawn.
    object : str
        Name of the object in its World, or of the mechanism.
    link : str
        Name of the link that has the shape: a body, or one that a fixed joint merged into a body; of a single body, the
        object's own.
    kind : {"visual", "collision"}
        Whether it is only drawn, or collides.
    shape : Shape
        One of rbdyn.collision.shapes.
    pose : Transform
        Where it is on its carrier.
    color : (r, g, b, a)
        0 to 1: the shape's own, or that of its object.
    carrier : int
        Which of the scenery's `carriers` it moves with.
    """

    name: str
    object: str
    link: str
    kind: str
    shape: Shape
    pose: Transform
    color: Color
    carrier: int
