"""Convex shapes of a user's own."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rbdyn.arguments import number, shown
from rbdyn.collision.shapes import drawn
from rbdyn.collision.shapes.shape import MOST, Shape, ShapeData
from rbdyn.errors import CollisionError

SIGNATURE = "void (double *, double *, void *)"
SIX = np.concatenate([np.eye(3), -np.eye(3)])

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


@dataclass(frozen=True)
class SupportShape(Shape):
    """A convex shape that a support function defines: contacts, rays and distances by the general routines.

    Contacts are single points.  For something to stand on, take a ConvexHull.

    Source: G. van den Bergen, Collision Detection in Interactive 3D Environments (2003), section 3.3.4.

    Parameters
    ----------
    support : callable, or scipy.LowLevelCallable
        ``support(direction)`` returns the point of the shape that is farthest along a direction, (3,) of any length but
        zero, both in the shape's frame [m].  It must say the same whenever it is asked; where several points are
        farthest, any of them.  A LowLevelCallable has the signature ``void (double *direction, double *point, void *)``
        (of Cython, numba or C), is called without the interpreter's lock, and must write a finite point.
    radius : float
        Of a ball around every point of it [m], 0 or more: a point is a ball, a segment a capsule.

    Raises
    ------
    CollisionError
        If it is no such function, or the shape that it defines is flat and has no radius.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdyn.collision import SupportShape, Box, distance
    >>> plate = SupportShape(lambda d: (np.sign(d[0]), np.sign(d[1]), 0.0), radius=0.1)
    >>> pose = np.eye(4)
    >>> pose[2, 3] = 1.0
    >>> round(float(distance(plate, pose, Box((1.0, 1.0, 1.0)), np.eye(4)).distance), 9)
    0.4
    """

    kind: ClassVar[str] = "support_shape"
    support: Any = field(repr=False)
    radius: float = 0.0

    def __post_init__(self) -> None:
        if _is_compiled(self.support):
            if self.support.signature != SIGNATURE:
                raise CollisionError(f"support must have the signature {SIGNATURE!r}, got {self.support.signature!r}")
        elif not callable(self.support):
            raise CollisionError(f"support must be a function of a direction, got {shown(self.support)}")
        radius = number(self.radius, "radius", low=0.0, unit="[m]", error=CollisionError)
        object.__setattr__(self, "radius", radius)
        self.data()

    def __getstate__(self) -> dict[str, object]:
        return {"support": self.support, "radius": self.radius}  # addresses are of this process

    def data(self) -> ShapeData:
        """What compiled code is told: SupportData."""
        return self._data

    @cached_property
    def _data(self) -> ShapeData:
        corners = np.array([self._ask(d) for d in SIX])
        high, low = np.diag(corners[:3]), np.diag(corners[3:])
        if (high < low - 1e-9 * np.abs(corners).max()).any():
            raise CollisionError(f"support does not return farthest points: along x, y, z {high}, against them {low}")
        center, half = 0.5 * (high + low), np.maximum(0.5 * (high - low), 0.0)
        if half.min() + self.radius <= 0.0:
            raise CollisionError(f"a flat shape needs a radius; the half sides of its box are {half} [m]")
        (cx, cy, cz), (x, y, z) = center.tolist(), half.tolist()
        function = np.empty(1, dtype=object)
        function[0] = self.support
        sizes: dict[str, object] = {"function": function, **self._compiled()}
        radius = float(np.linalg.norm(half)) + self.radius
        return ShapeData(self.kind, sizes, radius, center=(cx, cy, cz), box=(x, y, z), ball=self.radius)

    def _compiled(self) -> dict[str, np.ndarray]:
        """Addresses of compiled code and of what it is given; 0 of a Python function."""
        function = user = 0
        if _is_compiled(self.support):
            capsule = tuple.__getitem__(self.support, 0)
            function = _pointer(capsule, _name(capsule))
            user = _context(capsule) or 0
        return {"compiled": np.array([function], np.uintp), "user": np.array([user], np.uintp)}

    def _ask(self, direction: np.ndarray) -> np.ndarray:
        """The core's farthest point."""
        if _is_compiled(self.support):
            known = self._compiled()
            point = np.zeros(3)
            _prototype(int(known["compiled"][0]))(
                np.ascontiguousarray(direction, dtype=np.float64).ctypes.data, point.ctypes.data, int(known["user"][0])
            )
        else:
            answer = self.support(np.array(direction, dtype=np.float64))
            try:
                point = np.array(answer, dtype=np.float64)
            except (TypeError, ValueError):
                point = np.empty(0)
            if point.shape != (3,):
                raise CollisionError(f"a support function must return three numbers [m], got {shown(answer)}")
        if not (np.abs(point) < MOST).all():
            raise CollisionError(f"a support function must return a finite point [m], got {shown(point)}")
        return point

    def _triangles(self, sides: int) -> tuple[np.ndarray, np.ndarray]:
        return drawn.sampled(self, sides)

    def farthest(self, direction: np.ndarray) -> np.ndarray:
        """The point farthest along a direction, (3,) [m]."""
        return self._ask(direction) + self.radius / np.linalg.norm(direction) * np.asarray(direction)


def _is_compiled(support: Any) -> bool:
    """Whether it is a scipy.LowLevelCallable; scipy is not imported to find that out."""
    return type(support).__name__ == "LowLevelCallable" and isinstance(support, tuple)


_prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_context = ctypes.pythonapi.PyCapsule_GetContext
_context.restype, _context.argtypes = ctypes.c_void_p, [ctypes.py_object]
