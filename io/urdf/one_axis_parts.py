"""Joints of several degrees of freedom as chains of slides and turns, which every reader of URDF knows."""

from __future__ import annotations

from rbdyn.io.export.series import in_series
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Floating, Prismatic, Revolute, Spherical, SPQuatFloating
from rbdyn.mechanism.joints.joint_type import JointType

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Chain = tuple[tuple[str, JointType], ...]  # endings of names, and types, from the parent on
SLIDES: Chain = (("_x", Prismatic(X)), ("_y", Prismatic(Y)), ("_z", Prismatic(Z)))
TURNS: Chain = (("_yaw", Revolute(Z)), ("_pitch", Revolute(Y)), ("_roll", Revolute(X)))  # R = Rz Ry Rx, as in rpy
CHAINS: dict[type[JointType], Chain] = {  # of types that have no `series`: with other coordinates
    Spherical: TURNS,
    Floating: SLIDES + TURNS,
    SPQuatFloating: SLIDES + TURNS,
}


def parts_of(joint: Joint) -> list[Joint]:
    """Joints of one axis that move as `joint` one after the other, from the parent on; none if there is no chain.

    Those of `JointType.series` have its coordinates.  Others have its friction and bounds, each of them.
    """
    if len(joint.joint_type.series) > 1:
        return in_series(joint)
    return [
        Joint(
            joint.name + ending,
            kind,
            damping=joint.damping,
            friction=joint.friction,
            effort_limit=joint.effort_limit,
            velocity_limit=joint.velocity_limit,
        )
        for ending, kind in CHAINS.get(type(joint.joint_type), ())
    ]
