"""Wrench through a joint: of one that moves, the step knows it; of a fixed one it follows from the links beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.algorithms.kinematics.acceleration import point_acceleration_6d
from rbdyn.algorithms.kinematics.forward import body_pose, point_velocity_6d
from rbdyn.world.objects.handles.step_start import start_of

if TYPE_CHECKING:
    from rbdyn.mechanism import Joint, RigidBody
    from rbdyn.model import State
    from rbdyn.world.objects.articulated_system import ArticulatedSystem

Array = NDArray[np.float64]
Wrench = tuple[Array, Array]  # moment about a point [N m], force [N]

UNKNOWN = 1e-6  # share of the forces on a body up to which what is left of them is rounding


def wrench_through(robot: ArticulatedSystem, joint: Joint, at: Array | None = None) -> Wrench:
    """Moment and force that the parent exerted on the child in the latest step, world axes, at the start of the step.

    The moment is about the point `at` of the world, the joint's own origin by default.  Where no step is known, a fixed
    joint has what gravity alone would ask for at rest, one that moves 0.  NaN if other things than contacts act on the
    links that fixed joints make one body.
    """
    start = start_of(robot)
    origin = body_pose(start, joint.frame_after)[:3, 3]
    at = origin if at is None else at
    if joint.joint_type.is_fixed:  # also the base joint of a fixed base, whose row is about the root's origin
        return _through_fixed(robot, robot.mechanism.successor(joint), start, at)
    row = robot.joint_wrenches[robot.model.joint_names.index(joint.name)]
    return moved((row[:3], row[3:]), origin, at)


def moved(w: Wrench, at: Array, to: Array) -> Wrench:
    """A wrench about one point as it is about another."""
    return w[0] + np.cross(at - to, w[1]), w[1]


def _through_fixed(robot: ArticulatedSystem, child: RigidBody, start: State, at: Array) -> Wrench:
    """Newton and Euler for the links beyond a fixed joint, about the point `at`."""
    links = _beyond(robot, child)
    names = {link.name for link in links}
    moment, force = np.zeros(3), np.zeros(3)
    for link in links:
        n, f = _asked(robot, link, start, at)
        moment, force = moment + n, force + f
    for n, f in _contacts(robot, names, at):
        moment, force = moment - n, force - f
    model = robot.model
    rows = robot.joint_wrenches
    for k, name in enumerate(model.joint_names):
        found = [j for j in robot.mechanism.tree_joints if j.name == name]
        if found and robot.mechanism.predecessor(found[0]) in links and not found[0].joint_type.is_fixed:
            place = body_pose(start, found[0].frame_after)[:3, 3]
            n, f = moved((rows[k, :3], rows[k, 3:]), place, at)
            moment, force = moment + n, force + f
    if _something_else_acts(robot, links[0], start):
        return np.full(3, np.nan), np.full(3, np.nan)
    return moment, force


def _beyond(robot: ArticulatedSystem, link: RigidBody) -> list[RigidBody]:
    """A link, and all that fixed joints of the tree hold to it farther out."""
    links = [link]
    for one in links:
        for joint in robot.mechanism.joints_to_children(one):
            if joint.joint_type.is_fixed:
                links.append(robot.mechanism.successor(joint))
    return links


def _asked(robot: ArticulatedSystem, link: RigidBody, start: State, at: Array) -> Wrench:
    """What the motion and the weight of a link ask for, about a point.  RBDA eq. 2.68."""
    inertia = link.inertia
    X = body_pose(start, link)
    com = X[:3, :3] @ inertia.com
    motion = point_acceleration_6d(start, robot.acceleration, link, inertia.com)
    w = point_velocity_6d(start, link)[:3]
    about_com = X[:3, :3] @ inertia.inertia @ X[:3, :3].T
    force = inertia.mass * (motion[3:] - robot.world.gravity)
    moment = about_com @ motion[:3] + np.cross(w, about_com @ w)
    return moment + np.cross(X[:3, 3] + com - at, force), force


def _contacts(robot: ArticulatedSystem, links: set[str], at: Array) -> list[Wrench]:
    """Of the latest step, on links of these names, about a point."""
    wrenches = []
    for c in robot.contacts:
        for obj, link, sign in ((c.object_a, c.link_a, 1.0), (c.object_b, c.link_b, -1.0)):
            if obj is robot and link in links:
                wrenches.append((np.cross(c.position - at, sign * c.force), sign * c.force))
    return wrenches


def _something_else_acts(robot: ArticulatedSystem, link: Any, start: State) -> bool:
    """Whether anything but contacts acted from outside on the body that a link is part of."""
    model = robot.model
    k = model.body_of(link)
    body, mechanism = robot.mechanism.find_body(model.body_names[k]), robot.mechanism
    origin = body if body is mechanism.root_body else mechanism.joint_to_parent(body).frame_after
    at = body_pose(start, origin)[:3, 3]
    names = {one.name for one in robot.mechanism.bodies if model.body_of(one) == k}
    rest = robot.external_wrenches[k].copy()
    size = np.abs(rest).max()
    for n, f in _contacts(robot, names, at):
        rest -= np.concatenate([n, f])
        size = max(size, np.abs(f).max(), np.abs(n).max())
    return bool(np.abs(rest).max() > UNKNOWN * max(size, 1e-9))
