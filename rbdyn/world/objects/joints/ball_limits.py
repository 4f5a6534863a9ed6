"""Limits of ball joints, for the control of a robot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rbdyn.mechanism.joints import Spherical

if TYPE_CHECKING:
    from rbdyn.model import Model


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
