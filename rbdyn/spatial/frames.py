"""Frames, and spatial values that know theirs: combining values of different frames raises."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, shown
from rbdyn.errors import Error, FrameMismatchError
from rbdyn.spatial.frozen import Frozen
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform, check_pose

_counter = itertools.count()


class CartesianFrame(Frozen):
    """A named right-handed frame.  Two frames are the same only if they are the same object.

    Parameters
    ----------
    name : str
        Shown in messages; need not be unique.
    """

    __slots__ = ("id", "name")

    id: int
    name: str

    def __init__(self, name: str = "") -> None:
        if not isinstance(name, str):
            raise Error(f"name of a CartesianFrame must be a string, got {shown(name)}")
        number = next(_counter)
        object.__setattr__(self, "id", number)
        object.__setattr__(self, "name", str(name) or f"frame_{number}")

    def __repr__(self) -> str:
        return f"CartesianFrame({self.name!r})"

    def __deepcopy__(self, memo: dict[int, object]) -> CartesianFrame:
        """Another frame, with an id of its own: quicker than by `__reduce__`, and robots have hundreds."""
        made = CartesianFrame.__new__(CartesianFrame)
        object.__setattr__(made, "id", next(_counter))
        object.__setattr__(made, "name", self.name)
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return CartesianFrame, (self.name,)


def _check_frame(frame: object, name: str) -> None:
    if not isinstance(frame, CartesianFrame):
        raise Error(f"{name} must be a CartesianFrame, got {shown(frame)}")


def _same_frame(what: str, a: CartesianFrame, b: CartesianFrame) -> None:
    if a is not b:
        raise FrameMismatchError(f"{what}: {a!r} and {b!r} are different frames; express one in the other first")


def _check_kind(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise Error(f"{name} must be a {kind.__name__}, got {shown(value)}")


class FrameVector(Frozen):
    """A free vector, or a point, expressed in a frame.

    Parameters
    ----------
    frame : CartesianFrame
        The frame of the coordinates.
    xyz : (3,) array_like
        Coordinates.
    """

    __slots__ = ("frame", "xyz")
    frame: CartesianFrame
    xyz: Array

    def __init__(self, frame: CartesianFrame, xyz: ArrayLike) -> None:
        _check_frame(frame, "frame")
        self._set(frame=frame, xyz=as_vector(xyz, 3, "xyz"))

    def __add__(self, other: FrameVector) -> FrameVector:
        if not isinstance(other, FrameVector):
            return NotImplemented
        _same_frame("FrameVector + FrameVector", self.frame, other.frame)
        return FrameVector(self.frame, self.xyz + other.xyz)

    def __sub__(self, other: FrameVector) -> FrameVector:
        if not isinstance(other, FrameVector):
            return NotImplemented
        _same_frame("FrameVector - FrameVector", self.frame, other.frame)
        return FrameVector(self.frame, self.xyz - other.xyz)

    def dot(self, other: FrameVector) -> float:
        """Scalar product with another FrameVector, `other`; FrameMismatchError unless it is in the same frame."""
        _check_kind(other, FrameVector, "other")
        _same_frame("dot", self.frame, other.frame)
        return float(self.xyz @ other.xyz)

    def cross(self, other: FrameVector) -> FrameVector:
        """Vector product self x `other`; FrameMismatchError unless both are in the same frame."""
        _check_kind(other, FrameVector, "other")
        _same_frame("cross", self.frame, other.frame)
        return FrameVector(self.frame, np.cross(self.xyz, other.xyz))

    def __repr__(self) -> str:
        return f"FrameVector({self.frame.name!r}, {self.xyz.tolist()})"

    def __reduce__(self) -> tuple[object, ...]:
        return FrameVector, (self.frame, self.xyz.copy())


class _Screw(Frozen):
    """Six numbers in a frame, angular part first: what Twist, SpatialAcceleration and Wrench share."""

    __slots__ = ("angular", "frame", "linear")
    frame: CartesianFrame
    angular: Array
    linear: Array

    def __init__(self, frame: CartesianFrame, angular: ArrayLike, linear: ArrayLike) -> None:
        _check_frame(frame, "frame")
        self._set(frame=frame, angular=as_vector(angular, 3, "angular"), linear=as_vector(linear, 3, "linear"))

    @property
    def vector(self) -> Array:
        """The six numbers, angular part first, (6,)."""
        return np.concatenate([self.angular, self.linear])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.frame.name!r}, {self.angular.tolist()}, {self.linear.tolist()})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.frame, self.angular.copy(), self.linear.copy())


class _RelativeMotion(_Screw):
    """A motion of frame `body` relative to frame `base`, expressed in `frame`."""

    __slots__ = ("base", "body")
    body: CartesianFrame
    base: CartesianFrame

    def __init__(
        self,
        body: CartesianFrame,
        base: CartesianFrame,
        frame: CartesianFrame,
        angular: ArrayLike,
        linear: ArrayLike,
    ) -> None:
        super().__init__(frame, angular, linear)
        _check_frame(body, "body")
        _check_frame(base, "base")
        self._set(body=body, base=base)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.body, self.base, self.frame, self.angular.copy(), self.linear.copy())

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
        if not isinstance(other, Twist):
            return NotImplemented
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
        check_pose(pose)
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
        if not isinstance(other, SpatialAcceleration):
            return NotImplemented
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
        if not isinstance(other, Wrench):
            return NotImplemented
        _same_frame("Wrench + Wrench", self.frame, other.frame)
        return Wrench(self.frame, self.angular + other.angular, self.linear + other.linear)

    def __neg__(self) -> Wrench:
        return Wrench(self.frame, -self.angular, -self.linear)

    def dot(self, twist: Twist) -> float:
        """Power on `twist` [W]; FrameMismatchError unless both are in the same frame."""
        _check_kind(twist, Twist, "twist")
        _same_frame("Wrench . Twist", self.frame, twist.frame)
        return float(self.angular @ twist.angular + self.linear @ twist.linear)

    def transformed(self, pose: Transform, frame: CartesianFrame) -> Wrench:
        """This wrench expressed in `frame`, in which the present frame has pose `pose`."""
        check_pose(pose)
        f = pose.rotation @ self.linear
        return Wrench(frame, pose.rotation @ self.angular + np.cross(pose.translation, f), f)
