"""Joints of several degrees of freedom as chains of slides and turns, which every reader of URDF knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Floating, Planar, Prismatic, Revolute, Spherical, SPQuatFloating
from rbdyn.mechanism.joints.joint_type import JointType

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Part(NamedTuple):
    """One joint of a chain."""

    ending: str  # of its name, behind that of the joint
    kind: JointType


SLIDES = (Part("_x", Prismatic(X)), Part("_y", Prismatic(Y)), Part("_z", Prismatic(Z)))
TURNS = (Part("_yaw", Revolute(Z)), Part("_pitch", Revolute(Y)), Part("_roll", Revolute(X)))  # R = Rz Ry Rx, as in rpy


def _planar(kind: Planar) -> tuple[Part, ...]:
    return (
        Part("_x", Prismatic(kind.x_axis)),
        Part("_y", Prismatic(kind.y_axis)),
        Part("_theta", Revolute(kind.normal)),
    )


PARTS: dict[type[JointType], Callable[[Any], tuple[Part, ...]]] = {
    Planar: _planar,
    Spherical: lambda _: TURNS,
    Floating: lambda _: SLIDES + TURNS,
    SPQuatFloating: lambda _: SLIDES + TURNS,
}


def parts_of(joint: Joint) -> tuple[Part, ...]:
    """The chain, from the parent on; empty for joints of which no chain is made."""
    make = PARTS.get(type(joint.joint_type))
    return make(joint.joint_type) if make is not None else ()


def part_joint(joint: Joint, part: Part, name: str) -> Joint:
    """One joint of the chain, with the friction and the bounds that each coordinate of `joint` has."""
    return Joint(
        name,
        part.kind,
        damping=joint.damping,
        friction=joint.friction,
        effort_limit=joint.effort_limit,
        velocity_limit=joint.velocity_limit,
    )
