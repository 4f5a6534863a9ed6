"""What the joints of a mechanism say, as the control of a robot takes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import SinCosRevolute
from rbdyn.model import Model
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.joints.closed_loops import check_springs
from rbdyn.world.objects.joints.rows import ball_limits, mimics

PER_DOF = ("lower", "upper", "limit_restitution", "velocity_limit", "friction", "static_friction", "static_threshold",
           "no_load_speed", "damping", "stiffness")  # fmt: skip


def has_stops(joint: Joint) -> bool:
    """Whether position limits of it are numbers on one axis."""
    return joint.num_velocities == 1 and not isinstance(joint.joint_type, SinCosRevolute)


def numbers_of(joint: Joint) -> dict[str, float]:
    """What it says of each of its degrees of freedom: PER_DOF and the effort limit; infinite for no limit."""
    lower, upper = (has_stops(joint) and joint.position_limits) or (-np.inf, np.inf)
    static = joint.friction if joint.static_friction is None else joint.static_friction
    values = (lower, upper, joint.limit_restitution, joint.velocity_limit, joint.friction, static,
              joint.static_threshold, joint.no_load_speed, joint.damping, joint.stiffness,
              joint.effort_limit)  # fmt: skip
    names = (*PER_DOF, "effort_limit")
    return {name: np.inf if value is None else value for name, value in zip(names, values, strict=True)}


def joints_say(model: Model) -> dict[str, Any]:
    """All that joints say: (nv,) arrays of PER_DOF and "effort_limit", "spring_reference" (nq,), and what rows ask.

    "mimics" and "balls" are lists of the fields of Mimic and BallLimit (stepping/scene.pxd), "loops" one of what each
    joint outside the tree says.

    Raises
    ------
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.
    """
    moving = [joint for joint in model.mechanism.tree_joints if joint.num_velocities]
    numbers = [numbers_of(joint) for joint in moving]
    sizes = [joint.num_velocities for joint in moving]
    said: dict[str, Any] = {
        name: _repeated([one[name] for one in numbers], sizes) for name in (*PER_DOF, "effort_limit")
    }
    said["spring_reference"] = np.array(model.array("spring_reference"))
    check_springs(model)
    loops = [_loop_says(model.mechanism.find_joint(name)) for name in model.loop_names]
    return said | {"mimics": mimics(model), "balls": ball_limits(model), "loops": loops}


def _loop_says(joint: Joint) -> tuple[Any, ...]:
    """All that a joint outside the tree says, as one value to compare."""
    return (joint.rotor_inertia, tuple(joint.spring_reference), *numbers_of(joint).values())


def _repeated(values: list[float], sizes: list[int]) -> Array:
    return np.repeat(np.array(values, dtype=np.float64), sizes)
