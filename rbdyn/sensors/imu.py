"""Inertial measurement units."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.sensors.descriptions import Imu
from rbdyn.sensors.noise import bounded, with_noise
from rbdyn.sensors.sensor import MountedSensor
from rbdyn.spatial.rotations import quat_from_matrix
from rbdyn.world.objects.handles.step_start import start_of

Array = NDArray[np.float64]


class MountedImu(MountedSensor):
    """An inertial measurement unit: what an accelerometer feels, how fast it turns, and how it stands.

    The accelerometer reads the specific force of the latest step, acceleration less gravity, at its place and along its
    axes at the start of that step: +g upwards at rest.  It is that of the step's own equations there, contact impulses
    spread over the step, and no difference of velocities: how the body turns within the step is not averaged.  Where no
    step is known (before the first, and once the robot was set by hand) it reads as at rest.  Angular velocity and
    orientation are those of now.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: Imu
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {
        "linear_acceleration": (3,),
        "angular_velocity": (3,),
        "orientation": (4,),
    }

    def _begin(self) -> None:
        self._link = self._mount.link
        self._bias = np.zeros((2, 3))  # of the accelerometer [m/s^2] and the gyroscope [rad/s]

    def _measured(self, dt: float) -> dict[str, Array]:
        robot, d = self._mount.robot, self.description
        at, R = self._mounting[:3, 3], self._mounting[:3, :3]
        start = start_of(robot)
        felt = self._link.point_acceleration(at) - robot.world.gravity
        felt = (body_pose(start, self._mount.body)[:3, :3] @ R).T @ felt
        now = self._link.pose[:3, :3] @ R
        turning = now.T @ self._link.angular_velocity
        if dt > 0.0:
            for row, walk in enumerate((d.acc_bias_walk, d.ang_vel_bias_walk)):
                if walk > 0.0:
                    self._bias[row] += self._rng.normal(0.0, walk * np.sqrt(dt), size=3)
        felt = with_noise(felt + self._bias[0], d.acc_noise, self._rng)
        turning = with_noise(turning + self._bias[1], d.ang_vel_noise, self._rng)
        return {
            "linear_acceleration": bounded(felt, d.acc_limit),
            "angular_velocity": bounded(turning, d.ang_vel_limit),
            "orientation": quat_from_matrix(now),
        }

    @property
    def linear_acceleration(self) -> Array:
        """Specific force along its axes, (3,) read-only [m/s^2]."""
        return self["linear_acceleration"]

    @property
    def angular_velocity(self) -> Array:
        """Along its axes, (3,) read-only [rad/s]."""
        return self["angular_velocity"]

    @property
    def orientation(self) -> Array:
        """Quaternion [w, x, y, z] of its axes in the world, (4,) read-only."""
        return self["orientation"]

    @property
    def bias(self) -> Array:
        """Present biases, (2, 3) fresh: of the accelerometer [m/s^2] and of the gyroscope [rad/s]."""
        return self._bias.copy()

    def _more(self) -> dict[str, Any]:
        return {"bias": self._bias.tolist()}

    def _put_more(self, more: dict[str, Any]) -> None:
        self._bias = np.array(more["bias"])
