"""Placed: a handle of something that has a pose."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.arguments import as_vector
from rbdyn.spatial.rotations import Array, quat_from_matrix
from rbdyn.world.objects.handles.frames_given import from_world, pose_of, to_world
from rbdyn.world.objects.handles.ref import Ref


class Placed(Ref):
    """A handle of something that sits in a frame fixed to a body.

    Frames as arguments are names of this robot's bodies, joints and frames, handles of any robot of this World, single
    bodies, or "world".
    """

    __slots__ = ("_frame",)
    _frame: Any  # what the Model knows its frame by

    @property
    def _key(self) -> Any:
        return self._frame

    @property
    def pose(self) -> Array:
        """Homogeneous pose in the world, (4, 4), fresh."""
        return body_pose(self._robot._placed, self._frame)

    @property
    def position(self) -> Array:
        """Its origin in the world, (3,), fresh [m]."""
        position: Array = self.pose[:3, 3]
        return position

    @property
    def rotation(self) -> Array:
        """From its axes to those of the world, (3, 3), fresh."""
        rotation: Array = self.pose[:3, :3]
        return rotation

    @property
    def orientation(self) -> Array:
        """Quaternion [w, x, y, z] of `rotation`, w >= 0, (4,), fresh."""
        return quat_from_matrix(self.rotation)

    def pose_in(self, frame: Any) -> Array:
        """Homogeneous pose in another frame.

        Parameters
        ----------
        frame : str, handle or SingleBody
            Which, as the class says; "world" gives `pose`.

        Returns
        -------
        pose : (4, 4) ndarray of float64
        """
        own, T = self.pose, pose_of(self._robot, frame, "frame")
        if T is not None:
            own[:3, 3] = T[:3, :3].T @ (own[:3, 3] - T[:3, 3])
            own[:3, :3] = T[:3, :3].T @ own[:3, :3]
        return own

    def point_position(self, point: ArrayLike, frame: Any = None, expressed_in: Any = "world") -> Array:
        """Coordinates of a point in another frame.

        Parameters
        ----------
        point : (3,) array_like
            In `frame` [m].
        frame : str, handle or SingleBody, optional
            Its own frame by default.
        expressed_in : str, handle or SingleBody
            The frame of the result.

        Returns
        -------
        position : (3,) ndarray of float64
            [m].
        """
        x = to_world(self._robot, self if frame is None else frame, as_vector(point, 3, "point"))
        return from_world(self._robot, expressed_in, x)

    def _own(self, point: ArrayLike | None, frame: Any) -> Array | None:
        """A point as algorithms want it: in its own frame; None for the origin."""
        if point is None:
            return None
        x = as_vector(point, 3, "point")
        return x if frame is None else from_world(self._robot, self, to_world(self._robot, frame, x))
