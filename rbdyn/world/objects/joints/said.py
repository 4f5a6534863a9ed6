"""What the joints of a mechanism say, as the control of a robot takes it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbdyn.mechanism.joint import Joint
from rbdyn.model import Model
from rbdyn.model.mimics import mimics
from rbdyn.world.objects.joints.ball_limits import ball_limits
from rbdyn.world.objects.joints.closed_loops import check_springs, own_configuration

PER_DOF = ("lower", "upper", "limit_restitution", "limit_softness", "limit_damping", "mimic_softness", "mimic_damping",
           "velocity_limit", "friction", "static_friction", "static_threshold",
           "no_load_speed", "damping", "stiffness")  # fmt: skip


def has_stops(joint: Joint) -> bool:
    """Whether each of its degrees of freedom can have position limits."""
    return joint.joint_type.has_limits


def numbers_of(joint: Joint) -> dict[str, Any]:
    """What it says of its degrees of freedom: PER_DOF and the effort limit; infinite for no limit.

    A number for all of them, but tuples of "lower" and "upper" ones, one for each.
    """
    lower, upper = tuple(zip(*joint.limits_of_each, strict=True)) or ((), ())
    return dict(zip((*PER_DOF, "effort_limit"), (lower, upper, *_values(joint)), strict=True))


def _values(joint: Joint) -> tuple[float, ...]:
    """The numbers for all degrees of freedom in this order."""
    return (
        joint.limit_restitution,
        *joint.limit_softness,
        *((0.0, 0.0) if joint.mimic is None else (joint.mimic.softness, joint.mimic.damping)),
        _unlimited(joint.velocity_limit),
        joint.friction,
        joint.friction if joint.static_friction is None else joint.static_friction,
        joint.static_threshold,
        _unlimited(joint.no_load_speed),
        joint.damping,
        joint.stiffness,
        _unlimited(joint.effort_limit),
    )


def _unlimited(value: float | None) -> float:
    return math.inf if value is None else value


def joints_say(model: Model) -> dict[str, Any]:
    """All that joints say: (nv,) arrays of PER_DOF and "effort_limit", "spring_reference" (nq,), and what rows ask.

    "configuration" is the one at which damping takes its inertias (stepping/joint_forces.pxd), (nq,).

    "mimics" and "balls" are lists of the fields of Mimic and BallLimit (stepping/scene.pxd), "loops" one of what each
    joint outside the tree says.

    Raises
    ------
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.
    """
    moving = [joint for joint in model.mechanism.tree_joints if joint.num_velocities]
    names = (*PER_DOF[2:], "effort_limit")
    values = np.array([_values(joint) for joint in moving], dtype=np.float64).reshape(-1, len(names))
    columns = np.repeat(values, [joint.num_velocities for joint in moving], axis=0).T.copy()
    said: dict[str, Any] = dict(zip(names, columns, strict=True))
    limits = np.array([pair for joint in moving for pair in joint.limits_of_each], np.float64).reshape(-1, 2)
    said["lower"], said["upper"] = limits.T.copy()
    said["spring_reference"] = np.array(model.array("spring_reference"))
    check_springs(model)
    loops = [_loop_says(model.mechanism.find_joint(name)) for name in model.loop_names]
    rows = {"mimics": mimics(model), "balls": ball_limits(model), "loops": loops}
    return said | rows | {"configuration": own_configuration(model)}


def _loop_says(joint: Joint) -> tuple[Any, ...]:
    """All that a joint outside the tree says, as one value to compare."""
    return (joint.rotor_inertia, tuple(joint.spring_reference), *numbers_of(joint).values())
