"""Gains, targets, forces and effort limits of single joints, by name: all the robot's numbers with theirs exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, shown
from rbdyn.errors import Error, MechanismError, StateError
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.rotations import Array
from rbdyn.world.arguments import effort_limits, meant

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

Numbers = float | ArrayLike


def _named(robot: ArticulatedSystem, joints: Any) -> Iterator[tuple[Joint, slice, Any]]:
    """Joint, where it is in v, and what was given, of each name."""
    if not isinstance(joints, Mapping):
        raise StateError(f"joints must be a dict of joint names, got {shown(joints)}")
    for name, value in joints.items():
        thing = meant(robot, name)
        key = thing.name if isinstance(thing, Joint) else thing
        first = robot.model.joint_v_index(key)  # raises for what is unknown or has no coordinates
        joint = robot.mechanism.find_joint(key)
        yield joint, slice(first, first + joint.num_velocities), value


def _array(value: Any) -> Any:
    """What was given as an array of one axis at least; ragged things stay what they are, for who checks them."""
    try:
        return np.atleast_1d(np.array(value))
    except ValueError:
        return value


def _numbers(value: Any, n: int, what: str) -> Array:
    """One number for all n, or n of them."""
    given = _array(value)
    one = getattr(given, "shape", None) == (1,)
    return as_array(np.repeat(given, n) if one else given, (n,), what, error=StateError)


def _pair(value: Any, what: str, names: str) -> tuple[Any, Any]:
    if isinstance(value, (str, Mapping)) or not hasattr(value, "__len__") or len(value) != 2:
        raise StateError(f"{what} must be {names}, got {shown(value)}")
    return value[0], value[1]


def _filled(robot: ArticulatedSystem, given: Numbers | None, present: Array, name: str) -> Array:
    """All numbers of a kind: those given, one for all or (nv,), or the present ones."""
    if given is None:
        return np.array(present)
    try:
        value: Any = np.array(given)  # once: what is given may say something else when it is asked again
    except ValueError:
        value = given
    one = isinstance(value, np.ndarray) and value.ndim == 0
    return as_array(np.full(robot.nv, value) if one else value, (robot.nv,), name, error=StateError)


def gains(
    robot: ArticulatedSystem, p: Numbers | None, d: Numbers | None, joints: Mapping[str, Any] | None
) -> tuple[Array, Array]:
    """P and D gains of all: what is given, by name last; what is not given stays."""
    new = [_filled(robot, given, now, name) for given, now, name in zip((p, d), robot.pd_gains, "pd", strict=True)]
    for joint, place, value in _named(robot, {} if joints is None else joints):
        what = f"joints[{joint.name!r}]"
        for column, one in zip(new, _pair(value, what, "(p, d)"), strict=True):
            if one is not None:
                column[place] = _numbers(one, joint.num_velocities, f"gain in {what}")
    for name, a in zip("pd", new, strict=True):
        if (a < 0).any():
            raise Error(f"{name} must not be negative, got {a.min()} for degree of freedom {a.argmin()}")
        a[: 6 if robot.model.floating_base else 0] = 0.0
    return new[0], new[1]


def targets(robot: ArticulatedSystem, q: ArrayLike | None, joints: Mapping[str, Any]) -> Array:
    """The target configuration of all: q or the present one, with what is given by name."""
    new = np.array(robot.pd_target[0] if q is None else as_array(q, (robot.nq,), "q", error=StateError))
    for joint, _, value in _named(robot, joints):
        what = f"target of joint {joint.name!r}"
        first = robot.model.joint_q_index(joint.name)
        x = as_array(_array(value), (joint.num_positions,), what, error=StateError)
        try:
            new[first : first + joint.num_positions] = joint.joint_type.normalise(x, what)
        except MechanismError as error:
            raise StateError(str(error)) from None
    return new


def forces(robot: ArticulatedSystem, tau: ArrayLike | None, joints: Mapping[str, Any] | None) -> Array:
    """The feed-forward force of all: tau or the present one, with what is given by name."""
    new = _filled(robot, tau, robot.generalized_force, "tau")
    for joint, place, value in _named(robot, {} if joints is None else joints):
        new[place] = _numbers(value, joint.num_velocities, f"force of joint {joint.name!r}")
    return new


def efforts(
    robot: ArticulatedSystem, lower: Numbers | None, upper: Numbers | None, joints: Mapping[str, Any]
) -> tuple[Array, Array]:
    """Least and largest force of all: what is given, by name last; a number x stands for (-x, x)."""
    present = robot.effort_limits
    given = [now if x is None else x for x, now in zip((lower, upper), present, strict=True)]
    low, high = effort_limits(given[0], given[1], robot.nv)
    new = np.array(low), np.array(high)
    for joint, place, value in _named(robot, joints):
        what = f"effort limit of joint {joint.name!r}"
        many = hasattr(value, "__len__")
        ends = _pair(value, what, "a number or (lower, upper)") if many else _around_zero(value, what)
        pair = effort_limits(ends[0], ends[1], joint.num_velocities, f" of {what}")
        for column, one in zip(new, pair, strict=True):
            column[place] = one
    return new


def _around_zero(value: Any, what: str) -> tuple[float, float]:
    """(-x, x)."""
    try:
        if value >= 0.0:
            return -value, value
    except TypeError:
        pass
    raise StateError(f"{what} must be a number, at least 0, or (lower, upper), got {shown(value)}")
