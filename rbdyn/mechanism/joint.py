"""Joint: a joint type with a name, limits and passive elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joint_types import JointType
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array, as_vector


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier * q_leader + offset.

    Parameters
    ----------
    joint : str
        Name of the leading joint.
    multiplier, offset : float
        [-], [rad or m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


def _number(value: float | None, name: str, joint: str, least: float = 0.0) -> float | None:
    if value is None:
        return None
    x = _real(value, f"{name} of joint {joint!r}")
    if math.isnan(x) or x < least:
        raise MechanismError(f"{name} of joint {joint!r} must be at least {least:g}, got {value!r}")
    return x


def _real(value: object, name: str) -> float:
    """`value` as a float; text, booleans, complex numbers and sequences are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise MechanismError(f"{name} must be a number, got {value!r}")
    return float(value)


def _limits(value: object, joint: str) -> tuple[float, float] | None:
    """(lower, upper) with lower < upper; None for no limit."""
    if value is None:
        return None
    what = f"position_limits of joint {joint!r}"
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 2:
        raise MechanismError(f"{what} must be (lower, upper), got {value!r}")
    lower, upper = _real(value[0], what), _real(value[1], what)
    if math.isnan(lower) or math.isnan(upper) or lower > upper:
        raise MechanismError(f"{what} must be (lower, upper) with lower <= upper, got {value!r}")
    return (lower, upper) if lower < upper else None


class Joint:
    """A joint between two bodies; `Mechanism.attach` puts it in place.

    Parameters
    ----------
    name : str
        Unique within a mechanism.
    joint_type : JointType
        What it allows: Fixed(), Revolute(axis), Prismatic(axis), Planar(), Spherical() or Floating().
    position_limits : (lower, upper), optional
        Hard stops of a one-dof joint [rad or m]; for Spherical (0, angle): the largest rotation angle [rad].  None, or
        lower == upper, means no limit.
    velocity_limit, effort_limit : float, optional
        Largest speed [rad/s or m/s] and force [N m or N] per degree of freedom.  None means no limit.
    rotor_inertia : float
        Reflected inertia of the motor (gear ratio squared already in it), added to the mass matrix's diagonal
        [kg m^2 or kg].
    damping : float
        Viscous damping [N m s/rad or N s/m].
    friction : float
        Dry friction [N m or N].
    stiffness : float
        Spring stiffness [N m/rad or N/m].
    spring_reference : (num_positions,) array_like, optional
        Configuration at which the spring is at rest; the neutral one by default.
    mimic : Mimic, optional
        The joint that this one follows; kept, not yet enforced.

    Attributes
    ----------
    frame_before, frame_after : CartesianFrame
        The joint frames on the parent's and on the child's side.

    Raises
    ------
    MechanismError
        If a number is negative or NaN, or the limits are in the wrong order.
    """

    def __init__(
        self,
        name: str,
        joint_type: JointType,
        position_limits: tuple[float, float] | None = None,
        velocity_limit: float | None = None,
        effort_limit: float | None = None,
        rotor_inertia: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
        stiffness: float = 0.0,
        spring_reference: ArrayLike | None = None,
        mimic: Mimic | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise MechanismError(f"a joint's name must be a non-empty string, got {name!r}")
        if not isinstance(joint_type, JointType):
            raise MechanismError(
                f"joint_type of joint {name!r} must be Fixed(), Revolute(axis), Prismatic(axis), Planar(), "
                f"Spherical() or Floating(), got {joint_type!r}"
            )
        self._name = name
        self.joint_type = joint_type
        self.position_limits = _limits(position_limits, name)
        self.velocity_limit = _number(velocity_limit, "velocity_limit", name)
        self.effort_limit = _number(effort_limit, "effort_limit", name)
        self.rotor_inertia = _number(rotor_inertia, "rotor_inertia", name) or 0.0
        self.damping = _number(damping, "damping", name) or 0.0
        self.friction = _number(friction, "friction", name) or 0.0
        self.stiffness = _number(stiffness, "stiffness", name) or 0.0
        for what in ("rotor_inertia", "damping", "friction", "stiffness"):
            if math.isinf(getattr(self, what)):
                raise MechanismError(f"{what} of joint {name!r} must be finite")
        reference = joint_type.neutral() if spring_reference is None else spring_reference
        self.spring_reference: Array = as_vector(reference, joint_type.num_positions, "spring_reference")
        self.mimic = mimic
        self.frame_before = CartesianFrame(f"before_{name}")
        self.frame_after = CartesianFrame(f"after_{name}")

    @property
    def name(self) -> str:
        """Unique within a mechanism; fixed, since others look joints up by it."""
        return self._name

    @property
    def num_positions(self) -> int:
        """Number of configuration variables."""
        return self.joint_type.num_positions

    @property
    def num_velocities(self) -> int:
        """Number of degrees of freedom."""
        return self.joint_type.num_velocities

    def copy(self, name: str | None = None) -> Joint:
        """A copy with fresh frames, and another name if given."""
        return Joint(
            name or self.name,
            self.joint_type,
            self.position_limits,
            self.velocity_limit,
            self.effort_limit,
            self.rotor_inertia,
            self.damping,
            self.friction,
            self.stiffness,
            np.array(self.spring_reference),
            self.mimic,
        )

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.joint_type!r})"
