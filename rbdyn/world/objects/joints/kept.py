"""What was set in a World of joints that are not one coordinate of a robot's tree, for who writes it to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbdyn.mechanism.joints import Spherical

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

Pair = tuple[float, float]


def loop_softness(robot: ArticulatedSystem, name: str) -> tuple[Pair, Pair]:
    """How a loop joint gives way: (softness, damping) of its rotations, and of its translations."""
    found: tuple[Pair, Pair] = robot._loops().softness(robot.model.loop_names.index(name))
    return found


def ball_limits(robot: ArticulatedSystem) -> dict[str, tuple[Any, ...]]:
    """Axis, angle, cone, lower and upper twist of each spherical joint that has limits, by its name."""
    found, at, named = {one[1]: one[2:] for one in robot._ball_limits()}, 0, {}
    for joint in robot.mechanism.tree_joints:
        if isinstance(joint.joint_type, Spherical) and at in found:
            named[joint.name] = found[at]
        at += joint.num_velocities
    return named


def welded_joints(robot: ArticulatedSystem) -> list[str]:
    """Names of the joints that `weld` holds."""
    return [joint.name for joint in robot._welded]


def has_target(robot: ArticulatedSystem) -> bool:
    """Whether a PD target was set, or PD control began: before, the target is where the robot stands."""
    return bool(robot._is_targeted())
