"""Frames as users give them: of a robot or a single body by name, any handle, a single body, or the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import Error, UnknownNameError
from rbdyn.mechanism import RigidBody
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.handles.ref import Ref
from rbdyn.world.objects.object import WorldObject


def is_single(thing: Any) -> bool:
    """Test for a SingleBody, which has a pose of its own; a robot has one for each body."""
    return isinstance(thing, WorldObject) and hasattr(type(thing), "rotation")


def pose_of(obj: Any, frame: Any, what: str) -> Array | None:
    """World pose (4, 4) of a frame that was given as argument `what`; None for the world."""
    if isinstance(frame, str) and frame == "world":
        return None
    if isinstance(frame, Ref) or is_single(frame):
        return _pose_in_world(obj, frame, what)
    if is_single(obj):
        if isinstance(frame, str):
            obj._check_body(frame)
            return _pose_in_world(obj, obj, what)
    elif isinstance(frame, (str, RigidBody, CartesianFrame)):
        return obj.body_pose(frame)
    need = "a frame: a name, a handle such as robot.body(...), or a single body"
    raise Error(f"{what} must be {need}; got {shown(frame)}")


def _pose_in_world(obj: Any, frame: Any, what: str) -> Array:
    """Of what belongs to a World: this one."""
    if (frame.robot if isinstance(frame, Ref) else frame).world is not obj.world:
        raise Error(f"{what} must be of the World of {obj.name!r}, {frame!r} is in another one")
    if isinstance(frame, Ref):
        pose: Array | None = getattr(frame, "pose", None)
        if pose is None:
            raise UnknownNameError(f"{what}: {frame!r} is not placed anywhere")
        return pose
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = frame.rotation, frame.position
    return T


def turned_into(obj: Any, frame: Any, a: Array, what: str = "expressed_in") -> Array:
    """Vectors (3,), pairs of them (6,), or columns of either, from world axes to those of a frame."""
    if isinstance(frame, str) and frame == "world":
        return a
    T = pose_of(obj, frame, what)
    assert T is not None
    R = T[:3, :3].T
    return R @ a if len(a) == 3 else np.concatenate([R @ a[:3], R @ a[3:]])


def turned_from(obj: Any, frame: Any, a: Array, what: str = "expressed_in") -> Array:
    """A vector (3,) from the axes of a frame to those of the world."""
    if isinstance(frame, str) and frame == "world":
        return a
    T = pose_of(obj, frame, what)
    assert T is not None
    turned: Array = T[:3, :3] @ a
    return turned


def to_world(obj: Any, frame: Any, point: Array) -> Array:
    """World coordinates of a point that is given in a frame [m]."""
    T = pose_of(obj, frame, "frame")
    return point if T is None else T[:3, :3] @ point + T[:3, 3]


def from_world(obj: Any, frame: Any, point: Array) -> Array:
    """Coordinates in a frame of a point of the world [m]."""
    T = pose_of(obj, frame, "expressed_in")
    return point if T is None else T[:3, :3].T @ (point - T[:3, 3])
