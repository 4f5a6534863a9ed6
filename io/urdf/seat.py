"""Where URDF puts a joint and its child: the child link's frame is the joint's own, so bodies may move in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbdyn.mechanism.graph import Edge
from rbdyn.mechanism.joints import Fixed, Planar, Prismatic
from rbdyn.mechanism.joints.joint_type import Axis, JointType
from rbdyn.mechanism.joints.one_axis import OneAxis
from rbdyn.spatial.rotations import rotation_to_z
from rbdyn.spatial.transform import Transform


class Seat(NamedTuple):
    """A joint as URDF says it."""

    origin: Transform  # pose of the joint in the predecessor's body frame
    axis: Axis | None
    body: Transform  # pose of the successor's body frame in its link


def seat(edge: Edge, kind: JointType) -> Seat:
    """The same motion, with as little as can be between the link frame and the body's."""
    before, after = edge.joint_pose, edge.successor_pose
    if isinstance(kind, Planar):
        return _planar(before, after, kind)
    if after.is_identity():
        return Seat(before, kind.main_axis, after)
    if isinstance(kind, Fixed):
        return Seat(before @ after, None, Transform())
    if not isinstance(kind, OneAxis):
        return Seat(before, kind.main_axis, after)
    turn = Transform(rotation=after.rotation)  # the axes of the body: J M S = (J turn)(turn^-1 M turn)(turn^-1 S)
    axis = tuple((turn.rotation.T @ kind.axis).tolist())
    along = turn.rotation.T @ after.translation
    if isinstance(kind, Prismatic) or not along.any():  # a slide is the same wherever its frame is
        return Seat(before @ after, axis, Transform())
    return Seat(before @ turn, axis, Transform(translation=along))


def _planar(before: Transform, after: Transform, kind: Planar) -> Seat:
    """URDF gives the normal alone: the reader chooses the axes of the plane, so the joint frame is turned to them."""
    if np.array_equal(rotation_to_z(kind.normal), kind.canonical_rotation()):
        return Seat(before, kind.normal, after)
    x, n = np.array(kind.x_axis), np.array(kind.normal)
    turn = Transform(np.column_stack([x, np.cross(n, x), n]))
    return Seat(before @ turn, (0.0, 0.0, 1.0), turn.inverse() @ after)
