"""<equality>, <contact> and <actuator>."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rbdyn.io.export.losses import Losses
from rbdyn.io.export.xml_text import element
from rbdyn.io.mjcf.write_geoms import place
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Revolute, SinCosRevolute, Spherical
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.neighbours import carriers, never_meet
from rbdyn.mechanism.surgery.filtering import silent_pairs
from rbdyn.spatial.transform import Transform

REACH = 0.1  # from the middle of a hinge to the two points that hold it [m]


def write_loops(
    equality: Any, mechanism: Mechanism, bodies: dict[RigidBody, Any], sites: Any, losses: Losses
) -> None:
    """Loop joints, each by sites on both bodies, so that both ends are exact at any configuration."""
    for joint in mechanism.non_tree_joints:
        kind, edge = joint.joint_type, mechanism.edge(joint)
        ends = (bodies[edge.predecessor], edge.joint_pose), (bodies[edge.successor], edge.successor_pose.inverse())
        if isinstance(kind, (Spherical, Fixed)):
            word = "weld" if isinstance(kind, Fixed) else "connect"
            _hold(equality, word, joint.name, ends, Transform(), sites)
        elif isinstance(kind, (Revolute, SinCosRevolute)):
            for sign in (-1.0, 1.0):
                at = Transform(translation=sign * REACH * np.asarray(kind.axis))
                _hold(equality, "connect", f"{joint.name}{'+' if sign > 0 else '-'}", ends, at, sites)
        elif joint.num_velocities < 6:
            losses.add(f"a {kind.kind} loop joint: left out", joint.name)
            continue
        if any(getattr(joint, x) for x in ("damping", "friction", "stiffness", "rotor_inertia", "position_limits")):
            losses.add("limits, friction, springs and rotors of a loop joint: left out", joint.name)


def _hold(equality: Any, word: str, name: str, ends: Any, at: Transform, sites: Any) -> None:
    """Two sites that are to be at one place."""
    names = []
    for (body, frame), letter in zip(ends, "ab", strict=True):
        names.append(sites.free(f"{name}_{letter}"))
        element(body, "site", name=names[-1], group=4, **place(frame @ at))
    element(equality, word, name=name, site1=names[0], site2=names[1])


def write_mimics(equality: Any, mechanism: Mechanism, written: dict[str, list[str]], losses: Losses) -> None:
    """Joints that follow others: q = offset + multiplier q_leader."""
    for joint in mechanism.tree_joints:
        mimic = joint.mimic
        if mimic is None:
            continue
        if joint.name not in written or mimic.joint not in written:
            losses.add("a mimic of or by a joint that is not there: left out", joint.name)
            continue
        factors = [mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0]
        element(equality, "joint", joint1=written[joint.name][0], joint2=written[mimic.joint][0], polycoef=factors)
        if mimic.softness:
            losses.add("the softness of a mimic: left out", joint.name)


def write_excludes(contact: Any, mechanism: Mechanism, names: dict[RigidBody, str]) -> None:
    """Neighbours do not collide; MuJoCo knows that of what one joint joins to its parent, unless that is the world.

    Nor do pairs that the mechanism ignores; these are all pairs if it does not collide with itself.
    """
    carrier, root = carriers(mechanism), mechanism.root_body
    place = {body: k for k, body in enumerate(mechanism.bodies)}
    ends = [(mechanism.predecessor(joint), mechanism.successor(joint)) for joint in mechanism.tree_joints]
    known = {frozenset((carrier[a], carrier[b])) for a, b in ends}
    pairs = set(silent_pairs(mechanism))
    for pair in never_meet(mechanism):
        group = frozenset(carrier[body] for body in pair)
        if root in group or group not in known:
            pairs.add(pair)
    ordered = [sorted(pair, key=lambda body: (place[carrier[body]], place[body])) for pair in pairs]
    for first, second in sorted((names[a], names[b]) for a, b in ordered):
        element(contact, "exclude", body1=first, body2=second)


def write_pairs(contact: Any, paired: dict[str, list[str]]) -> None:
    """A <pair> of each two geoms that share a label."""
    pairs = {pair for geoms in paired.values() for pair in combinations(sorted(geoms), 2)}
    for first, second in sorted(pairs):
        element(contact, "pair", geom1=first, geom2=second)


def write_actuators(
    parent: Any, joints: list[tuple[Joint, float, float]], written: dict[str, list[str]], word: str
) -> None:
    """A motor, or a servo of gains p and d, for each joint of one degree of freedom; without p it is one of velocities.

    MuJoCo multiplies the control of a position servo by p: with p = 0 it would do nothing.
    """
    for joint, p, d in joints:
        name = written[joint.name][0]
        limit = joint.effort_limit
        bounds = [-limit, limit] if limit and np.isfinite(limit) else None
        if word == "motor":
            element(parent, "motor", name=name, joint=name, ctrlrange=bounds)
        elif not p:
            element(parent, "velocity", name=name, joint=name, kv=d, forcerange=bounds)
        else:
            element(parent, "position", name=name, joint=name, kp=p, kv=d, forcerange=bounds)
