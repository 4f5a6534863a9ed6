"""Joints that their limits hold at one position are fixed there, and so are those that follow them."""

from __future__ import annotations

from dataclasses import replace

from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.sdf.read_joints import SdfJoint
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Prismatic


def held_still(joints: list[SdfJoint], diagnostics: Diagnostics) -> list[SdfJoint]:
    """The joints, those held as Fixed ones, with a line of the diagnostics each."""
    followers: dict[str, list[SdfJoint]] = {}
    for joint in joints:
        if joint.joint.mimic is not None and joint.joint.num_positions == 1:
            followers.setdefault(joint.joint.mimic.joint, []).append(joint)
    at = {joint.joint.name: joint.held for joint in joints if joint.held is not None}
    why = dict.fromkeys(at, "lower == upper")
    pending = list(at)
    while pending:
        leader = pending.pop()
        for joint in followers.get(leader, ()):
            name, mimic = joint.joint.name, joint.joint.mimic
            if name not in at and mimic is not None:
                at[name] = mimic.multiplier * at[leader] + mimic.offset
                why[name] = f"it follows joint {leader!r}, which is fixed"
                pending.append(name)
    return [_fixed(j, at[j.joint.name], why[j.joint.name], diagnostics) if j.joint.name in at else j for j in joints]


def all_fixed(joints: list[SdfJoint], diagnostics: Diagnostics) -> list[SdfJoint]:
    """Those of a static model, none of which moves; one line of the diagnostics for all."""
    moving = [joint for joint in joints if joint.joint.num_velocities]
    if moving:
        more = f" and {len(moving) - 1} more" if len(moving) > 1 else ""
        text = f"the model is static, so that nothing of it moves: joint {moving[0].joint.name!r}{more} made fixed"
        diagnostics.warn(moving[0].where, text)
    return [replace(j, joint=Joint(j.joint.name, Fixed()), series=()) if j.joint.num_velocities else j for j in joints]


def _fixed(joint: SdfJoint, q: float, why: str, diagnostics: Diagnostics) -> SdfJoint:
    name, kind = joint.joint.name, joint.joint.joint_type
    try:
        pose = kind.pose([q])
    except Error as error:
        raise SdfError(f"{joint.where}: position of joint {name!r}: {error}") from None
    unit = "m" if isinstance(kind, Prismatic) else "rad"
    diagnostics.warn(joint.where, f"joint {name!r}: {why}: made a fixed joint at {q:.9g} {unit}")
    return replace(joint, joint=Joint(name, Fixed()), at=pose)
