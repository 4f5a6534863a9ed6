"""Joint types: what a joint allows, as frozen values.

A type says how many coordinates it has, which way its axes point in the joint frame, and where a coordinate puts the
after-frame; the same in C, for the algorithms, is in one file of kernels, model/joints.pxd.  Conventions
(docs/conventions.md):

==============  ==============================  ===============================================  ==  ==
type            q                               v                                                nq  nv
==============  ==============================  ===============================================  ==  ==
Fixed           -                               -                                                0   0
Revolute        angle [rad]                     its rate                                         1   1
SinCosRevolute  sine, cosine of the angle       rate of the angle                                2   1
Prismatic       distance [m]                    its rate                                         1   1
Planar          x, y [m], theta [rad]           their rates                                      3   3
Spherical       quaternion [w, x, y, z]         angular velocity, parent-side joint frame        4   3
Floating        x, y, z [m], quaternion         linear, angular velocity, parent-side frame      7   6
SPQuatFloating  x, y, z [m], (x, y, z) / (1+w)  linear, angular velocity, parent-side frame      6   6
==============  ==============================  ===============================================  ==  ==

SPQuatFloating holds the stereographic projection of the quaternion, with w >= 0: three numbers of length 1 at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError
from rbdyn.spatial.rotations import (
    Array,
    as_vector,
    matrix_from_quat,
    matrix_from_rotvec,
    quat_from_matrix,
    quat_from_stereographic,
    random_quat,
    rotation_to_z,
    stereographic,
)
from rbdyn.spatial.transform import Transform

Axis = tuple[float, float, float]
IDENTITY_QUAT = (1.0, 0.0, 0.0, 0.0)


def unit_axis(axis: ArrayLike, name: str) -> Axis:
    """`axis` normalised; MechanismError if it is (nearly) zero, or so long that its square overflows."""
    a = as_vector(axis, 3, name)
    if np.abs(a).max() > 1e150:
        raise MechanismError(f"{name} must be a direction, and not as long as {a.tolist()}")
    norm = math.sqrt(float(a @ a))
    if norm < 1e-9:
        raise MechanismError(f"{name} must not be zero, got {a.tolist()}")
    if abs(norm - 1.0) < 1e-15:
        norm = 1.0
    return tuple((a / norm).tolist())


@dataclass(frozen=True)
class JointType:
    """What a joint allows.  Use one of the types below it.

    Attributes
    ----------
    num_positions, num_velocities : int
        Lengths of its q and its v.
    kind : str
        The type's name in lower case.
    unit_part : slice or None
        The part of q, a quaternion or a pair [sine, cosine], that has length 1.
    """

    num_positions: ClassVar[int] = 0
    num_velocities: ClassVar[int] = 0
    kind: ClassVar[str] = ""
    unit_part: ClassVar[slice | None] = None

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

    def pose(self, q: ArrayLike) -> Transform:
        """Pose of the after-frame in the before-frame at q.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint; quaternions are normalised.
        """
        return self._pose(as_vector(q, self.num_positions, "q"))

    def _pose(self, q: Array) -> Transform:
        return Transform()

    def motion_subspace(self, q: ArrayLike) -> Array:
        """S(q): the twist of the after-frame relative to the before-frame is S v, (6, num_velocities).

        In the axes and at the origin of the after-frame, angular part first.  The columns are orthonormal for every
        type, so that the velocity nearest to a twist is S^T times it.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint.
        """
        return self._motion_subspace(as_vector(q, self.num_positions, "q"))

    def _motion_subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def configuration(self, pose: Transform) -> Array:
        """The q whose `pose` comes nearest, (num_positions,): exactly there if the joint can reach it.

        Nearest in translation along the free directions, and in rotation by the trace of the relative rotation.
        Angles are in (-pi, pi].
        """
        return np.zeros(0)

    def flipped(self) -> JointType:
        """The type of the same joint walked from its after-frame to its before-frame.

        One with an axis has it negated, so that the same q and v mean the same motion.
        """
        return self


@dataclass(frozen=True)
class OneAxis(JointType):
    """What joint types of one axis share: the axis, kept at unit length."""

    axis: Axis = (0.0, 0.0, 1.0)
    num_velocities: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "axis"))

    def canonical_rotation(self) -> Array:
        return rotation_to_z(self.axis)

    def flipped(self) -> OneAxis:
        x, y, z = self.axis
        return type(self)((0.0 - x, 0.0 - y, 0.0 - z))  # no -0.0


def _angle_about(axis: ArrayLike, rotation: Array) -> float:
    """The angle about `axis` whose rotation R(angle) is nearest to `rotation`: it maximises tr(R^T rotation) [rad]."""
    a, R = np.asarray(axis), rotation
    sine = a @ (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return math.atan2(float(sine), float(R.trace() - a @ R @ a))


@dataclass(frozen=True)
class Fixed(JointType):
    """No motion: the two frames coincide."""

    kind: ClassVar[str] = "fixed"


@dataclass(frozen=True)
class Revolute(OneAxis):
    """Rotation about an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 1
    kind: ClassVar[str] = "revolute"

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.pi, math.pi, 1)

    def _pose(self, q: Array) -> Transform:
        return Transform(rotation=matrix_from_rotvec(q[0] * np.asarray(self.axis)))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def configuration(self, pose: Transform) -> Array:
        return np.array([_angle_about(self.axis, pose.rotation)])


@dataclass(frozen=True)
class SinCosRevolute(OneAxis):
    """Rotation about an axis, q = [sin, cos] of the angle: no jump where the angle comes round.  v = rate of the angle.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 2
    kind: ClassVar[str] = "sincosrevolute"
    unit_part: ClassVar[slice | None] = slice(0, 2)

    def neutral(self) -> Array:
        return np.array([0.0, 1.0])

    def random(self, rng: np.random.Generator) -> Array:
        angle = rng.uniform(-math.pi, math.pi)
        return np.array([math.sin(angle), math.cos(angle)])

    def _pose(self, q: Array) -> Transform:
        return Transform(rotation=matrix_from_rotvec(math.atan2(q[0], q[1]) * np.asarray(self.axis)))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def configuration(self, pose: Transform) -> Array:
        angle = _angle_about(self.axis, pose.rotation)
        return np.array([math.sin(angle), math.cos(angle)])


@dataclass(frozen=True)
class Prismatic(OneAxis):
    """Translation along an axis.

    Parameters
    ----------
    axis : (3,) array_like
        Axis in the joint frame; normalised; must not be zero.
    """

    num_positions: ClassVar[int] = 1
    kind: ClassVar[str] = "prismatic"

    def _pose(self, q: Array) -> Transform:
        return Transform(translation=q[0] * np.asarray(self.axis))

    def _motion_subspace(self, q: Array) -> Array:
        return np.array([[0.0, 0.0, 0.0, *self.axis]]).T

    def configuration(self, pose: Transform) -> Array:
        return np.array([float(np.dot(self.axis, pose.translation))])


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

    @property
    def normal(self) -> Axis:
        """x_axis cross y_axis: what theta turns about, in the joint frame."""
        return tuple(np.cross(self.x_axis, self.y_axis).tolist())

    def _pose(self, q: Array) -> Transform:
        rotation = matrix_from_rotvec(q[2] * np.asarray(self.normal))
        return Transform(rotation, translation=q[0] * np.asarray(self.x_axis) + q[1] * np.asarray(self.y_axis))

    def _motion_subspace(self, q: Array) -> Array:
        S = np.zeros((6, 3))
        S[3:, :2] = self._pose(q).rotation.T @ np.array([self.x_axis, self.y_axis]).T
        S[:3, 2] = self.normal
        return S

    def configuration(self, pose: Transform) -> Array:
        x, y = np.dot(self.x_axis, pose.translation), np.dot(self.y_axis, pose.translation)
        return np.array([x, y, _angle_about(self.normal, pose.rotation)])


@dataclass(frozen=True)
class Spherical(JointType):
    """Rotation about a point.  q = quaternion [w, x, y, z]; v = angular velocity in the parent-side joint frame."""

    num_positions: ClassVar[int] = 4
    num_velocities: ClassVar[int] = 3
    kind: ClassVar[str] = "spherical"
    unit_part: ClassVar[slice | None] = slice(0, 4)

    def neutral(self) -> Array:
        return np.array(IDENTITY_QUAT)

    def random(self, rng: np.random.Generator) -> Array:
        return random_quat(rng)

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=q)

    def _motion_subspace(self, q: Array) -> Array:
        return np.vstack([matrix_from_quat(q).T, np.zeros((3, 3))])

    def configuration(self, pose: Transform) -> Array:
        return quat_from_matrix(pose.rotation)


def _free_motion(rotation: Array) -> Array:
    """S of a joint that moves freely, v = [linear, angular] in the before-frame's axes."""
    S = np.zeros((6, 6))
    S[3:, :3] = S[:3, 3:] = rotation.T
    return S


@dataclass(frozen=True)
class Floating(JointType):
    """Free motion.  q = [x, y, z, qw, qx, qy, qz]; v = [linear, angular], both in the parent-side joint frame."""

    num_positions: ClassVar[int] = 7
    num_velocities: ClassVar[int] = 6
    kind: ClassVar[str] = "floating"
    unit_part: ClassVar[slice | None] = slice(3, 7)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, *IDENTITY_QUAT])

    def random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), random_quat(rng)])

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=q[3:], translation=q[:3])

    def _motion_subspace(self, q: Array) -> Array:
        return _free_motion(matrix_from_quat(q[3:]))

    def configuration(self, pose: Transform) -> Array:
        return np.concatenate([pose.translation, quat_from_matrix(pose.rotation)])


@dataclass(frozen=True)
class SPQuatFloating(JointType):
    """Free motion without a redundant coordinate.  q = [x, y, z, p]; v = [linear, angular], as of Floating.

    p = (qx, qy, qz) / (1 + qw), the stereographic projection of the unit quaternion with qw >= 0 (also: modified
    Rodrigues parameters), is the axis times the tangent of a quarter of the angle.  Its length is 1 at half a turn,
    where p and -p are the same rotation; what sets q keeps it within 1.
    """

    num_positions: ClassVar[int] = 6
    num_velocities: ClassVar[int] = 6
    kind: ClassVar[str] = "spquatfloating"

    def random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), stereographic(random_quat(rng))])

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=quat_from_stereographic(q[3:]), translation=q[:3])

    def _motion_subspace(self, q: Array) -> Array:
        return _free_motion(self._pose(q).rotation)

    def configuration(self, pose: Transform) -> Array:
        return np.concatenate([pose.translation, stereographic(quat_from_matrix(pose.rotation))])


TYPES = (Fixed, Revolute, SinCosRevolute, Prismatic, Planar, Spherical, Floating, SPQuatFloating)
