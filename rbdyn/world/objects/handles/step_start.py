"""Where the latest step of a robot began: what the step did is seen from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.mechanism import RigidBody
from rbdyn.model import State
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.handles import last_step
from rbdyn.world.objects.handles.placed import Placed

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


def start_of(robot: ArticulatedSystem) -> State:
    """A State at which the latest step began, the present one if none is known; the same object at every call."""
    handles = robot._handles_here
    start = handles.get(State)
    if start is None or start.model is not robot.model:
        start = handles[State] = State(robot.model)
    last_step.begin(robot, robot.state, start)
    return start


def turned_into(robot: ArticulatedSystem, frame: Any, a: Array) -> Array:
    """A vector (3,), or a pair of them (6,), from world axes to those that a frame of this robot had then."""
    if isinstance(frame, str) and frame == "world":
        return a
    if isinstance(frame, Placed) and frame.robot is robot:
        frame = frame._key
    if not isinstance(frame, (str, RigidBody, CartesianFrame)):
        need = "a body, joint or frame of it, or \"world\": what a step did is seen from its start"
        raise Error(f"expressed_in must be of {robot.name!r}: {need}; got {shown(frame)}")
    R = body_pose(start_of(robot), frame)[:3, :3].T
    return R @ a if len(a) == 3 else np.concatenate([R @ a[:3], R @ a[3:]])
