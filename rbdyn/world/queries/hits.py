"""What rays and casts met: RayHit, of one; RayHits, of many.  What is nearest of two objects: Separation."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdyn.world.objects.object import WorldObject

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """A collision shape that a query found: whose it is, and of what."""

    object: WorldObject
    body: str
    link: str
    geometry: str
    material: str


class Separation(NamedTuple):
    """What is nearest of two objects, in world axes.

    Parameters
    ----------
    distance : float
        [m]; negative if they overlap.
    on_a, on_b : (3,) ndarray
        The closest points, or those that are deepest in each other [m].
    normal : (3,) ndarray
        Unit, from b to a.
    shape_a, shape_b : Seen
        Whose shapes these are.
    """

    distance: float
    on_a: Array
    on_b: Array
    normal: Array
    shape_a: Seen
    shape_b: Seen


@dataclass(frozen=True, eq=False, repr=False)
class RayHit:
    """Where one ray meets a collision shape; a value, with read-only arrays.

    Attributes
    ----------
    object : WorldObject
        Whose the shape is.
    body, link : str
        Name of the body that carries it; and of the link it belongs to, a body or what a fixed joint merged into it.
        Of a single body, the object's own name.
    geometry, material : str
        Names of the shape and of its material.
    distance : float
        From the origin of the ray [m].
    position : (3,) ndarray
        World [m].
    normal : (3,) ndarray
        Of the surface, outward unit vector, world axes.
    """

    object: WorldObject
    body: str
    link: str
    geometry: str
    material: str
    distance: float
    position: Array
    normal: Array

    def __repr__(self) -> str:
        return f"RayHit({self.object.name!r}, {self.geometry!r}, distance={self.distance:.6g} m)"


class RayHits:
    """Where many rays meet collision shapes first; `hits[i]` is a RayHit, or None.

    Attributes
    ----------
    distance : (n,) ndarray
        From the origins of the rays [m]; infinite where nothing is met.
    position : (n, 3) ndarray
        World [m]; not a number where nothing is met.
    normal : (n, 3) ndarray
        Outward unit vectors, world axes; zero where nothing is met.
    index : (n,) ndarray of int
        Which of `seen`; -1 where nothing is met.
    seen : tuple of Seen
        The shapes that were met: (object, body, link, geometry, material), each once.
    """

    def __init__(
        self, distance: Array, position: Array, normal: Array, index: NDArray[np.intp], seen: tuple[Seen, ...]
    ) -> None:
        for array in (distance, position, normal, index):
            array.flags.writeable = False
        self.distance = distance
        self.position = position
        self.normal = normal
        self.index = index
        self.seen = seen

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Which rays met something, (n,), fresh."""
        return self.index >= 0

    def __len__(self) -> int:
        return len(self.distance)

    def __getitem__(self, i: int) -> RayHit | None:
        k = operator.index(i)
        if not -len(self) <= k < len(self):
            raise IndexError(f"ray {k} of {len(self)}")
        if self.index[k] < 0:
            return None
        seen = self.seen[self.index[k]]
        distance = float(self.distance[k])
        return RayHit(**seen._asdict(), distance=distance, position=self.position[k], normal=self.normal[k])

    def __iter__(self) -> Iterator[RayHit | None]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"RayHits({len(self)} rays, {int(self.hit.sum())} hits)"
