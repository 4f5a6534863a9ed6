"""What the latest step did to a robot; properties and methods of ArticulatedSystem, written in Python.

They are 0 before the first step, after one that failed, and once the robot was set by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rbdyn.algorithms.kinematics import update
from rbdyn.algorithms.kinematics.acceleration import point_acceleration_6d
from rbdyn.model import State
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.contact import Contact
from rbdyn.world.objects.handles import last_step
from rbdyn.world.objects.handles.finding import frames_of
from rbdyn.world.objects.handles.step_start import start_of

if TYPE_CHECKING:
    from rbdyn.mechanism import RigidBody
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.handles.body_ref import BodyRef


@property  # type: ignore[misc]
def start_state(robot: ArticulatedSystem) -> State:
    """A State of its own where the latest step began, the present one if no step is known.

    With it, and with `acceleration`, algorithms say what happened in the step:
    ``rbdyn.inverse_dynamics(robot.start_state, robot.acceleration)``.
    """
    return start_of(robot).copy()


@property  # type: ignore[misc]
def acceleration(robot: ArticulatedSystem) -> Array:
    """Mean acceleration over the latest step, contact impulses included, (nv,) read-only [rad/s^2 or m/s^2].

    0 before the first step, and once the robot was set by hand.
    """
    return last_step.acceleration(robot)


@property  # type: ignore[misc]
def body_accelerations(robot: ArticulatedSystem) -> Array:
    """Of `body_names`, as `BodyRef.acceleration`: angular, then of the origin, (n, 6), fresh [rad/s^2, m/s^2]."""
    start = start_of(robot)
    if not last_step.is_known(robot):
        return np.zeros((robot.model.n_bodies, 6))
    return update.body_accelerations(start, last_step.acceleration(robot))


@property  # type: ignore[misc]
def frame_accelerations(robot: ArticulatedSystem) -> Array:
    """Of `frames`, as `FrameRef.acceleration`: angular, then of the origin, (n, 6), fresh [rad/s^2, m/s^2]."""
    frames, start = frames_of(robot), start_of(robot)
    accelerations = np.zeros((len(frames), 6))
    if last_step.is_known(robot):
        vd = last_step.acceleration(robot)
        for frame, row in zip(frames, accelerations, strict=True):
            point_acceleration_6d(start, vd, frame, None, row)
    return accelerations


@property  # type: ignore[misc]
def joint_wrenches(robot: ArticulatedSystem) -> Array:
    """What each joint transmitted to its body in the latest step, (n, 6), fresh [N m, N].

    Row k is what the parent of body k of `body_names` exerted on it through joint k of `joint_names`: moment about the
    joint, then force; world axes, at the start of the step.  Motor, springs, friction, limits, couplings and bearing
    loads are in it; together with what acts on the body otherwise (`external_wrenches`, gravity) it makes its inertia
    times its acceleration.  Row 0 of a fixed base is what holds the base; of a floating base it is 0 but for what the
    step's integrator adds to it.
    """
    return last_step.joint_wrenches(robot, start_of(robot))


@property  # type: ignore[misc]
def external_wrenches(robot: ArticulatedSystem) -> Array:
    """What acted on each of `body_names` in the latest step from outside the tree, (n, 6), fresh [N m, N].

    Contacts, given forces, wires, welds and joints of the World, and the robot's own loop joints; gravity is none of
    it.  Moment about the joint that moves the body, then force; world axes, at the start of the step.
    """
    return last_step.external_wrenches(robot, start_of(robot))


@property  # type: ignore[misc]
def implicit_inertia(robot: ArticulatedSystem) -> Array:
    """What gains, damping and springs added to the diagonal of M in the latest step, (nv,) read-only [kg m^2 or kg].

    ``rbdyn.inverse_mass_matrix(robot.start_state, diagonal=robot.implicit_inertia)`` is the inverse that the step had.
    Between `World.integrate1` and `World.integrate2` it is that of the step which is half done, with the gains set so
    far: ``rbdyn.inverse_mass_matrix(robot.state, diagonal=robot.implicit_inertia)`` is the inverse that it will have.
    """
    coming = robot.world._look_ahead(robot)
    return last_step.implicit_inertia(robot) if coming is None else coming


def contacts_of(robot: ArticulatedSystem, body: str | RigidBody | BodyRef, merged: bool = False) -> list[Contact]:
    """Contacts of one of its links, of the latest detection.

    Parameters
    ----------
    body : str, RigidBody or BodyRef
        Which.
    merged : bool
        Whether those of all links that move with it count too.

    Returns
    -------
    contacts : list of Contact
        As `World.contacts`.

    Raises
    ------
    UnknownNameError
        If there is no such body.
    """
    return robot.body(body).contacts_with(merged)


def contact_force(
    robot: ArticulatedSystem, body: str | RigidBody | BodyRef, expressed_in: Any = "world", merged: bool = False
) -> Array:
    """Mean contact force on one of its links over the latest step.

    Parameters
    ----------
    body : str, RigidBody or BodyRef
        Which.
    expressed_in : str, handle or SingleBody
        Whose axes the result has, now.
    merged : bool
        Whether contacts of all links that move with it count too.

    Returns
    -------
    force : (3,) ndarray of float64
        [N], fresh; zero before `integrate2`.

    Raises
    ------
    UnknownNameError
        If there is no such body.
    """
    return robot.body(body).contact_force(expressed_in, merged)
