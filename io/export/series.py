"""A joint of several degrees of freedom as joints of one each, for formats that have no word for it."""

from __future__ import annotations

import math

from rbdyn.mechanism.joint import Joint

SAME = (
    "velocity_limit",
    "effort_limit",
    "rotor_inertia",
    "damping",
    "friction",
    "static_friction",
    "static_threshold",
    "no_load_speed",
    "stiffness",
    "limit_restitution",
    "limit_softness",
)  # of each degree of freedom


def in_series(joint: Joint) -> list[Joint]:
    """Joints that move as `joint` one after the other, with its coordinates; see `JointType.series`."""
    made = []
    for k, (ending, kind) in enumerate(joint.joint_type.series):
        limits = joint.limits_of_each[k]
        one = Joint(joint.name + ending, kind, limits if any(map(math.isfinite, limits)) else None)
        for name in SAME:
            setattr(one, name, getattr(joint, name))
        one.spring_reference = joint.spring_reference[k : k + 1]
        made.append(one)
    return made
