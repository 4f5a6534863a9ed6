"""Joint types: what a joint allows, as frozen values.

A type says how many coordinates it has and which way its axes point in the joint frame; how a coordinate
becomes a motion is in one file of kernels, model/joints.pxd.  Conventions (docs/conventions.md):

============  ==============================  ===============================================  ==  ==
type          q                               v                                                nq  nv
============  ==============================  ===============================================  ==  ==
Fixed         -                               -                                                0   0
Revolute      angle [rad]                     its rate                                         1   1
Prismatic     distance [m]                    its rate                                         1   1
Planar        x, y [m], theta [rad]           their rates                                      3   3
Spherical     quaternion [w, x, y, z]         angular velocity, parent-side joint frame        4   3
Floating      x, y, z [m], quaternion         linear, angular velocity, parent-side frame      7   6
============  ==============================  ===============================================  ==  ==
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError
from rbdyn.spatial.rotations import Array, as_vector, rotation_to_z

Axis = tuple[float, float, float]
IDENTITY_QUAT = (1.0, 0.0, 0.0, 0.0)


def unit_axis(axis: ArrayLike, name: str) -> Axis:
    """`axis` normalised; MechanismError if it is (nearly) zero."""
    a = as_vector(axis, 3, name)
    norm = math.sqrt(float(a @ a))
    if norm < 1e-9:
        raise MechanismError(f"{name} must not be zero, got {a.tolist()}")
    if abs(norm - 1.0) < 1e-15:
        norm = 1.0
    return tuple((a / norm).tolist())


@dataclass(frozen=True)
class JointType:
    """What a joint allows.  Use one of Fixed, Revolute, Prismatic, Planar, Spherical, Floating.

    Attributes
    ----------
    num_positions, num_velocities : int
        Lengths of its q and its v.
    kind : str
        The type's name in lower case.
    """

    num_positions: ClassVar[int] = 0
    num_velocities: ClassVar[int] = 0
    kind: ClassVar[str] = ""

    def neutral(self) -> Array:
        """The configuration at which both joint frames coincide, (num_positions,)."""
        return np.zeros(self.num_positions)

    def canonical_rotation(self) -> Array:
        """The rotation that takes the joint frame to the axes the kernels work in, (3, 3)."""
        return np.eye(3)

    def random(self, rng: np.random.Generator) -> Array:
        """A random configuration: angles in (-pi, pi), distances in (-1, 1) [m], uniform rotations.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance.

        Returns
        -------
        q : (num_positions,) ndarray of float64
        """
        return rng.uniform(-1.0, 1.0, self.num_positions)


@dataclass(frozen=True)
class Fixed(JointType):
    """No motion: the two frames coincide."""

    kind: ClassVar[str] = "fixed"


@dataclass(frozen=True)
class Revolute(JointType):
    """Rotation about an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    axis: Axis = (0.0, 0.0, 1.0)
    num_positions: ClassVar[int] = 1
    num_velocities: ClassVar[int] = 1
    kind: ClassVar[str] = "revolute"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "axis"))

    def canonical_rotation(self) -> Array:
        return rotation_to_z(self.axis)

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.pi, math.pi, 1)


@dataclass(frozen=True)
class Prismatic(JointType):
    """Translation along an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    axis: Axis = (0.0, 0.0, 1.0)
    num_positions: ClassVar[int] = 1
    num_velocities: ClassVar[int] = 1
    kind: ClassVar[str] = "prismatic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "axis"))

    def canonical_rotation(self) -> Array:
        return rotation_to_z(self.axis)


@dataclass(frozen=True)
class Planar(JointType):
    """Translation in a plane and rotation about its normal.

    q = [x, y, theta]: the successor's frame sits at x x_axis + y y_axis, turned by theta about x_axis cross y_axis.

    Parameters
    ----------
    x_axis, y_axis : (3,) array_like
        Orthogonal axes that span the plane, in the joint frame; normalised.
    """

    x_axis: Axis = (1.0, 0.0, 0.0)
    y_axis: Axis = (0.0, 1.0, 0.0)
    num_positions: ClassVar[int] = 3
    num_velocities: ClassVar[int] = 3
    kind: ClassVar[str] = "planar"

    def __post_init__(self) -> None:
        x, y = unit_axis(self.x_axis, "x_axis"), unit_axis(self.y_axis, "y_axis")
        if abs(float(np.dot(x, y))) > 1e-9:
            raise MechanismError(f"x_axis and y_axis must be orthogonal, got {x} and {y}")
        object.__setattr__(self, "x_axis", x)
        object.__setattr__(self, "y_axis", y)

    def canonical_rotation(self) -> Array:
        return np.array([self.x_axis, self.y_axis, np.cross(self.x_axis, self.y_axis)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, math.pi)


def random_quat(rng: np.random.Generator) -> Array:
    """A uniformly distributed unit quaternion [w, x, y, z]."""
    q = rng.normal(size=4)
    return q / math.sqrt(float(q @ q))


@dataclass(frozen=True)
class Spherical(JointType):
    """Rotation about a point.  q = quaternion [w, x, y, z]; v = angular velocity in the parent-side joint frame."""

    num_positions: ClassVar[int] = 4
    num_velocities: ClassVar[int] = 3
    kind: ClassVar[str] = "spherical"

    def neutral(self) -> Array:
        return np.array(IDENTITY_QUAT)

    def random(self, rng: np.random.Generator) -> Array:
        return random_quat(rng)


@dataclass(frozen=True)
class Floating(JointType):
    """Free motion.  q = [x, y, z, qw, qx, qy, qz]; v = [linear, angular], both in the parent-side joint frame."""

    num_positions: ClassVar[int] = 7
    num_velocities: ClassVar[int] = 6
    kind: ClassVar[str] = "floating"

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, *IDENTITY_QUAT])

    def random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), random_quat(rng)])
