"""The base of a robot, one thing at a time; properties of ArticulatedSystem, written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms.kinematics.forward import point_velocity_6d
from rbdyn.algorithms.kinematics.jacobian import point_jacobian_6d
from rbdyn.arguments import as_vector
from rbdyn.errors import Error
from rbdyn.mechanism import RigidBody
from rbdyn.spatial.rotations import Array, quat_from_matrix

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

FREE = np.eye(6)[[3, 4, 5, 0, 1, 2]]  # Jacobian of a base whose v are its velocities: linear first, then angular


def _base(robot: ArticulatedSystem) -> RigidBody:
    """The base: what floats, or the root, whose name may be "world" although it stands elsewhere."""
    model = robot._placed.model
    return model.mechanism.bodies[1 if model.floating_base else 0]


def _position(robot: ArticulatedSystem) -> Array:
    """World position of the base, (3,) [m]; setting it forgets contacts, and moves a fixed base too."""
    return robot.body_pose(_base(robot))[:3, 3].copy()


def _set_position(robot: ArticulatedSystem, position: ArrayLike) -> None:
    robot.set_base_pose(position=as_vector(position, 3, "base_position"))


def _orientation(robot: ArticulatedSystem) -> Array:
    """Orientation of the base, quaternion [w, x, y, z]; set by one or by a matrix (3, 3), on a fixed base too."""
    return quat_from_matrix(robot.body_pose(_base(robot))[:3, :3])


def _set_orientation(robot: ArticulatedSystem, orientation: ArrayLike) -> None:
    robot.set_base_pose(orientation=orientation)


def _linear_velocity(robot: ArticulatedSystem) -> Array:
    """Velocity of the base's origin, world axes, (3,) [m/s]; setting it forgets contacts; a fixed base has none."""
    return point_velocity_6d(robot._placed, _base(robot))[3:]


def _set_linear_velocity(robot: ArticulatedSystem, velocity: ArrayLike) -> None:
    _set_velocity(robot, slice(3, 6), as_vector(velocity, 3, "base_linear_velocity"))


def _angular_velocity(robot: ArticulatedSystem) -> Array:
    """Angular velocity of the base, world axes, (3,) [rad/s]; setting it forgets contacts; a fixed base has none."""
    return point_velocity_6d(robot._placed, _base(robot))[:3]


def _set_angular_velocity(robot: ArticulatedSystem, velocity: ArrayLike) -> None:
    _set_velocity(robot, slice(0, 3), as_vector(velocity, 3, "base_angular_velocity"))


def _set_velocity(robot: ArticulatedSystem, which: slice, value: Array) -> None:
    """One half of the base's velocity, angular first; the other stays."""
    state, base = robot._placed, _base(robot)
    if not robot.model.floating_base:
        raise Error(f"{robot.name!r} has a fixed base, which has no velocity; base_position moves it")
    wanted = point_velocity_6d(state, base)
    wanted[which] = value
    J, v = point_jacobian_6d(state, base)[:, :6], np.array(robot.v)
    if np.array_equal(J, FREE):  # what is not given stays to the bit
        v[3 - which.start : 6 - which.start] = value
    else:
        v[:6] = np.linalg.solve(J, wanted)
    robot.set_state(v=v)


def _body_type(robot: ArticulatedSystem) -> str:
    """"dynamic": forces move it; "static" for one without degrees of freedom.  As `SingleBody.body_type`."""
    return "dynamic" if robot._placed.model.nv else "static"


base_position = property(_position, _set_position, doc=_position.__doc__)
base_orientation = property(_orientation, _set_orientation, doc=_orientation.__doc__)
base_linear_velocity = property(_linear_velocity, _set_linear_velocity, doc=_linear_velocity.__doc__)
base_angular_velocity = property(_angular_velocity, _set_angular_velocity, doc=_angular_velocity.__doc__)
body_type = property(_body_type, doc=_body_type.__doc__)
