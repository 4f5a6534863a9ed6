"""Inertias that MuJoCo takes: moments that a body can have, and something on whatever moves."""

from __future__ import annotations

import numpy as np

from rbdyn.io.export.losses import Losses
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

LEAST = 1e-14  # MuJoCo refuses bodies that move and have less [kg, kg m^2]
ROUNDING = 1e-9  # of the largest moment


def written_inertias(mechanism: Mechanism, losses: Losses) -> dict[RigidBody, SpatialInertia]:
    """What each body is to have, in its own frame.

    Bodies that are fixed to one another move as one.  If one of them has moments that no body has, but all together
    have not, their sum stands on the one that carries the others: the dynamics are the same.
    """
    written = {body: body.inertia for body in mechanism.bodies}
    for head, members in _rigid_groups(mechanism).items():
        total = head.inertia
        for body, pose in members[1:]:
            total = total + body.inertia.transformed(pose)
        if not all(_is_real(body.inertia) for body, _ in members) and _is_real(total):
            written |= {body: SpatialInertia.zero() for body, _ in members}
            written[head] = total
        if total.mass <= LEAST or fitting(principal(total.inertia)[0]).min() <= LEAST:
            losses.add(f"a body that moves without mass or inertia: it has {LEAST:g} kg and kg m^2 more", head.name)
            own = written[head]
            moments, axes = principal(own.inertia)
            J = axes @ np.diag(fitting(moments) + LEAST) @ axes.T
            written[head] = SpatialInertia(own.mass + LEAST, own.com, J)
    for body, inertia in written.items():
        if not _is_real(inertia):
            losses.add("moments of inertia that no body has: they are changed", body.name)
    return written


def _rigid_groups(mechanism: Mechanism) -> dict[RigidBody, list[tuple[RigidBody, Transform]]]:
    """The bodies that move with each moving one, itself first, with their poses in its frame; not those at rest."""
    place: dict[RigidBody, tuple[RigidBody, Transform]] = {mechanism.root_body: (mechanism.root_body, Transform())}
    groups: dict[RigidBody, list[tuple[RigidBody, Transform]]] = {}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        body = edge.successor
        if joint.num_velocities:
            place[body] = body, Transform()
            groups[body] = [place[body]]
            continue
        head, pose = place[edge.predecessor]
        place[body] = head, pose @ edge.joint_pose @ edge.successor_pose
        if head in groups:
            groups[head].append((body, place[body][1]))
    return groups


def principal(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments, and axes as columns of a rotation; those of a diagonal matrix stay as they are."""
    if not (J - np.diag(np.diag(J))).any():
        return np.diag(J), np.eye(3)
    moments, axes = np.linalg.eigh(J)
    return moments, axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])


def fitting(moments: np.ndarray) -> np.ndarray:
    """The moments, none of them negative, and the largest no larger than the sum of the others."""
    order = np.argsort(moments)
    a, b, c = np.maximum(moments[order], 0.0)
    fitted = np.empty(3)
    fitted[order] = a, b, min(c, a + b)
    return fitted


def _is_real(inertia: SpatialInertia) -> bool:
    """Whether a body can have these moments, up to rounding."""
    moments = principal(inertia.inertia)[0]
    return bool(np.abs(fitting(moments) - moments).max() <= ROUNDING * np.abs(moments).max())
