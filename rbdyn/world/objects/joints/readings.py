"""What acted on a robot's joints in the latest step; properties and methods of ArticulatedSystem, written in Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rbdyn.spatial.rotations import Array, matrix_from_quat

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


class LimitViolation(NamedTuple):
    """A joint at one of its stops, or beyond it.

    Attributes
    ----------
    joint : str
        Its name.
    end : str
        "lower" or "upper", of several degrees of freedom with its number, as "lower 0"; of a spherical joint "angle",
        "cone", "lower twist" or "upper twist".
    excess : float
        How far it is beyond now [rad or m]; negative if it is short of it.
    impulse : float
        What the stop gave in the latest step, 0 or more [N m s or N s].
    """

    joint: str
    end: str
    excess: float
    impulse: float


def joint_limit_violations(robot: ArticulatedSystem) -> list[LimitViolation]:
    """The position limits that acted in the latest step, or are passed now.

    They are no contacts: `contacts` does not hold them.

    Returns
    -------
    violations : list of LimitViolation
        In the order of v.
    """
    (lower, upper), q, balls = robot.joint_limits, robot.q, _at_balls(robot)
    impulse = robot.limit_force * robot._lasted
    found = []
    for joint in robot.mechanism.tree_joints:
        found += balls.get(joint.name, [])
        n = joint.num_velocities
        if not joint.joint_type.has_limits:
            continue
        first, start = robot.model.joint_v_index(joint.name), robot.model.joint_q_index(joint.name)
        place, part = slice(first, first + n), q[start : start + joint.num_positions]
        limits = tuple(zip(lower[place], upper[place], strict=True))
        for j, x in enumerate(joint.joint_type.coordinates(part, limits).tolist()):
            k = first + j
            which = f" {j}" if n > 1 else ""
            ends = (("lower", float(lower[k]) - x, impulse[k]), ("upper", x - float(upper[k]), -impulse[k]))
            found += [LimitViolation(joint.name, end + which, over, max(float(i), 0.0))
                      for end, over, i in ends if over > 0.0 or i > 0.0]  # fmt: skip
    return found


def _at_balls(robot: ArticulatedSystem) -> dict[str, list[LimitViolation]]:
    """The limits of spherical joints that acted or are passed, by joint."""
    found: dict[str, list[LimitViolation]] = {}
    impulses = robot._ball_impulses().reshape(-1, 4)
    for (first, v, axis, angle, cone, lower, upper), acted in zip(robot._ball_limits(), impulses, strict=True):
        q = robot.q[first : first + 4]
        turn, swing, twist = ball_angles(q, np.array(axis))
        over = {"angle": turn - angle, "cone": swing - cone, "lower twist": lower - twist, "upper twist": twist - upper}
        name = robot.model.joint_of(v)
        found[name] = [LimitViolation(name, end, float(x), float(i))
                       for (end, x), i in zip(over.items(), acted, strict=True) if x > 0.0 or i > 0.0]  # fmt: skip
    return found


def ball_positions(robot: ArticulatedSystem, q: Array) -> list[tuple[str, int, str, float, float, float]]:
    """Positions of the limited angles of spherical joints at a configuration.

    Parameters
    ----------
    robot : ArticulatedSystem
        Whose joints.
    q : (nq,) ndarray
        The configuration.

    Returns
    -------
    positions : list of tuple
        Joint, its first degree of freedom, which angle ("angle", "cone" or "twist"), that angle, its limits [rad].
    """
    found = []
    for first, v, axis, angle, cone, lower, upper in robot._ball_limits():
        turn, swing, twist = ball_angles(q[first : first + 4], np.array(axis))
        ends = (("angle", turn, 0.0, angle), ("cone", swing, 0.0, cone), ("twist", twist, lower, upper))
        found += [(robot.model.joint_of(v), v, *one) for one in ends]
    return found


def ball_angles(q: Array, axis: Array) -> tuple[float, float, float]:
    """Of a rotation: its angle, the one between the axis before and after, and the twist about it [rad]."""
    w, u = (q[0], q[1:]) if q[0] >= 0.0 else (-q[0], -q[1:])
    turned = matrix_from_quat(q) @ axis
    across = np.cross(axis, turned)
    swing = math.atan2(math.sqrt(across @ across), float(axis @ turned))
    return 2.0 * math.atan2(math.sqrt(u @ u), w), swing, 2.0 * math.atan2(float(u @ axis), w)


@property  # type: ignore[misc]
def limit_force(robot: ArticulatedSystem) -> Array:
    """What the hard stops gave in the latest step, its mean, (nv,) read-only [N m or N].

    This and the other forces below are of the same step, or of its last part where it has substeps.  Their sum with
    `applied_force`, those of contacts and given forces is M (v+ - v) / dt + h where the step is one evaluation at its
    start: under "semi_implicit" and "euler".
    """
    return robot._joint_force("limit")


@property  # type: ignore[misc]
def velocity_limit_force(robot: ArticulatedSystem) -> Array:
    """What velocity limits took away in the latest step, (nv,) read-only [N m or N]."""
    return robot._joint_force("velocity limit")


@property  # type: ignore[misc]
def friction_force(robot: ArticulatedSystem) -> Array:
    """What dry friction did in the latest step, (nv,) read-only [N m or N]; at rest it is what was needed."""
    return robot._joint_force("friction")


@property  # type: ignore[misc]
def mimic_force(robot: ArticulatedSystem) -> Array:
    """What mimics did in the latest step, to those that follow and to those they follow, (nv,) read-only [N m or N]."""
    return robot._joint_force("mimic")


@property  # type: ignore[misc]
def passive_force(robot: ArticulatedSystem) -> Array:
    """What springs and damping in the joints did in the latest step, implicit part and all, (nv,) read-only [N m or N].
    """
    return robot._joint_force("passive")
