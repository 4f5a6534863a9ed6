"""What may be changed of a robot's joints while a World runs; methods of ArticulatedSystem, written in Python.

The joints of the mechanism keep what they say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, number, plain_array, shown
from rbdyn.errors import MechanismError, StateError
from rbdyn.mechanism.joint import LIMITED, Joint
from rbdyn.mechanism.joints import Spherical
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.joints.change import (
    Change,
    Numbers,
    is_one,
    moves,
    moving_joints,
    pair_of,
    place_in_q,
    within,
)
from rbdyn.world.objects.joints.said import has_stops

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

# ---- position limits -----------------------------------------------------------------------------


def set_joint_limits(
    robot: ArticulatedSystem,
    lower: Numbers | None = None,
    upper: Numbers | None = None,
    *,
    joints: Mapping[str, Any] | None = None,
    restitution: Numbers | None = None,
) -> None:
    """Change the hard stops of joints; what is not given stays.

    A joint that is beyond its new limits is led back by position correction, without a jump of its velocity.

    Parameters
    ----------
    lower, upper : float or (nv,) array_like, optional
        Least and largest position [rad or m], which may be infinite.  A number is for all joints that can have limits.
        Equal ones mean no limit.
    joints : dict, optional
        By joint name: (lower, upper), or None for no limit.  Of several degrees of freedom a sequence of these, one for
        each, as in `Joint.position_limits`; there None alone means no limit, and equal ends are refused.
    restitution : float or (nv,) array_like, optional
        Share of the speed that comes back, 0 to 1; 0 where limits give way (`set_limit_softness`).

    Raises
    ------
    StateError
        If a lower limit is above an upper one, a length or number is wrong, or the joint can have no limits; nothing
        changes then.
    UnknownNameError
        If there is no such joint.

    Examples
    --------
    >>> robot.set_joint_limits(joints={"LF_KFE": (-2.6, -0.1)})  # doctest: +SKIP
    """
    change = Change(robot, has_stops, LIMITED)
    change.take("lower", lower, "lower", -math.inf)
    change.take("upper", upper, "upper", -math.inf)
    change.take("limit_restitution", restitution, "restitution", 0.0, 1.0)
    if restitution is not None:
        share, soft = change.column("limit_restitution"), robot.limit_softness[0]
        if (both := (share > 0.0) & (soft > 0.0)).any():
            raise StateError(f"restitution must be 0 where limits give way, got {share[both].max():g} for joint "
                             f"{robot.model.joint_of(int(both.argmax()))!r}")  # fmt: skip
    low, high = change.column("lower"), change.column("upper")
    for joint, place, pair in change.named(joints):
        what, n = f"joints[{joint.name!r}] must be", joint.num_velocities
        pairs = n * [None] if pair is None else [pair] if n == 1 else pair
        if is_one(pairs) or len(pairs) != n:
            raise StateError(f"{what} {n} times (lower, upper) or None, one for each degree of freedom, "
                             f"got {shown(pairs)}")  # fmt: skip
        for k, one in enumerate(pairs, place.start):
            which = what if n == 1 else f"joints[{joint.name!r}][{k - place.start}] must be"
            ends = (-math.inf, math.inf) if one is None else pair_of(one, f"{which} (lower, upper)")
            low[k], high[k] = (within(x, f"limits of joint {joint.name!r}", -math.inf) for x in ends)
            if n > 1 and low[k] == high[k]:
                raise StateError(f"{which} (lower, upper) of one degree of freedom with lower < upper, or None for no "
                                 f"limit, got {shown(one)}")  # fmt: skip
    for joint, place in moving_joints(robot):
        for below, above in zip(low[place], high[place], strict=True):
            if below > above:
                raise StateError(f"joint {joint.name!r}: the lower limit {below:g} is above the upper one {above:g}")
    equal = low == high
    low[equal], high[equal] = -math.inf, math.inf
    for joint, place in moving_joints(robot):
        for pair in zip(low[place], high[place], strict=True) if has_stops(joint) else ():
            if np.isfinite(pair).any() and (needed := joint.joint_type.limits_needed(pair)):
                kind = type(joint.joint_type).__name__
                raise StateError(f"limits of joint {joint.name!r} must be {needed} for a {kind} joint, "
                                 f"got ({pair[0]:g}, {pair[1]:g})")  # fmt: skip
    change.apply()


@property  # type: ignore[misc]
def joint_limits(robot: ArticulatedSystem) -> tuple[Array, Array]:
    """Least and largest position of each degree of freedom, two (nv,) arrays, read-only [rad or m]."""
    return robot._joint_numbers("lower"), robot._joint_numbers("upper")


@property  # type: ignore[misc]
def limit_restitution(robot: ArticulatedSystem) -> Array:
    """Share of the speed that comes back from the stops, (nv,) read-only."""
    return robot._joint_numbers("limit_restitution")


def _is_endless(twist: object) -> bool:
    """Whether both ends are numbers without end: then there is no limit."""
    ends = twist if isinstance(twist, (list, tuple, np.ndarray)) else ()
    return len(ends) == 2 and all(isinstance(x, (int, float, np.number)) and math.isinf(x) for x in ends)


def set_ball_limits(
    robot: ArticulatedSystem,
    joint: str,
    *,
    angle: float | None = None,
    cone: float | None = None,
    twist: tuple[float, float] | None = None,
    axis: ArrayLike | None = None,
) -> None:
    """Change the limits of a spherical joint; what is not given stays, and an infinite one is no limit.

    Parameters
    ----------
    joint : str
        Its name.
    angle : float, optional
        Largest angle of rotation [rad].
    cone : float, optional
        Largest angle between the twist axis before and after the joint [rad].
    twist : (lower, upper), optional
        Least and largest turn about that axis [rad].
    axis : (3,) array_like, optional
        The axis, in the joint's frames.

    Raises
    ------
    StateError
        If a number is wrong, or the joint is not spherical; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, lambda one: isinstance(one.joint_type, Spherical), "spherical joints have them")
    item, place = change.place(joint)
    first, v = place_in_q(robot, item).start, place.start
    limits = robot._ball_limits()
    old = next((x for x in limits if x[1] == v), (first, v, tuple(item.twist_axis), *4 * [math.inf]))
    old = (*old[:5], -math.inf, math.inf) if not any(x[1] == v for x in limits) else old
    probe = Joint(item.name, item.joint_type)
    try:
        if angle is not None and angle != math.inf:
            probe.position_limits = (0.0, angle)
        probe.cone_limit = None if cone == math.inf else cone
        probe.twist_limits = None if _is_endless(twist) else twist
        probe.twist_axis = old[2] if axis is None else axis
    except (MechanismError, ValueError, TypeError) as error:
        raise StateError(str(error)) from None
    new = (
        *old[:2],
        tuple(probe.twist_axis),
        old[3] if angle is None else angle,
        old[4] if cone is None else cone,
        *(old[5:] if twist is None else probe.twist_limits or (-math.inf, math.inf)),
    )
    robot._set_ball_limits(sorted([x for x in limits if x[1] != v] + [new]))


# ---- velocity limits -----------------------------------------------------------------------------


def set_velocity_limits(
    robot: ArticulatedSystem, limit: Numbers | None = None, *, joints: Mapping[str, float | None] | None = None
) -> None:
    """Change how fast joints may be; what is not given stays.

    Of a joint with several degrees of freedom each component of v has its own limit: of a ball those of its angular
    velocity, in the axes before it.

    Parameters
    ----------
    limit : float or (nv,) array_like, optional
        Largest speed [rad/s or m/s], 0 or more, which may be infinite.  A number is for all joints but a floating base.
    joints : dict, optional
        By joint name; None for no limit.

    Raises
    ------
    StateError
        If a length or number is wrong, or the joint can have no such limit; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, moves, "velocity limits act on joints that move")
    change.take("velocity_limit", limit, "limit", 0.0)
    for joint, place, value in change.named(joints):
        speed = math.inf if value is None else within(value, f"velocity limit of joint {joint.name!r}", 0.0)
        change.column("velocity_limit")[place] = speed
    change.apply()


@property  # type: ignore[misc]
def velocity_limits(robot: ArticulatedSystem) -> Array:
    """Largest speed of each degree of freedom, (nv,) read-only [rad/s or m/s]."""
    return robot._joint_numbers("velocity_limit")


def set_no_load_speeds(
    robot: ArticulatedSystem, speed: Numbers | None = None, *, joints: Mapping[str, float | None] | None = None
) -> None:
    """Change the speed at which motors give nothing more in their direction; what is not given stays.

    What a motor can give falls from its effort limit, at rest, in proportion to the speed.

    Parameters
    ----------
    speed : float or (nv,) array_like, optional
        [rad/s or m/s], above 0, which may be infinite.  A number is for all joints but a floating base.
    joints : dict, optional
        By joint name; None for a motor that gives its effort limit at any speed.

    Raises
    ------
    StateError
        If a length or number is wrong; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    least = np.finfo(float).tiny
    change = Change(robot, moves, "")
    change.take("no_load_speed", speed, "speed", least)
    for joint, place, value in change.named(joints):
        new = math.inf if value is None else within(value, f"no-load speed of joint {joint.name!r}", least)
        change.column("no_load_speed")[place] = new
    change.apply()


@property  # type: ignore[misc]
def no_load_speeds(robot: ArticulatedSystem) -> Array:
    """Speed at which each motor gives nothing more in its direction, (nv,) read-only [rad/s or m/s]."""
    return robot._joint_numbers("no_load_speed")


# ---- friction and damping ------------------------------------------------------------------------


def set_joint_friction(
    robot: ArticulatedSystem,
    friction: Numbers | None = None,
    static: Numbers | None = None,
    threshold: Numbers | None = None,
    *,
    joints: Mapping[str, float | tuple[float, float]] | None = None,
) -> None:
    """Change the dry friction of joints; what is not given stays.

    Parameters
    ----------
    friction : float or (nv,) array_like, optional
        While the joint slides, per degree of freedom [N m or N].  A number is for all joints but a floating base.
    static : float or (nv,) array_like, optional
        At rest, `friction` or more; the same where `friction` alone is given.
    threshold : float or (nv,) array_like, optional
        Speed from which the joint slides [rad/s or m/s]; below it friction lies between the two in proportion.
    joints : dict, optional
        By joint name: friction, or (friction, static).

    Raises
    ------
    StateError
        If a length or number is wrong, or static friction is less than sliding friction; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, moves, "")
    change.take("friction", friction, "friction", 0.0, np.finfo(float).max)
    change.take("static_friction", friction if static is None else static, "static", 0.0, np.finfo(float).max)
    change.take("static_threshold", threshold, "threshold", 0.0, np.finfo(float).max)
    sliding, resting = change.column("friction"), change.column("static_friction")
    for joint, place, value in change.named(joints):
        what = f"joints[{joint.name!r}]"
        pair = (value, value) if is_one(value) else pair_of(value, f"{what} must be friction or (friction, static)")
        sliding[place], resting[place] = (number(x, what, low=0.0, error=StateError) for x in pair)
    for joint, place in moving_joints(robot):
        if (resting[place] < sliding[place]).any():
            raise StateError(f"joint {joint.name!r}: static friction {resting[place].min():g} is less than friction "
                             f"{sliding[place].max():g}")  # fmt: skip
    change.apply()


@property  # type: ignore[misc]
def joint_friction(robot: ArticulatedSystem) -> tuple[Array, Array]:
    """Dry friction while sliding and at rest, two (nv,) arrays, read-only [N m or N]."""
    return robot._joint_numbers("friction"), robot._joint_numbers("static_friction")


def set_joint_damping(
    robot: ArticulatedSystem, damping: Numbers | None = None, *, joints: Mapping[str, float] | None = None
) -> None:
    """Change the viscous damping of joints; what is not given stays.

    Parameters
    ----------
    damping : float or (nv,) array_like, optional
        Per degree of freedom [N m s/rad or N s/m], 0 or more.  A number is for all joints but a floating base.
    joints : dict, optional
        By joint name.

    Raises
    ------
    StateError
        If a length or number is wrong; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, moves, "")
    change.take("damping", damping, "damping", 0.0, np.finfo(float).max)
    for joint, place, value in change.named(joints):
        change.column("damping")[place] = number(value, f"damping of joint {joint.name!r}", low=0.0, error=StateError)
    change.apply()


@property  # type: ignore[misc]
def joint_damping(robot: ArticulatedSystem) -> Array:
    """Viscous damping of each degree of freedom, (nv,) read-only [N m s/rad or N s/m]."""
    return robot._joint_numbers("damping")


# ---- springs -------------------------------------------------------------------------------------


def _reference(robot: ArticulatedSystem, joint: Joint, value: Any) -> Array:
    what = f"reference of joint {joint.name!r}"
    given = np.atleast_1d(plain_array(value, what, error=StateError))
    x = as_array(given, (joint.num_positions,), what, error=StateError)
    try:
        return joint.joint_type.normalise(x, what)
    except MechanismError as error:
        raise StateError(str(error)) from None


def set_joint_springs(
    robot: ArticulatedSystem,
    stiffness: Numbers | None = None,
    reference: ArrayLike | None = None,
    *,
    joints: Mapping[str, float | tuple[float, ArrayLike]] | None = None,
) -> None:
    """Change the springs in joints; what is not given stays.  They act implicitly, however stiff they are.

    Parameters
    ----------
    stiffness : float or (nv,) array_like, optional
        [N m/rad or N/m], 0 or more.  A number is for all joints but a floating base.
    reference : (nq,) array_like, optional
        Configuration in which the springs are at rest.
    joints : dict, optional
        By joint name: stiffness, or (stiffness, reference).

    Raises
    ------
    StateError
        If a length or number is wrong, or a quaternion is not of unit length; nothing changes then.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, moves, "")
    change.take("stiffness", stiffness, "stiffness", 0.0, np.finfo(float).max)
    rest = np.array(robot.joint_springs[1])
    if reference is not None:
        given = as_array(reference, (robot.nq,), "reference", error=StateError)
        for joint, _ in moving_joints(robot):
            place = place_in_q(robot, joint)
            rest[place] = _reference(robot, joint, given[place])
    for joint, place, value in change.named(joints):
        what = f"joints[{joint.name!r}]"
        needed = f"{what} must be stiffness or (stiffness, reference)"
        k, at = (value, None) if is_one(value) else pair_of(value, needed)
        change.column("stiffness")[place] = number(k, f"stiffness in {what}", low=0.0, error=StateError)
        if at is not None:
            rest[place_in_q(robot, joint)] = _reference(robot, joint, at)
    change.apply()
    robot._set_spring_reference(rest)


def add_spring(robot: ArticulatedSystem, joint: str, stiffness: float, reference: ArrayLike | None = None) -> None:
    """Add a spring to a joint, beside what it has.

    Parameters
    ----------
    joint : str
        Its name.
    stiffness : float
        [N m/rad or N/m], above 0.
    reference : (num_positions,) array_like, optional
        Configuration of the joint in which this spring is at rest; the neutral one by default.  Two springs on one axis
        are one that rests in between; a joint with several degrees of freedom takes more only of the same reference.

    Raises
    ------
    StateError
        If a number is wrong, or springs of several degrees of freedom rest in different configurations.
    UnknownNameError
        If there is no such joint.
    """
    change = Change(robot, moves, "")
    item, place = change.place(joint)
    k = number(stiffness, "stiffness", above=0.0, error=StateError)
    rest = _reference(robot, item, item.joint_type.neutral() if reference is None else reference)
    old = robot.joint_springs[1][place_in_q(robot, item)]
    before = change.column("stiffness")[place][0]
    if before > 0.0 and not np.array_equal(rest, old):
        if not item.joint_type.has_coordinates:
            raise StateError(f"joint {joint!r} ({item.joint_type.kind}) has a spring with another reference already")
        rest = (before * old + k * rest) / (before + k)
    set_joint_springs(robot, joints={joint: (before + k, rest)})


@property  # type: ignore[misc]
def joint_springs(robot: ArticulatedSystem) -> tuple[Array, Array]:
    """Stiffness (nv,) [N m/rad or N/m] and the configuration at rest (nq,), read-only."""
    return robot._joint_numbers("stiffness"), robot._spring_reference()

