"""Frames, and spatial values that know theirs: combining values of different frames raises."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector
from rbdyn.errors import FrameMismatchError
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

_counter = itertools.count()


class CartesianFrame:
    """A named right-handed frame.  Two frames are the same only if they are the same object.

    Parameters
    ----------
    name : str
        Shown in messages; need not be unique.
    """

    __slots__ = ("id", "name")

    def __init__(self, name: str = "") -> None:
        self.id = next(_counter)
        self.name = name or f"frame_{self.id}"

    def __repr__(self) -> str:
        return f"CartesianFrame({self.name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return CartesianFrame, (self.name,)  # a copy is another frame, with an id of its own


def _same_frame(what: str, a: CartesianFrame, b: CartesianFrame) -> None:
    if a is not b:
        raise FrameMismatchError(f"{what}: {a!r} and {b!r} are different frames; express one in the other first")


class FrameVector:
    """A free vector, or a point, expressed in a frame.

    Parameters
    ----------
    frame : CartesianFrame
        The frame of the coordinates.
    xyz : (3,) array_like
        Coordinates.
    """

    __slots__ = ("frame", "xyz")

    def __init__(self, frame: CartesianFrame, xyz: ArrayLike) -> None:
        self.frame = frame
        self.xyz: Array = as_vector(xyz, 3, "xyz")

    def __add__(self, other: FrameVector) -> FrameVector:
        _same_frame("FrameVector + FrameVector", self.frame, other.frame)
        return FrameVector(self.frame, self.xyz + other.xyz)

    def __sub__(self, other: FrameVector) -> FrameVector:
        _same_frame("FrameVector - FrameVector", self.frame, other.frame)
        return FrameVector(self.frame, self.xyz - other.xyz)

    def dot(self, other: FrameVector) -> float:
        """Scalar product with another FrameVector, `other`; FrameMismatchError unless it is in the same frame."""
        _same_frame("dot", self.frame, other.frame)
        return float(self.xyz @ other.xyz)

    def cross(self, other: FrameVector) -> FrameVector:
        """Vector product self x `other`; FrameMismatchError unless both are in the same frame."""
        _same_frame("cross", self.frame, other.frame)
        return FrameVector(self.frame, np.cross(self.xyz, other.xyz))

    def __repr__(self) -> str:
        return f"FrameVector({self.frame.name!r}, {self.xyz.tolist()})"


class _Screw:
    """Six numbers in a frame, angular part first: what Twist, SpatialAcceleration and Wrench share."""

    __slots__ = ("angular", "frame", "linear")

    def __init__(self, frame: CartesianFrame, angular: ArrayLike, linear: ArrayLike) -> None:
        self.frame = frame
        self.angular: Array = as_vector(angular, 3, "angular")
        self.linear: Array = as_vector(linear, 3, "linear")

    @property
    def vector(self) -> Array:
        """The six numbers, angular part first, (6,)."""
        return np.concatenate([self.angular, self.linear])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.frame.name!r}, {self.angular.tolist()}, {self.linear.tolist()})"


class _RelativeMotion(_Screw):
    """A motion of frame `body` relative to frame `base`, expressed in `frame`."""

    __slots__ = ("base", "body")

    def __init__(
        self,
        body: CartesianFrame,
        base: CartesianFrame,
        frame: CartesianFrame,
        angular: ArrayLike,
        linear: ArrayLike,
    ) -> None:
        super().__init__(frame, angular, linear)
        self.body = body
        self.base = base

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.body.name!r} relative to {self.base.name!r}, in {self.frame.name!r}, "
            f"{self.angular.tolist()}, {self.linear.tolist()})"
        )


class Twist(_RelativeMotion):
    """Velocity of frame `body` relative to frame `base`, in the coordinates and at the origin of `frame`.

    Parameters
    ----------
    body, base : CartesianFrame
        What moves, and relative to what.
    frame : CartesianFrame
        Where it is expressed.
    angular, linear : (3,) array_like
        [rad/s], [m/s].
    """

    __slots__ = ()

    def __add__(self, other: Twist) -> Twist:
        """Twists of a chain add: (b rel. a) + (c rel. b) = (c rel. a), in either order."""
        _same_frame("Twist + Twist", self.frame, other.frame)
        if self.body is other.base:
            body, base = other.body, self.base
        elif other.body is self.base:
            body, base = self.body, other.base
        else:
            raise FrameMismatchError(f"Twist + Twist: {self!r} and {other!r} do not form a chain")
        return Twist(body, base, self.frame, self.angular + other.angular, self.linear + other.linear)

    def __neg__(self) -> Twist:
        return Twist(self.base, self.body, self.frame, -self.angular, -self.linear)

    def transformed(self, pose: Transform, frame: CartesianFrame) -> Twist:
        """This twist expressed in `frame`, in which the present frame has pose `pose`.  RBDA eq. 2.24."""
        w = pose.rotation @ self.angular
        return Twist(self.body, self.base, frame, w, pose.rotation @ self.linear + np.cross(pose.translation, w))


class SpatialAcceleration(_RelativeMotion):
    """Spatial (not classical) acceleration of `body` relative to `base`, expressed in `frame`.

    Its linear part is the rate of the velocity of the body-fixed point that passes the frame's origin, minus w x v.

    Parameters
    ----------
    body, base : CartesianFrame
        What moves, and relative to what.
    frame : CartesianFrame
        Where it is expressed.
    angular, linear : (3,) array_like
        [rad/s^2], [m/s^2].
    """

    __slots__ = ()

    def __add__(self, other: SpatialAcceleration) -> SpatialAcceleration:
        """Accelerations of a chain add when expressed in one inertial frame."""
        _same_frame("SpatialAcceleration + SpatialAcceleration", self.frame, other.frame)
        if self.body is not other.base:
            raise FrameMismatchError(f"SpatialAcceleration: {self!r} and {other!r} do not form a chain")
        return SpatialAcceleration(
            other.body, self.base, self.frame, self.angular + other.angular, self.linear + other.linear
        )


class Wrench(_Screw):
    """A force and its moment about the origin of `frame`, in the coordinates of `frame`.

    Parameters
    ----------
    frame : CartesianFrame
        Where it is expressed.
    angular, linear : (3,) array_like
        Moment [N m] and force [N].
    """

    __slots__ = ()

    def __add__(self, other: Wrench) -> Wrench:
        _same_frame("Wrench + Wrench", self.frame, other.frame)
        return Wrench(self.frame, self.angular + other.angular, self.linear + other.linear)

    def __neg__(self) -> Wrench:
        return Wrench(self.frame, -self.angular, -self.linear)

    def dot(self, twist: Twist) -> float:
        """Power on `twist` [W]; FrameMismatchError unless both are in the same frame."""
        _same_frame("Wrench . Twist", self.frame, twist.frame)
        return float(self.angular @ twist.angular + self.linear @ twist.linear)

    def transformed(self, pose: Transform, frame: CartesianFrame) -> Wrench:
        """This wrench expressed in `frame`, in which the present frame has pose `pose`."""
        f = pose.rotation @ self.linear
        return Wrench(frame, pose.rotation @ self.angular + np.cross(pose.translation, f), f)
