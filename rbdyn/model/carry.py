"""Carrying q and v of a State across an edit of its mechanism: what `Maps.carry` does.

A joint that was in the tree before, and is not reversed, keeps its q and v bit for bit; so does a reversed one of one
degree of freedom.  Any other joint of the new tree gets the q and v with which it follows the motion that its bodies
had: that is found from the edges as they were, in plain numpy, and only if it is needed.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import StaleModelError, StateError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.before import Before, Change
from rbdyn.mechanism.surgery.maps import carried
from rbdyn.model.model import Model
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

Known = list[tuple[Before, State]]  # each state with the mechanism that it is of


class Moving(NamedTuple):
    """A frame in motion, in the axes of the root."""

    R: Array  # (3, 3) its axes
    p: Array  # (3,) its origin [m]
    w: Array  # (3,) angular velocity [rad/s]
    v: Array  # (3,) velocity of its origin [m/s]

    def fixed(self, pose: Transform) -> Moving:
        """A frame that is fixed to this one at `pose`."""
        arm = self.R @ pose.translation
        return Moving(self.R @ pose.rotation, self.p + arm, self.w, self.v + np.cross(self.w, arm))

    def moved(self, pose: Transform, twist: Array) -> Moving:
        """A frame that is at `pose` in this one and has `twist` (6,) relative to it, in its own axes."""
        here = self.fixed(pose)
        return Moving(here.R, here.p, here.w + here.R @ twist[:3], here.v + here.R @ twist[3:])

    def seen_from(self, other: Moving) -> tuple[Transform, Array]:
        """Pose in `other`, and twist (6,) relative to it in this frame's own axes."""
        arm = self.p - other.p
        slip = self.v - other.v - np.cross(other.w, arm)
        return (
            Transform(rotation=other.R.T @ self.R, translation=other.R.T @ arm),
            np.concatenate([self.R.T @ (self.w - other.w), self.R.T @ slip]),
        )


@carried.register
def carry(first: State, states: tuple[State, ...], change: Change) -> State:
    """The state after `change`; see `Maps.carry`."""
    known = _sorted(states, change.befores)
    change.check_last()
    model = Model(cast(Mechanism, change.result))
    q, v = model.neutral(), np.zeros(model.nv)
    left = _take_over(known, q, v, model)
    if left:
        before, state = known[0]
        _follow(left, before, state, q, v, model)
    after = State(model)
    after.set(q, v)
    root = model.mechanism.root_body
    for before, state in known:
        if before.bodies.get(root, root) is before.mechanism.root_body:
            after.copy_root_pose(state)
            break
    return after


def _sorted(states: tuple[State, ...], befores: tuple[Before, ...]) -> Known:
    """Each state with the mechanism that it is of."""
    free, known = list(befores), []
    for state in states:
        if not isinstance(state, State) or state.model is None:
            raise StateError(f"carry takes States, got {shown(state)}")
        before = next((b for b in free if _fits(state, b)), None)
        if before is None:
            model = state.model
            which = "a second one" if any(_fits(state, b) for b in befores) else "one"
            other = "" if any(model.mechanism is b.mechanism for b in befores) else "another "
            raise StaleModelError(
                f"the state is {which} of {other}mechanism {model.mechanism.name!r} at revision {model.revision}; "
                f"these maps carry one state of {' and one of '.join(b.describe() for b in befores)}"
            )
        free.remove(before)
        known.append((before, state))
    return known


def _fits(state: State, before: Before) -> bool:
    """Whether `state` is one of that mechanism at that revision."""
    return state.model.mechanism is before.mechanism and state.model.revision == before.revision


def _take_over(known: Known, q: Array, v: Array, model: Model) -> list[Joint]:
    """Copy the coordinates that joints take over; those left take over none."""
    moving = [joint for joint in model.mechanism.tree_joints if joint.num_velocities]
    taken: dict[Joint, tuple[State, Joint]] = {}
    for before, state in known:
        taken |= {new: (state, old) for new, old in before.origins().items()}
    for joint in moving:
        if joint in taken:
            iq, iv = _slices(model, joint)
            q[iq], v[iv] = _coordinates(*taken[joint])
    return [joint for joint in moving if joint not in taken]


def _follow(joints: list[Joint], before: Before, state: State, q: Array, v: Array, model: Model) -> None:
    """Give each of `joints` the coordinates with which its bodies move as they did; new bodies rest."""
    there = {before.mechanism.root_body, *(before.edges[j].successor for j in before.tree)}
    ends = {}
    for joint in joints:
        edge = model.mechanism.edge(joint)
        start, end = (before.bodies.get(b, b) for b in (edge.predecessor, edge.successor))
        if start in there and end in there:
            ends[joint] = edge, start, end
    motions = _motions(before, state) if ends else {}
    for joint, (edge, start, end) in ends.items():
        base = motions[start].fixed(edge.joint_pose)
        pose, twist = motions[end].fixed(edge.successor_pose.inverse()).seen_from(base)
        iq, iv = _slices(model, joint)
        q[iq] = _within(joint, joint.joint_type.configuration(pose))
        v[iv] = joint.joint_type.velocity(q[iq], twist)


def _motions(before: Before, state: State) -> dict[RigidBody, Moving]:
    """How each body moved in `state`, the root at rest."""
    motions = {before.mechanism.root_body: Moving(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))}
    for joint in before.tree:
        edge, kind = before.edges[joint], joint.joint_type
        frame = motions[edge.predecessor].fixed(edge.joint_pose)
        if joint.num_velocities:
            q, v = _coordinates(state, joint)
            frame = frame.moved(kind.pose(q), kind.motion_subspace(q) @ v)
        motions[edge.successor] = frame.fixed(edge.successor_pose)
    return motions


def _slices(model: Model, joint: Joint) -> tuple[slice, slice]:
    """Where a moving joint's numbers are in q and v."""
    iq, iv = model.joint_q_index(joint.name), model.joint_v_index(joint.name)
    return slice(iq, iq + joint.num_positions), slice(iv, iv + joint.num_velocities)


def _coordinates(state: State, joint: Joint) -> tuple[Array, Array]:
    """q and v of one joint; a state whose model is stale can still be read."""
    if not joint.num_velocities:
        return np.zeros(0), np.zeros(0)
    iq, iv = _slices(state.model, joint)
    return state.q[iq], state.v[iv]


def _within(joint: Joint, q: Array) -> Array:
    """`q`, whole turns added to an angle that is beyond its limits if that brings it inside."""
    if not joint.joint_type.periodic or joint.position_limits is None:
        return q
    lower, upper = joint.position_limits
    turn = 2.0 * math.pi
    if q[0] < lower:
        turned = q + turn * math.ceil((lower - q[0]) / turn)
    elif q[0] > upper:
        turned = q - turn * math.ceil((q[0] - upper) / turn)
    else:
        return q
    return turned if lower <= turned[0] <= upper else q
