"""How position limits of a robot, and joints that follow others, give way; methods of ArticulatedSystem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdyn.errors import StateError
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Spherical
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.joints.change import Change, Numbers, is_one, moving_joints, pair_of, within
from rbdyn.world.objects.joints.said import has_stops

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

Softened = Mapping[str, float | tuple[float, float]] | None
MOST = float(np.finfo(float).max)


def _has_limits(joint: Joint) -> bool:
    return has_stops(joint) or isinstance(joint.joint_type, Spherical)


def _follows(joint: Joint) -> bool:
    return joint.mimic is not None


def _changed(robot: ArticulatedSystem, what: str, fits: Callable[[Joint], bool], needs: str,
             softness: Numbers | None, damping: Numbers | None, joints: Softened) -> Change:  # fmt: skip
    """The new numbers, checked by themselves and together."""
    change = Change(robot, fits, needs)
    names = f"{what}_softness", f"{what}_damping"
    change.take(names[0], softness, "softness", 0.0, MOST)
    change.take(names[1], damping, "damping", 0.0, MOST)
    soft, damped = (change.column(name) for name in names)
    for joint, place, value in change.named(joints):
        given = f"joints[{joint.name!r}]"
        pair: tuple[Any, Any] = (value, 0.0)
        if not is_one(value):
            pair = pair_of(value, f"{given} must be softness or (softness, damping)")
        soft[place] = within(pair[0], f"softness in {given}", 0.0, MOST)
        damped[place] = within(pair[1], f"damping in {given}", 0.0, MOST)
    for joint, place in moving_joints(robot):
        if ((damped[place] > 0.0) & (soft[place] == 0.0)).any():
            raise StateError(f"joint {joint.name!r}: damping {damped[place].max():g} needs a softness above 0: "
                             "what holds hard is not damped")  # fmt: skip
    return change


def set_limit_softness(
    robot: ArticulatedSystem,
    softness: Numbers | None = None,
    damping: Numbers | None = None,
    *,
    joints: Softened = None,
) -> None:
    """Let position limits give way, as springs with dampers that push alone; what is not given stays.

    Parameters
    ----------
    softness : float or (nv,) array_like, optional
        How far they give way for a unit of force [rad/(N m) or m/N]; 0: not at all.  A number is for all joints that
        can have limits; a spherical joint has one for all its limits.
    damping : float or (nv,) array_like, optional
        Beside it [N m s/rad or N s/m], while a limit is passed.
    joints : dict, optional
        By joint name: softness, or (softness, damping); a softness alone is without damping.

    Raises
    ------
    StateError
        If a length or number is wrong, there is damping without softness, the joint can have no limits, or its stops
        have a restitution; nothing changes then.
    UnknownNameError
        If there is no such joint.

    Examples
    --------
    >>> robot.set_limit_softness(joints={"LF_KFE": (1e-3, 5.0)})  # doctest: +SKIP
    """
    needs = "joints whose v is the rate of q, and spherical ones, have position limits"
    change = _changed(robot, "limit", _has_limits, needs, softness, damping, joints)
    soft, share = change.column("limit_softness"), robot.limit_restitution
    for joint, place in moving_joints(robot):
        if isinstance(joint.joint_type, Spherical) and any(np.ptp(x[place]) for x in change.columns.values()):
            raise StateError(f"joint {joint.name!r}: all limits of a spherical joint give way alike, "
                             f"got {soft[place].tolist()}")  # fmt: skip
        if ((soft[place] > 0.0) & (share[place] > 0.0)).any():
            raise StateError(f"joint {joint.name!r}: stops that give way bounce as springs do; the restitution of its "
                             f"limits must be 0, not {share[place].max():g}")  # fmt: skip
    change.apply()


@property  # type: ignore[misc]
def limit_softness(robot: ArticulatedSystem) -> tuple[Array, Array]:
    """How position limits give way [rad/(N m) or m/N], and what damps that, two (nv,) arrays, read-only."""
    return robot._joint_numbers("limit_softness"), robot._joint_numbers("limit_damping")


def set_mimic_softness(
    robot: ArticulatedSystem,
    softness: Numbers | None = None,
    damping: Numbers | None = None,
    *,
    joints: Softened = None,
) -> None:
    """Let joints that follow others give way to what they bear, as springs with dampers; what is not given stays.

    Parameters
    ----------
    softness : float or (nv,) array_like, optional
        How far a joint that follows is from where it should be for a unit of force along it [rad/(N m) or m/N]; 0: not
        at all.  A number is for all joints that follow others.
    damping : float or (nv,) array_like, optional
        Beside it [N m s/rad or N s/m].
    joints : dict, optional
        By the name of the joint that follows: softness, or (softness, damping); a softness alone is without damping.

    Raises
    ------
    StateError
        If a length or number is wrong, there is damping without softness, or the joint follows no other; nothing
        changes then.
    UnknownNameError
        If there is no such joint.

    Examples
    --------
    >>> robot.set_mimic_softness(joints={"right_finger": 1e-4})  # doctest: +SKIP
    """
    needs = "joints with a mimic follow others"
    _changed(robot, "mimic", _follows, needs, softness, damping, joints).apply()


@property  # type: ignore[misc]
def mimic_softness(robot: ArticulatedSystem) -> tuple[Array, Array]:
    """How joints that follow others give way [rad/(N m) or m/N], and what damps that, two (nv,) arrays, read-only."""
    return robot._joint_numbers("mimic_softness"), robot._joint_numbers("mimic_damping")
