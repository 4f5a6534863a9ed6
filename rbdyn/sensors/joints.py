"""Sensors at joints: coordinates and forces, and the wrench that goes through."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.errors import Error
from rbdyn.sensors.descriptions import ForceTorqueSensor, JointSensor
from rbdyn.sensors.noise import with_noise
from rbdyn.sensors.sensor import MountedSensor
from rbdyn.world.objects.handles.step_start import start_of
from rbdyn.world.objects.handles.transmitted import wrench_through

Array = NDArray[np.float64]


class MountedJointSensor(MountedSensor):
    """Position, velocity and motor force of a joint.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: JointSensor
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"position": None, "velocity": None, "force": None}

    def _begin(self) -> None:
        self._joint = self._mount.robot.joint(self.description.joint)
        self._joint.q_index, self._joint.v_index  # noqa: B018  raise if it has no coordinates

    def _measured(self, dt: float) -> dict[str, Array]:
        d, robot, joint = self.description, self._mount.robot, self._joint
        k, n = joint.v_index, np.size(joint.v)
        values = {
            "position": (joint.q, d.position_noise),
            "velocity": (joint.v, d.velocity_noise),
            "force": (robot.applied_force[k : k + n], d.force_noise),
        }
        return {
            name: with_noise(np.atleast_1d(np.array(x, dtype=np.float64)), noise, self._rng)
            for name, (x, noise) in values.items()
        }

    @property
    def position(self) -> Array:
        """Its coordinates, (num_positions,) read-only [rad or m]."""
        return self["position"]

    @property
    def velocity(self) -> Array:
        """Their rates, (num_velocities,) read-only [rad/s or m/s]."""
        return self["velocity"]

    @property
    def force(self) -> Array:
        """What its actuator applied in the latest step, (num_velocities,) read-only [N m or N]."""
        return self["force"]


class MountedForceTorque(MountedSensor):
    """The wrench that the parent of a joint exerted on its child through it in the latest step, mean over that step.

    Force, and moment about the origin of the sensor, along its axes at the start of the step; the sensor is mounted on
    the joint's child, whichever link the set is on.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.

    Notes
    -----
    A fixed joint's wrench follows from the motion, the weight and the contacts of the links beyond it.  What else acts
    on them (forces that are given, wires, joints of the World, loops) is not known link by link: in steps in which such
    a thing acts on the body that fixed joints make of them, the sensor reads "not a number".  A sensor at a joint that
    moves has no such gap.
    """

    description: ForceTorqueSensor
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"force": (3,), "torque": (3,)}

    def _begin(self) -> None:
        self._joint = self._mount.robot.joint(self.description.joint)
        if not self._joint.in_tree:
            raise Error(
                f"joint {self._joint.name!r} closes a loop: robot.loop_force({self._joint.name!r}) is its force"
            )

    @property
    def pose(self) -> Array:
        """Homogeneous pose in the world now, (4, 4), fresh."""
        self._mount.check()
        return np.asarray(self._joint.successor.pose @ self._mounting)

    def _measured(self, dt: float) -> dict[str, Array]:
        d, robot = self.description, self._mount.robot
        joint = robot.mechanism.find_joint(self._joint.name)
        X = body_pose(start_of(robot), robot.mechanism.successor(joint)) @ self._mounting
        torque, force = wrench_through(robot, joint, X[:3, 3])
        return {
            "force": with_noise(X[:3, :3].T @ force, d.force_noise, self._rng),
            "torque": with_noise(X[:3, :3].T @ torque, d.torque_noise, self._rng),
        }

    @property
    def force(self) -> Array:
        """On the joint's child, along the sensor's axes, (3,) read-only [N]."""
        return self["force"]

    @property
    def torque(self) -> Array:
        """About the sensor's origin, along its axes, (3,) read-only [N m]."""
        return self["torque"]
