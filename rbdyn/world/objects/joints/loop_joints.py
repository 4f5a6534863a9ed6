"""Loop joints of a robot in a World: where they stand, what they did, their motors; methods of ArticulatedSystem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbdyn.arguments import shown
from rbdyn.errors import Error, unknown_name
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.rotations import Array
from rbdyn.world.arguments import meant
from rbdyn.world.objects.joints.drives import drive_numbers, softness_numbers

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


def _place(robot: ArticulatedSystem, joint: str | Joint) -> int:
    """The number of a loop joint."""
    name, names = getattr(meant(robot, joint), "name", joint), robot.model.loop_names
    if name not in names:
        raise unknown_name("loop joint", name if isinstance(name, str) else shown(name), names, f"{robot.name!r}")
    return names.index(name)


def _one(robot: ArticulatedSystem, joint: str | Joint) -> int:
    """The number of one with one degree of freedom."""
    k = _place(robot, joint)
    found = robot.mechanism.find_joint(robot.model.loop_names[k])
    if found.num_velocities != 1:
        what = f"loop joint {found.name!r} ({found.joint_type.kind}) has {found.num_velocities} degrees of freedom"
        raise Error(f"{what}; this is for joints with one")
    return k


def loop_force(robot: ArticulatedSystem, joint: str | Joint) -> Array:
    """What a loop joint exerted on its successor in the latest step, on average.

    Parameters
    ----------
    joint : str or Joint
        Its name, one of `model.loop_names`.

    Returns
    -------
    wrench : (6,) ndarray of float64
        Moment [N m] and force [N] at the origin of its after-frame, in the axes of its before-frame turned as in
        `rbdyn.loop_jacobian`; the opposite acts on its predecessor.  Along what it blocks these are the multipliers
        of `rbdyn.dynamics`; along what it allows, what its spring, damper, rotor, friction, limits and motor did.  0
        before the first step.

    Raises
    ------
    UnknownNameError
        If the system has no such loop joint.
    """
    loops = robot._loops()
    return loops.force(_place(robot, joint))


def loop_position(robot: ArticulatedSystem, joint: str | Joint) -> float:
    """Where a loop joint with one degree of freedom stands: its angle from -pi to pi, or its way [rad or m]."""
    loops = robot._loops()
    return loops.coordinate(_one(robot, joint))


def loop_velocity(robot: ArticulatedSystem, joint: str | Joint) -> float:
    """The velocity of a loop joint with one degree of freedom [rad/s or m/s]."""
    loops = robot._loops()
    return loops.velocity(_one(robot, joint))


def loop_drive_force(robot: ArticulatedSystem, joint: str | Joint) -> float:
    """What the motor of a loop joint applied in the latest step, on average [N m or N]."""
    loops = robot._loops()
    return loops.drive_force(_one(robot, joint))


def loop_drive(robot: ArticulatedSystem, joint: str | Joint) -> dict[str, Any]:
    """What the motor of a loop joint has now, by the names of `set_loop_drive`."""
    loops = robot._loops()
    return loops.driven_by(_one(robot, joint))


def set_loop_drive(
    robot: ArticulatedSystem,
    joint: str | Joint,
    *,
    p: float | None = None,
    d: float | None = None,
    target: float | None = None,
    velocity: float | None = None,
    force: float | None = None,
    effort_limits: float | tuple[float, float] | None = None,
) -> None:
    """Drive a loop joint with one degree of freedom: implicit PD control and feed-forward; what is not given stays.

    Parameters
    ----------
    joint : str or Joint
        One of `model.loop_names`.
    p, d : float, optional
        Gains [N m/rad or N/m, N m s/rad or N s/m], 0 or more; both 0 to begin with.
    target : float, optional
        Of the coordinate [rad or m]; of an angle the nearest turn.  Where the joint stands when p is set first.
    velocity : float, optional
        Of the joint [rad/s or m/s]; 0 to begin with.
    force : float, optional
        Feed-forward [N m or N]; 0 to begin with.
    effort_limits : float or (float, float), optional
        What all of it is bounded by [N m or N], lower <= 0 <= upper; the effort limit of the Joint to begin with.

    Raises
    ------
    UnknownNameError
        If the system has no such loop joint.
    Error
        If it has not one degree of freedom, or a number is wrong; nothing changes then.
    """
    loops = robot._loops(settable=True)
    k = _one(robot, joint)
    loops.drive(k, drive_numbers(loops.driven_by(k), loops.coordinate(k), p, d, target, velocity, force, effort_limits))


def set_loop_softness(
    robot: ArticulatedSystem,
    joint: str | Joint,
    softness: float | tuple[float, float],
    damping: float | tuple[float, float] = 0.0,
) -> None:
    """Let the rows of a loop joint give way, of a robot with ``loop_constraints="inloop"``.

    Parameters
    ----------
    joint : str or Joint
        One of `model.loop_names`.
    softness : float or (float, float)
        How far it gives way, of translations [m/N], or of rotations [rad/(N m)] and translations; 0: not at all.
    damping : float or (float, float)
        Beside it, [N s/m], or [N m s/rad] and [N s/m].

    Raises
    ------
    UnknownNameError
        If the system has no such loop joint.
    Error
        If its loops are eliminated, or a number is wrong.
    """
    loops = robot._loops(settable=True)
    robot.world._check_settable()
    k, (soft, damped) = _place(robot, joint), softness_numbers(softness, damping)
    if robot.loop_constraints != "inloop":
        raise Error('loops that are eliminated do not give way: add the robot with loop_constraints="inloop"')
    robot.world._check_editable()
    loops.soften(k, soft, damped)
