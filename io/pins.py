"""Pins of a robot file: points of two bodies that stay together, as loop joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rbdyn.errors import Error, UrdfError
from rbdyn.io.description import RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.joint_order import configuration_in
from rbdyn.io.numbers import shown
from rbdyn.io.poses import poses_at
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Spherical
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.transform import Transform


def attach_pins(
    mechanism: Mechanism,
    robot: RobotSpec,
    bodies: dict[str, RigidBody],
    nominal_order: Sequence[Joint],
    diagnostics: Diagnostics,
) -> None:
    """Close the loops: a pin is a spherical loop joint at `anchor` of its first link.

    The robot's nominal configuration, whose numbers come in `nominal_order`, closes each pin and so gives its place on
    the second link.  In the order of the mechanism's q it becomes `mechanism.nominal_configuration`.
    """
    if not robot.pins:
        return
    numbers = _checked_configuration(robot, nominal_order)
    mechanism.nominal_configuration = configuration_in(mechanism.tree_joints, numbers, nominal_order)
    poses = poses_at(mechanism, mechanism.nominal_configuration)
    for pin in robot.pins:
        for link in (pin.body1, pin.body2):
            if link not in bodies:
                raise UrdfError(f"{pin.where}: no link named {shown(link)}{diagnostics.did_you_mean(link, bodies)}")
        first, second = bodies[pin.body1], bodies[pin.body2]
        anchor = Transform(translation=pin.anchor)
        name = _free_name(f"{pin.body1}_{pin.body2}_pin", {joint.name for joint in mechanism.joints})
        after = (poses[first.name] @ anchor).inverse() @ poses[second.name]
        try:
            mechanism.attach(first, second, Joint(name, Spherical()), joint_pose=anchor, successor_pose=after)
        except Error as error:
            raise UrdfError(f"{pin.where}: {error}") from None


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _checked_configuration(robot: RobotSpec, joints: Sequence[Joint]) -> tuple[float, ...]:
    """The nominal configuration, of `joints` in turn; UrdfError if it has not as many numbers as they have."""
    q, n = robot.nominal_configuration, sum(joint.num_positions for joint in joints)
    where = robot.constraints_where
    if q is None:
        raise UrdfError(f"{where}: nominal_config of <constraints> is missing: {n} numbers at which pins are closed")
    if len(q) != n:
        order = ", ".join(f"{j.name} ({j.num_positions})" for j in joints if j.num_positions)
        raise UrdfError(f"{where}: nominal_config has {len(q)} numbers, needed {n}: {order[:1500]}")
    at = 0
    for joint in joints:
        part = joint.joint_type.normalised
        if part is not None and abs(math.hypot(*q[at + part.start : at + part.stop]) - 1.0) > 1e-3:
            numbers = " ".join(f"{x:g}" for x in q[at + part.start : at + part.stop])
            raise UrdfError(
                f"{where}: nominal_config has ({numbers}) for the rotation of joint {joint.name!r}; needed "
                "a quaternion w x y z of length 1"
            )
        at += joint.num_positions
    return q
