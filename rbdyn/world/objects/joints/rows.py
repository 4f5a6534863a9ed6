"""What a mechanism says of joints that follow others and of ball joints, for the control of a robot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Spherical

if TYPE_CHECKING:
    from rbdyn.model import Model


def mimics(model: Model) -> list[tuple[int, int, int, int, float, float]]:
    """Of each joint of the tree that follows another: the fields of Mimic (stepping/scene.pxd).

    Raises
    ------
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.
    """
    joints = {joint.name: joint for joint in model.mechanism.tree_joints}
    loops = {joint.name for joint in model.mechanism.non_tree_joints}
    found = []
    for joint in joints.values():
        if joint.mimic is None or joint.mimic.joint in loops:
            continue
        leader = joints.get(joint.mimic.joint)
        if leader is None:
            raise MechanismError(f"joint {joint.name!r} follows {joint.mimic.joint!r}, which is not in the mechanism")
        for one in (joint, leader):
            if one.num_positions != 1:
                raise MechanismError(f"joint {joint.name!r} follows {leader.name!r}, but {one.name!r} "
                                     f"({one.joint_type.kind}) has not one coordinate")  # fmt: skip
        _check_circle(joint, joints)
        own = model.joint_q_index(joint.name), model.joint_v_index(joint.name)
        other = model.joint_q_index(leader.name), model.joint_v_index(leader.name)
        found.append((*own, *other, joint.mimic.multiplier, joint.mimic.offset))
    return found


def _check_circle(joint: Joint, joints: dict[str, Joint]) -> None:
    """MechanismError if a joint follows itself by way of others."""
    trail, one = [joint.name], joint
    while one.mimic is not None and one.mimic.joint in joints:
        one = joints[one.mimic.joint]
        trail.append(one.name)
        if one.name in trail[:-1]:
            circle = " -> ".join(trail[trail.index(one.name) :][:10])
            raise MechanismError(f"joints follow one another in a circle: {circle}")


def ball_limits(model: Model) -> list[tuple[Any, ...]]:
    """Of each spherical joint with limits: the fields of BallLimit (stepping/scene.pxd)."""
    found = []
    for joint in model.mechanism.tree_joints:
        if not isinstance(joint.joint_type, Spherical):
            continue
        angle = joint.position_limits[1] if joint.position_limits else math.inf
        cone = math.inf if joint.cone_limit is None else joint.cone_limit
        twist = joint.twist_limits or (-math.inf, math.inf)
        if min(angle, cone, twist[1], -twist[0]) < math.inf:
            found.append((model.joint_q_index(joint.name), model.joint_v_index(joint.name), tuple(joint.twist_axis),
                          angle, cone, *twist))  # fmt: skip
    return found
