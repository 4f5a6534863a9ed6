"""All bodies or frames of a robot at once, without a loop; properties of ArticulatedSystem, written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdyn.algorithms.kinematics import forward, update
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.handles.finding import frames_of

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


@property  # type: ignore[misc]
def body_poses(robot: ArticulatedSystem) -> Array:
    """World poses of `body_names`, (n, 4, 4), fresh."""
    return forward.forward_kinematics(robot._placed)


@property  # type: ignore[misc]
def body_positions(robot: ArticulatedSystem) -> Array:
    """World positions of the origins of `body_names`, (n, 3), fresh [m]."""
    positions: Array = forward.forward_kinematics(robot._placed)[:, :3, 3]
    return positions


@property  # type: ignore[misc]
def body_velocities(robot: ArticulatedSystem) -> Array:
    """Of `body_names`: angular velocity, then that of the origin, world axes, (n, 6), fresh [rad/s, m/s]."""
    return update.body_velocities(robot._placed)


@property  # type: ignore[misc]
def frame_poses(robot: ArticulatedSystem) -> Array:
    """World poses of `frames`, (n, 4, 4), fresh."""
    return forward.frame_poses(robot._placed, frames_of(robot))
