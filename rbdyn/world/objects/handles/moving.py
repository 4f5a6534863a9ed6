"""Moving: a handle of a frame fixed to a body, with velocities and Jacobians."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms.kinematics.acceleration import point_acceleration_6d
from rbdyn.algorithms.kinematics.forward import point_velocity_6d
from rbdyn.algorithms.kinematics.jacobian import point_jacobian_6d
from rbdyn.algorithms.kinematics.jacobian_dot import point_jacobian_dot_6d
from rbdyn.algorithms.kinematics.sparse import (
    SparseJacobian,
    sparse_point_jacobian_6d,
    sparse_point_jacobian_dot_6d,
)
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.handles import last_step
from rbdyn.world.objects.handles.frames_given import turned_into
from rbdyn.world.objects.handles.placed import Placed
from rbdyn.world.objects.handles.step_start import start_of
from rbdyn.world.objects.handles.step_start import turned_into as turned_at_start


class Moving(Placed):
    """A handle of a frame that moves with a body."""

    __slots__ = ()

    @property
    def velocity(self) -> Array:
        """Angular velocity, then that of its origin, world axes, (6,), fresh [rad/s, m/s]."""
        return point_velocity_6d(self._robot._placed, self._frame)

    @property
    def linear_velocity(self) -> Array:
        """Velocity of its origin, world axes, (3,), fresh [m/s]."""
        return self.velocity[3:]

    @property
    def angular_velocity(self) -> Array:
        """World axes, (3,), fresh [rad/s]."""
        return self.velocity[:3]

    def point_velocity(self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world") -> Array:
        """Velocity of a point that moves with it.

        Parameters
        ----------
        point : (3,) array_like, optional
            Where the point is now, in `frame` [m]; its own origin by default.
        frame : str, handle or SingleBody, optional
            Its own frame by default.
        expressed_in : str, handle or SingleBody
            Whose axes the result has; the velocity is that relative to the world.

        Returns
        -------
        velocity : (3,) ndarray of float64
            [m/s].
        """
        v = point_velocity_6d(self._robot._placed, self._frame, self._own(point, frame))
        return turned_into(self._robot, expressed_in, v[3:])

    @property
    def acceleration(self) -> Array:
        """Mean acceleration in the latest step: angular, then that of its origin, world axes, (6,) [rad/s^2, m/s^2].

        The rate of `velocity` at the start of the step, by the robot's `acceleration`: contact impulses are in it,
        gravity is no part of it but through what it does.  0 where no step is known.
        """
        return self._accelerated(None)

    @property
    def linear_acceleration(self) -> Array:
        """Mean acceleration of its origin in the latest step, world axes, (3,), fresh [m/s^2]."""
        return self._accelerated(None)[3:]

    @property
    def angular_acceleration(self) -> Array:
        """Mean angular acceleration in the latest step, world axes, (3,), fresh [rad/s^2]."""
        return self._accelerated(None)[:3]

    def point_acceleration(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world"
    ) -> Array:
        """Mean acceleration of a point that moves with it, in the latest step.

        Parameters
        ----------
        point : (3,) array_like, optional
            Where the point is now, in `frame` [m]; its own origin by default.
        frame : str, handle or SingleBody, optional
            Its own frame by default.
        expressed_in : str or handle
            Whose axes the result has: a frame of this robot, as it was at the start of the step, or the world.

        Returns
        -------
        acceleration : (3,) ndarray of float64
            Second derivative of its position in the world [m/s^2].
        """
        return turned_at_start(self._robot, expressed_in, self._accelerated(self._own(point, frame))[3:])

    def _accelerated(self, point: Array | None) -> Array:
        start = start_of(self._robot)
        if not last_step.is_known(self._robot):
            return np.zeros(6)
        return point_acceleration_6d(start, last_step.acceleration(self._robot), self._frame, point)

    @overload
    def jacobian(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world",
        sparse: Literal[False] = False,
    ) -> Array: ...  # fmt: skip
    @overload
    def jacobian(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world",
        *, sparse: Literal[True],
    ) -> SparseJacobian: ...  # fmt: skip
    def jacobian(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world", sparse: bool = False
    ) -> Array | SparseJacobian:
        """What velocities of the joints move it by.

        Parameters
        ----------
        point : (3,) array_like, optional
            Where the point is now, in `frame` [m]; its own origin by default.
        frame : str, handle or SingleBody, optional
            Its own frame by default.
        expressed_in : str, handle or SingleBody
            Whose axes the rows have.
        sparse : bool
            Whether only the columns of degrees of freedom that move it are wanted.

        Returns
        -------
        J : (6, nv) ndarray of float64, or SparseJacobian
            J v is its angular velocity and the velocity of the point [rad/s, m/s].
        """
        function = sparse_point_jacobian_6d if sparse else point_jacobian_6d
        return self._turned(function(self._robot._placed, self._frame, self._own(point, frame)), expressed_in)

    @overload
    def jacobian_dot(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world",
        sparse: Literal[False] = False,
    ) -> Array: ...  # fmt: skip
    @overload
    def jacobian_dot(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world",
        *, sparse: Literal[True],
    ) -> SparseJacobian: ...  # fmt: skip
    def jacobian_dot(
        self, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world", sparse: bool = False
    ) -> Array | SparseJacobian:
        """The rate of `jacobian` in world axes, seen in those of `expressed_in`: J vd + J_dot v is the acceleration.

        Parameters
        ----------
        point, frame, expressed_in, sparse
            As for `jacobian`; the point moves with it.

        Returns
        -------
        J_dot : (6, nv) ndarray of float64, or SparseJacobian
        """
        function = sparse_point_jacobian_dot_6d if sparse else point_jacobian_dot_6d
        return self._turned(function(self._robot._placed, self._frame, self._own(point, frame)), expressed_in)

    def _turned(self, J: Any, expressed_in: Any) -> Any:
        """A Jacobian with rows in the axes of a frame."""
        if isinstance(J, SparseJacobian):
            if isinstance(expressed_in, str) and expressed_in == "world":
                return J
            return SparseJacobian(J.columns, turned_into(self._robot, expressed_in, J.values), J.nv)
        return turned_into(self._robot, expressed_in, J)
