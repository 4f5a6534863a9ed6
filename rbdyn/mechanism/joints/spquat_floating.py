"""SPQuatFloating: free motion, its rotation by a stereographic projection."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.mechanism.joints.convention import Convention
from rbdyn.mechanism.joints.floating import Floating, free_motion
from rbdyn.mechanism.joints.joint_type import JointType
from rbdyn.spatial.rotations import Array, quat_from_matrix, quat_from_stereographic, random_quat, stereographic
from rbdyn.spatial.transform import Transform


def _projected(q: Array) -> Array:
    """[x, y, z, p] of a floating joint's q."""
    return np.concatenate([q[:3], stereographic(q[3:] / math.sqrt(float(q[3:] @ q[3:])))])


def _with_quaternion(q: Array) -> Array:
    """A floating joint's q."""
    return np.concatenate([q[:3], quat_from_stereographic(q[3:])])


def _through_floating(library: str) -> Convention:
    """For a library that has a floating joint with a quaternion instead."""
    there = Floating().convention(library)

    def read(q: Array, v: Array) -> tuple[Array, Array]:
        q, v = there.read(q, v)
        return _projected(q), v

    def write(q: Array, v: Array) -> tuple[Array, Array]:
        return there.write(_with_quaternion(q), v)

    return Convention(there.num_positions, read, write, there.at_end)


def _with_p_first(floating: Convention) -> Convention:
    """RigidBodyDynamics.jl's: p first, v as of its floating joint."""

    def read(q: Array, v: Array) -> tuple[Array, Array]:
        q, v = floating.read(np.concatenate([quat_from_stereographic(q[:3]), q[3:]]), v)
        return _projected(q), v

    def write(q: Array, v: Array) -> tuple[Array, Array]:
        q, v = floating.write(_with_quaternion(q), v)
        return np.concatenate([stereographic(q[:4]), q[4:]]), v

    return Convention(6, read, write)


@dataclass(frozen=True)
class SPQuatFloating(JointType):
    """Free motion without a redundant coordinate.  q = [x, y, z, p]; v = [linear, angular], as of Floating.

    p = (qx, qy, qz) / (1 + qw), the stereographic projection of the unit quaternion with qw >= 0 (also: modified
    Rodrigues parameters), is the axis times the tangent of a quarter of the angle.  Its length is 1 at half a turn,
    where p and -p are the same rotation; what sets q keeps it within 1.

    RigidBodyDynamics.jl has q = [p, x, y, z], with a floating joint's v; the others have a floating joint instead.
    """

    num_positions: ClassVar[int] = 6
    num_velocities: ClassVar[int] = 6
    kind: ClassVar[str] = "spquatfloating"
    num_translations: ClassVar[int] = 3
    num_plain: ClassVar[int] = 3
    normalised: ClassVar[slice | None] = slice(3, 6)
    kernel_kind: ClassVar[int] = 4
    representation: ClassVar[int] = 2
    conventions: ClassVar[Mapping[str, Convention]] = {
        **{library: _through_floating(library) for library in ("pinocchio", "mujoco", "rdl")},
        "rigidbodydynamics": _with_p_first(Floating().convention("rigidbodydynamics")),
    }

    @property
    def motion(self) -> str:
        return "floating"

    def _random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), stereographic(random_quat(rng))])

    def _pose(self, q: Array) -> Transform:
        return Transform(quat=quat_from_stereographic(q[3:]), translation=q[:3])

    def _motion_subspace(self, q: Array) -> Array:
        return free_motion(self._pose(q).rotation)

    def _configuration(self, pose: Transform) -> Array:
        return np.concatenate([pose.translation, stereographic(quat_from_matrix(pose.rotation))])

    def _normalise(self, q: Array, what: str) -> Array:
        if q[3:] @ q[3:] <= 1.0:
            return q
        return np.concatenate([q[:3], stereographic(quat_from_stereographic(q[3:]))])
