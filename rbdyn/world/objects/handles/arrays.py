"""All bodies or frames of a robot at once, without a loop; properties of ArticulatedSystem, written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rbdyn.algorithms.kinematics import forward, update
from rbdyn.algorithms.momentum import inertias
from rbdyn.spatial.rotations import Array, quat_from_matrix
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
def body_orientations(robot: ArticulatedSystem) -> Array:
    """World orientations of `body_names`: unit quaternions [w, x, y, z], w >= 0, (n, 4), fresh."""
    return np.array([quat_from_matrix(pose[:3, :3]) for pose in forward.forward_kinematics(robot._placed)])


@property  # type: ignore[misc]
def body_velocities(robot: ArticulatedSystem) -> Array:
    """Of `body_names`: angular velocity, then that of the origin, world axes, (n, 6), fresh [rad/s, m/s]."""
    return update.body_velocities(robot._placed)


def body_inertias(robot: ArticulatedSystem, expressed_in: Literal["body", "world"] = "body") -> inertias.Inertias:
    """Inertias of `body_names`, with what fixed joints hold on each: `rbdyn.body_inertias` of its state.

    Parameters
    ----------
    expressed_in : {"body", "world"}
        Axes and origins: each body's own, or the world's.

    Returns
    -------
    inertias : Inertias
        Arrays `mass` (n,) [kg], `com` (n, 3) [m] and `inertia` (n, 3, 3) about it [kg m^2], fresh.
    """
    return inertias.body_inertias(robot._placed, expressed_in)


def composite_inertias(robot: ArticulatedSystem, expressed_in: Literal["body", "world"] = "body") -> inertias.Inertias:
    """Inertias of `body_names`, each with all that hangs on it: `rbdyn.composite_inertias` of its state.

    Parameters
    ----------
    expressed_in : {"body", "world"}
        Axes and origins: each body's own, or the world's.

    Returns
    -------
    inertias : Inertias
        Arrays `mass` (n,) [kg], `com` (n, 3) [m] and `inertia` (n, 3, 3) about it [kg m^2], fresh.
    """
    return inertias.composite_inertias(robot._placed, expressed_in)


@property  # type: ignore[misc]
def frame_poses(robot: ArticulatedSystem) -> Array:
    """World poses of `frames`, (n, 4, 4), fresh."""
    return forward.frame_poses(robot._placed, frames_of(robot))


@property  # type: ignore[misc]
def frame_velocities(robot: ArticulatedSystem) -> Array:
    """Of `frames`: angular velocity, then that of the origin, world axes, (n, 6), fresh [rad/s, m/s]."""
    frames = frames_of(robot)
    velocities = np.empty((len(frames), 6))
    for frame, row in zip(frames, velocities, strict=True):
        forward.point_velocity_6d(robot._placed, frame, None, row)
    return velocities
