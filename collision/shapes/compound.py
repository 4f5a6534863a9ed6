"""Shapes made of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.arguments import shown
from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import Shape, ShapeData
from rbdyn.errors import CollisionError


@dataclass(frozen=True, eq=False)
class Compound(Shape):
    """Several shapes in one frame, such as a table: a value with mass properties; each part collides as what it is.

    On a body every part is a geometry of its own: `World.add_compound`, or `Geometry.parts_of` for a mechanism.

    Parameters
    ----------
    parts : iterable of Shape, or of (Shape, (4, 4) array_like)
        What it is made of, with the pose of each in the frame of the compound [m]; the identity by default.  Compounds
        among them are taken apart.

    Raises
    ------
    CollisionError
        If there is none, or one is no shape or pose.
    """

    kind: ClassVar[str] = "compound"
    parts: tuple[tuple[Shape, np.ndarray], ...]

    def __init__(self, parts: Iterable[Shape | tuple[Shape, object]]) -> None:
        if isinstance(parts, Shape) or not isinstance(parts, Iterable):
            raise CollisionError(f"parts must be a sequence of (Shape, pose) pairs, got {shown(parts)}")
        found = tuple(part for k, given in enumerate(parts) for part in _parts_of(given, f"parts[{k}]"))
        if not found:
            raise CollisionError("a compound needs a part, this one has none")
        object.__setattr__(self, "parts", found)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Compound)
            and len(self.parts) == len(other.parts)
            and all(
                a == b and np.array_equal(X, Y)
                for (a, X), (b, Y) in zip(self.parts, other.parts, strict=True)
            )
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((Compound, tuple((shape, pose.tobytes()) for shape, pose in self.parts)))

    def data(self) -> ShapeData:
        """CollisionError: compiled code is told of its parts."""
        raise CollisionError("a Compound is several shapes: add each of its parts (World.add_compound does so)")

    @property
    def volume(self) -> float:
        """Sum over its parts: what overlaps counts twice [m^3]."""
        return sum(shape.volume for shape, _ in self.parts)

    @property
    def centroid(self) -> np.ndarray:
        """Centre of its volume, (3,) [m]."""
        moments = [shape.volume * (X[:3, :3] @ shape.centroid + X[:3, 3]) for shape, X in self.parts]
        return np.asarray(np.sum(moments, axis=0) / self.volume)

    def inertia(self, mass: float) -> np.ndarray:
        """Inertia about the origin of `mass` [kg] of uniform density, (3, 3) [kg m^2]."""
        density = mass / self.volume
        return np.asarray(np.sum([_inertia_at(shape, density * shape.volume, X) for shape, X in self.parts], axis=0))

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point of its parts that is farthest along a direction, (3,) [m]: that of its convex hull."""
        points = np.array([X[:3, :3] @ shape.farthest(direction @ X[:3, :3]) + X[:3, 3] for shape, X in self.parts])
        return np.asarray(points[np.argmax(points @ direction)])

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.joined_parts([(shape.triangles(sides), X) for shape, X in self.parts])

    def _contains(self, points: np.ndarray) -> np.ndarray:
        inside = [shape.contains((points - X[:3, 3]) @ X[:3, :3]) for shape, X in self.parts]
        return np.asarray(np.any(inside, axis=0))


def _parts_of(given: object, name: str) -> Iterator[tuple[Shape, np.ndarray]]:
    """One, or those of a compound, with poses that cannot be written to."""
    shape, pose = (given, np.eye(4)) if isinstance(given, Shape) else _pair(given, name)
    inner = shape.parts if isinstance(shape, Compound) else ((shape, np.eye(4)),)
    for part, X in inner:
        place = pose @ X
        place.flags.writeable = False
        yield part, place


def _pair(given: object, name: str) -> tuple[Shape, np.ndarray]:
    """A shape and a rigid pose, or CollisionError."""
    shape: object
    pose: object
    try:
        shape, pose = given  # type: ignore[misc]
        X = np.array(pose, dtype=np.float64)
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must be a Shape, or a (Shape, (4, 4) pose) pair, got {shown(given)}") from None
    if not isinstance(shape, Shape):
        raise CollisionError(f"{name} must hold a Shape, got {shown(shape)}")
    rigid = X.shape == (4, 4) and np.isfinite(X).all() and np.array_equal(X[3], (0.0, 0.0, 0.0, 1.0))
    if not rigid or np.abs(X[:3, :3].T @ X[:3, :3] - np.eye(3)).max() > 1e-6 or np.linalg.det(X[:3, :3]) < 0.0:
        raise CollisionError(f"the pose of {name} must be a (4, 4) rigid transform [m], got {shown(pose)}")
    return shape, X


def _inertia_at(shape: Shape, mass: float, X: np.ndarray) -> np.ndarray:
    """Inertia about the origin of a part of `mass` [kg] at a pose: turned, and shifted by way of its centre of mass."""
    c, R = shape.centroid, X[:3, :3]
    about_centre = shape.inertia(mass) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    r = R @ c + X[:3, 3]
    return np.asarray(R @ about_centre @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r)))
