"""Shapes: frozen values, in their own frame, in metres.

A shape knows its size and nothing else; where it sits and what it is made of is said by
the `Geometry` (on a body) or the object that carries it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rbdyn.errors import CollisionError


def positive(value: object, name: str) -> float:
    """`value` as a finite positive float, or CollisionError naming it."""
    if isinstance(value, (bool, complex, str, bytes)):
        raise CollisionError(f"{name} must be a positive number [m], got {value!r}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise CollisionError(f"{name} must be a positive number [m], got {value!r:.80}") from None
    if not 1e-150 < number < 1e150:  # its square must be a number too
        raise CollisionError(f"{name} must be finite and positive, 1e-150 to 1e150, got {number!r}")
    return number


@dataclass(frozen=True)
class HalfSpace:
    """All points with z <= 0: the ground.  Its frame's z axis is the outward normal."""


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin.

    Parameters
    ----------
    radius : float
        Radius [m].
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))


@dataclass(frozen=True)
class Box:
    """A box about the origin, with its edges along the axes.

    Parameters
    ----------
    size : (3,) sequence of float
        Full side lengths along x, y and z [m].
    """

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        if isinstance(self.size, (str, bytes)) or not isinstance(self.size, (Sequence, np.ndarray)):
            raise CollisionError(f"size must hold three side lengths [m], got {self.size!r}")
        if len(self.size) != 3:
            raise CollisionError(f"size must hold three side lengths [m], got {len(self.size)} values")
        object.__setattr__(self, "size", tuple(positive(s, f"size[{k}]") for k, s in enumerate(self.size)))


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z capped by two half balls.

    Parameters
    ----------
    radius : float
        Radius [m].
    length : float
        Distance between the centres of the two balls [m].
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        object.__setattr__(self, "length", positive(self.length, "length"))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z, about its centre.

    Parameters
    ----------
    radius : float
        Radius [m].
    length : float
        Full height along z [m].
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        object.__setattr__(self, "length", positive(self.length, "length"))


def _points(vertices: object, name: str, least: int) -> np.ndarray:
    try:
        array = np.array(vertices, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must be an (n, 3) array of numbers [m]") from None
    if array.ndim != 2 or array.shape[1] != 3 or len(array) < least:
        raise CollisionError(f"{name} must be an (n, 3) array [m] with n >= {least}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise CollisionError(f"{name} must be finite [m]")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of points.

    Parameters
    ----------
    vertices : (n, 3) array_like of float
        The points, n >= 4, not in one plane [m].  Kept read-only, in the given order; `convex_hull` in
        rbdyn.io.meshes reduces a cloud to its corners.
    """

    vertices: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _points(self.vertices, "vertices", 4))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConvexHull) and np.array_equal(self.vertices, other.vertices)

    def __hash__(self) -> int:
        return hash((ConvexHull, self.vertices.tobytes()))


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Parameters
    ----------
    vertices : (n, 3) array_like of float
        Corner points [m].
    faces : (m, 3) array_like of int
        Corner indices of each triangle, counter-clockwise seen from outside.
    path : str
        The file it came from, "" if none.
    """

    vertices: np.ndarray
    faces: np.ndarray
    path: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        vertices = _points(self.vertices, "vertices", 3)
        faces = np.array(self.faces)
        if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0 or faces.dtype.kind not in "iu":
            raise CollisionError(f"faces must be an (m, 3) array of int with m >= 1, got shape {faces.shape}")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise CollisionError(f"faces must index the {len(vertices)} vertices, got {faces.min()}..{faces.max()}")
        faces = faces.astype(np.int32)
        faces.flags.writeable = False
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mesh)
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.faces, other.faces)
        )

    def __hash__(self) -> int:
        return hash((Mesh, self.vertices.tobytes(), self.faces.tobytes()))


Shape = HalfSpace | Sphere | Box | Capsule | Cylinder | ConvexHull | Mesh
