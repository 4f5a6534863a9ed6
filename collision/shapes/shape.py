"""What every shape has: a kind, checked sizes, and what compiled code is told of it."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import number, plain_array, shown, whole
from rbdyn.errors import CollisionError

Triple = tuple[float, float, float]
ZERO: Triple = (0.0, 0.0, 0.0)
LEAST, MOST = 1e-40, 1e40  # lengths [m]: kernels compute with their sixth powers
# Largest size of one shape over its least: rays from all sides meet cones of 1e6, and miss some of 1e9.
MOST_RATIO = 1e6


@dataclass(frozen=True)
class ShapeData:
    """A shape as compiled code takes it.

    Parameters
    ----------
    kind : str
        Under which pair_table knows it.
    sizes : dict
        The fields of its C struct, in order: floats, triples of floats, ints, or arrays, of which the struct has the
        address.
    radius : float
        Of the bounding sphere about `center` [m].
    center, box, ellipsoid : tuple of float
    ball : float
        The shape lies in center + box + ball + ellipsoid, the Minkowski sum of a point, a box (half sides), a ball
        (radius) and an ellipsoid (semi-axes), all along the shape's axes [m].
    """

    kind: str
    sizes: dict[str, object]
    radius: float
    center: Triple = ZERO
    box: Triple = ZERO
    ball: float = 0.0
    ellipsoid: Triple = ZERO

    def packed(self) -> bytes:
        """The C struct; the arrays among `sizes` must outlive it.

        NumPy's structured types would do, but lose a KeyboardInterrupt that comes while they are made.
        """
        layout = "@"
        values: list[object] = []
        for value in self.sizes.values():
            if isinstance(value, np.ndarray):
                layout, values = layout + "P", [*values, value.ctypes.data]
            elif isinstance(value, tuple):
                layout, values = layout + "3d", [*values, *value]
            else:
                layout, values = layout + ("i" if isinstance(value, int) else "d"), [*values, value]
        return struct.pack(layout + "0d", *values)


class Shape(ABC):
    """A shape in its own frame, in metres: a frozen value that knows its size and nothing else.

    Where it sits and what it is made of is said by the `Geometry` (on a body) or the object that carries it.

    Attributes
    ----------
    kind : str
        What sort of shape this is, in small letters: names of objects begin with it.
    """

    kind: ClassVar[str]

    def __deepcopy__(self, memo: dict[int, object]) -> Shape:
        """Itself: it cannot change."""
        return self

    @abstractmethod
    def data(self) -> ShapeData:
        """What compiled code is told."""

    def inertia(self, mass: float) -> np.ndarray:
        """Inertia about the origin of `mass` [kg] of uniform density, (3, 3) [kg m^2]; CollisionError if none."""
        raise CollisionError(f"a {self.kind} has no inertia of its own: give it")

    @property
    def volume(self) -> float:
        """[m^3]; CollisionError if it has none."""
        raise CollisionError(f"a {self.kind} has no volume")

    @property
    def centroid(self) -> np.ndarray:
        """Centre of its volume, (3,) [m]: the origin, unless it is given by corners."""
        return np.zeros(3)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point of a convex shape farthest along a direction (of any length), (3,) [m].  RTCD, section 9.5.4."""
        raise CollisionError(f"a {self.kind} has no farthest point")

    def bounding_box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest coordinates, (3,) each [m], along the shape's axes; CollisionError if it is without end."""
        points = np.array([self.farthest(d) for d in np.concatenate([np.eye(3), -np.eye(3)])])
        return np.diag(points[3:]).copy(), np.diag(points[:3]).copy()

    def triangles(self, sides: int = 32) -> tuple[np.ndarray, np.ndarray]:
        """The surface as triangles, for drawing.

        Parameters
        ----------
        sides : int
            Of what is round: how many go around it, 8 or more.

        Returns
        -------
        vertices : (n, 3) ndarray of float
            In the shape's frame [m].
        faces : (m, 3) ndarray of int
            Corner numbers, counter-clockwise seen from outside.

        Raises
        ------
        CollisionError
            If the shape is without end.
        """
        vertices, faces = self._triangles(4 * (whole(sides, "sides", least=8, most=4096, error=CollisionError) // 4))
        return vertices, faces

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        """The same; `sides` is a multiple of 4."""
        raise CollisionError(f"a {self.kind} is without end: it has no triangles")

    def contains(self, points: ArrayLike) -> np.ndarray:
        """Whether points lie in the shape, or on its surface.

        Parameters
        ----------
        points : (..., 3) array_like of float
            In the shape's frame [m].

        Returns
        -------
        inside : (...) ndarray of bool

        Raises
        ------
        CollisionError
            If the points are none, or the shape encloses nothing that is known.
        """
        array = plain_array(points, "points", np.float64, error=CollisionError)
        if array.ndim < 1 or array.shape[-1] != 3 or not np.isfinite(array).all():
            raise CollisionError(f"points must be a (..., 3) array of finite numbers [m], got shape {array.shape}")
        return np.asarray(self._contains(array.reshape(-1, 3))).reshape(array.shape[:-1])

    def _contains(self, points: np.ndarray) -> np.ndarray:
        """The same of (n, 3) finite points."""
        raise CollisionError(f"of a {self.kind} it is not known what lies within")

    def flat_sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Outward unit normals (n, 3) and distances from the origin (n,) [m] of its flat sides."""
        return np.empty((0, 3)), np.empty(0)


def positive(value: object, name: str) -> float:
    """A length whose sixth power is a number too, or CollisionError naming it."""
    length = number(value, name, above=0.0, unit="[m]", error=CollisionError)
    if not LEAST < length < MOST:
        raise CollisionError(f"{name} must be {LEAST:g} to {MOST:g} [m], got {length!r}")
    return length


def three_lengths(values: object, name: str, what: str) -> Triple:
    """Three finite positive floats, or CollisionError naming them."""
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise CollisionError(f"{name} must hold three {what} [m], got {shown(values)}")
    if len(values) != 3:
        raise CollisionError(f"{name} must hold three {what} [m], got {len(values)} values")
    x, y, z = (positive(s, f"{name}[{k}]") for k, s in enumerate(values))
    return x, y, z


def check_ratio(kind: str, sizes: Sequence[float]) -> None:
    """CollisionError naming the shape if one of its sizes [m] is more than MOST_RATIO times another."""
    if max(sizes) > MOST_RATIO * (1.0 + 1e-9) * min(sizes):
        given = ", ".join(f"{size:g}" for size in sizes)
        raise CollisionError(f"the sizes of a {kind} must be within a ratio of {MOST_RATIO:g}, got {given} [m]")


def points(vertices: object, name: str, least: int) -> np.ndarray:
    """An (n, 3) array of finite numbers, n >= least, read-only; or CollisionError naming it."""
    array = np.array(plain_array(vertices, name, np.float64, error=CollisionError), order="C")
    if array.ndim != 2 or array.shape[1] != 3 or len(array) < least:
        raise CollisionError(f"{name} must be an (n, 3) array [m] with n >= {least}, got shape {array.shape}")
    if not (np.abs(array) < MOST).all():
        raise CollisionError(f"{name} must be finite, below {MOST:g} [m]")
    array.flags.writeable = False
    return array
