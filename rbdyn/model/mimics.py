"""Joints that follow others: which coordinates of a Model depend on which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rbdyn.errors import Error, MechanismError
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from rbdyn.model.model import Model

Follower = tuple[int, int, int, int, float, float]


def mimics(model: Model) -> list[Follower]:
    """Joints of the tree that follow others: (q, dof, q of the leader, dof of the leader, multiplier, offset) of each.

    The indices are those in q and in v.  These are the fields of Mimic (stepping/scene.pxd).

    Raises
    ------
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.
    """
    joints = {joint.name: joint for joint in model.mechanism.tree_joints}
    loops = {joint.name for joint in model.mechanism.non_tree_joints}
    found = []
    cleared: set[str] = set()
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
        _check_circle(joint, joints, cleared)
        own = model.joint_q_index(joint.name), model.joint_v_index(joint.name)
        other = model.joint_q_index(leader.name), model.joint_v_index(leader.name)
        found.append((*own, *other, joint.mimic.multiplier, joint.mimic.offset))
    return found


def _check_circle(joint: Joint, joints: dict[str, Joint], cleared: set[str]) -> None:
    """MechanismError if a joint follows itself by way of others; joints that do not are added to `cleared`."""
    trail, one = {joint.name: None}, joint
    while one.mimic is not None and one.mimic.joint in joints and one.name not in cleared:
        one = joints[one.mimic.joint]
        if one.name in trail:
            names = [*trail]
            circle = " -> ".join([*names[names.index(one.name) :], one.name][:10])
            raise MechanismError(f"joints follow one another in a circle: {circle}")
        trail[one.name] = None
    cleared.update(trail)


def independent_leaders(model: Model) -> list[Follower]:
    """`mimics` with the independent leader of each follower: chains of mimics are multiplied out.

    Raises
    ------
    MechanismError
        As `mimics`.
    """
    found = mimics(model)
    by_q = {one[0]: one for one in found}
    resolved: dict[int, Follower] = {}
    for one in found:
        chain = [one]
        while chain[-1][2] in by_q and chain[-1][2] not in resolved:
            chain.append(by_q[chain[-1][2]])
        for q, dof, leader_q, leader_dof, ratio, offset in reversed(chain):  # leaders first
            if leader_q in resolved:
                _, _, leader_q, leader_dof, r, o = resolved[leader_q]
                ratio, offset = ratio * r, ratio * o + offset
            resolved[q] = q, dof, leader_q, leader_dof, ratio, offset
    return [resolved[one[0]] for one in found]


def leader_bounds(model: Model, followers: list[Follower]) -> tuple[Array, Array]:
    """Position limits (nq,), those of leaders narrowed by those of their followers [rad or m].

    Parameters
    ----------
    model : Model
    followers : list of Follower
        As `independent_leaders` returns them.

    Returns
    -------
    lower, upper : (nq,) ndarray of float64
        lower > upper for a leader that no position leaves within the limits of all.
    """
    lower, upper = np.array(model.array("lower")), np.array(model.array("upper"))
    for q, _, leader, _, ratio, offset in followers:
        if ratio:
            low, high = sorted(((lower[q] - offset) / ratio, (upper[q] - offset) / ratio))
        else:
            low, high = (-np.inf, np.inf) if lower[q] <= offset <= upper[q] else (np.inf, -np.inf)
        lower[leader], upper[leader] = max(lower[leader], low), min(upper[leader], high)
    return lower, upper


def check_bounds(model: Model, followers: list[Follower], lower: Array, upper: Array) -> None:
    """Raise Error if `leader_bounds` leave a leader no position."""
    for _, dof, leader, leader_dof, _, _ in followers:
        if lower[leader] > upper[leader]:
            follower, name = model.joint_of(dof), model.joint_of(leader_dof)
            raise Error(
                f"limits: joint {follower!r} follows {name!r}, and no position of {name!r} leaves all that follow it "
                "within their limits; limits=False ignores them"
            )
