"""New numbers of a robot's joints: for all, for each degree of freedom, or by name, checked before any is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import number, shown
from rbdyn.errors import StateError
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.rotations import Array
from rbdyn.world.arguments import meant

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

Numbers = float | ArrayLike
Columns = dict[str, Array]


def has_one(joint: Joint) -> bool:
    """Whether it has one degree of freedom."""
    return joint.num_velocities == 1


def moves(joint: Joint) -> bool:
    """Whether it has any."""
    return joint.num_velocities > 0


def place_in_q(robot: ArticulatedSystem, joint: Joint) -> slice:
    """Where it is in q."""
    first = robot.model.joint_q_index(joint.name)
    return slice(first, first + joint.num_positions)


def place_in_v(robot: ArticulatedSystem, joint: Joint) -> slice:
    """Where it is in v."""
    first = robot.model.joint_v_index(joint.name)
    return slice(first, first + joint.num_velocities)


def moving_joints(robot: ArticulatedSystem) -> list[tuple[Joint, slice]]:
    """The joints with degrees of freedom, and where those are in v."""
    return [(joint, place_in_v(robot, joint)) for joint in robot.mechanism.tree_joints if joint.num_velocities]


class Change:
    """New numbers (nv,) of some joints, begun with the present ones."""

    def __init__(self, robot: ArticulatedSystem, fits: Any, needs: str) -> None:
        robot._check_settable()
        self.robot, self.fits, self.needs = robot, fits, needs
        self.columns: Columns = {}

    def column(self, name: str) -> Array:
        """All numbers of this name, to be written into."""
        if name not in self.columns:
            self.columns[name] = np.array(self.robot._joint_numbers(name))
        return self.columns[name]

    def take(self, name: str, value: Numbers | None, what: str, low: float, high: float = math.inf) -> None:
        """Numbers for all joints: one for those that take it, or (nv,) of them."""
        if value is None:
            return
        nv, column = self.robot.nv, self.column(name)
        if is_one(value):
            x = within(value, what, low, high)
            base = 6 if self.robot.model.floating_base else 0
            for joint, place in moving_joints(self.robot):
                if self.fits(joint) and place.start >= base:
                    column[place] = x
            return
        given = np.array(value, dtype=object)
        if given.shape != (nv,):
            raise StateError(f"{what} must be a number or {nv} of them, got {shown(value)}")
        new = np.array([within(x, f"{what}[{k}]", low, high) for k, x in enumerate(given)])
        for joint, place in moving_joints(self.robot):
            if not self.fits(joint) and np.isfinite(new[place]).any() and not np.array_equal(new[place], column[place]):
                raise StateError(f"{what}: joint {joint.name!r} ({joint.joint_type.kind}) has none; {self.needs}")
        column[:] = new

    def place(self, name: Any) -> tuple[Joint, slice]:
        """A joint by its name, and where it is in v."""
        thing = meant(self.robot, name)
        name = thing.name if isinstance(thing, Joint) else thing
        self.robot.model.joint_v_index(name)  # raises for what is unknown or has no coordinates
        joint = self.robot.mechanism.find_joint(name)
        if not self.fits(joint):
            raise StateError(f"joint {name!r} ({joint.joint_type.kind}) cannot have this; {self.needs}")
        return joint, place_in_v(self.robot, joint)

    def named(self, joints: Mapping[str, Any] | None) -> list[tuple[Joint, slice, Any]]:
        """The joints that were given by name, with what was given."""
        if joints is None:
            return []
        if not isinstance(joints, Mapping):
            raise StateError(f"joints must be a dict of joint names, got {shown(joints)}")
        return [(*self.place(name), value) for name, value in joints.items()]

    def apply(self) -> None:
        """Write them."""
        self.robot._set_joint_numbers(self.columns)


def within(value: Any, what: str, low: float, high: float = math.inf) -> float:
    """A number from low to high, which may be infinite where they are."""
    if isinstance(value, (float, np.floating)) and math.isinf(value) and low <= value <= high:
        return float(value)
    return number(value, what, low=low, high=high, error=StateError)


def is_one(value: Any) -> bool:
    """Whether this stands for one number, and not for several."""
    return isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def pair_of(value: Any, what: str) -> tuple[Any, Any]:
    """The two that were given; StateError that begins with `what` otherwise."""
    if is_one(value) or len(value) != 2 or isinstance(value, Mapping):
        raise StateError(f"{what}, got {shown(value)}")
    return value[0], value[1]
