"""Carrying q and v of a State across an edit of its mechanism.

A joint that was in the tree before, and leads the same way, keeps its q and v bit for bit; so does a flipped one of one
degree of freedom.  Any other joint of the new tree gets the q and v with which it follows the motion that its bodies
had: that is found from the edges as they were, in plain numpy, and only if it is needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rbdyn.errors import StaleModelError, StateError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joint_types import Revolute
from rbdyn.spatial.rotations import Array, _shown
from rbdyn.spatial.transform import Transform


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


@dataclass(frozen=True, eq=False)
class Before:
    """What a mechanism was just before an edit, as far as its states need it.

    `origin` says which joint of the result takes over the coordinates of which tree joint (None: every tree joint is
    still itself), and `bodies` which body of the result was which (those missing: themselves).
    """

    mechanism: Graph
    revision: int
    edges: Mapping[Joint, Edge]
    tree: tuple[Joint, ...]
    origin: Mapping[Joint, Joint] | None = None
    bodies: Mapping[RigidBody, RigidBody] = field(default_factory=dict)

    @classmethod
    def of(cls, mechanism: Graph) -> Before:
        """`mechanism` as it is now."""
        return cls(mechanism, mechanism.revision, mechanism._edges, tuple(mechanism._tree_joints))

    def taken_over_by(
        self, origin: Mapping[Joint, Joint], bodies: Mapping[RigidBody, RigidBody] | None = None
    ) -> Before:
        """The same, with what the edit made of joints and bodies."""
        return replace(self, origin=origin, bodies=bodies or {})

    def origins(self) -> Mapping[Joint, Joint]:
        """`origin`, spelled out."""
        return {joint: joint for joint in self.tree} if self.origin is None else self.origin

    def describe(self) -> str:
        """For messages."""
        return f"mechanism {self.mechanism.name!r} at revision {self.revision}"

    def fits(self, state: Any) -> bool:
        """Whether `state` is one of this mechanism at this revision."""
        return state.model.mechanism is self.mechanism and state.model.revision == self.revision

    def motions(self, state: Any) -> dict[RigidBody, Moving]:
        """How each body moves in `state`, the root at rest."""
        root = self.mechanism.root_body
        motions = {root: Moving(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))}
        for joint in self.tree:
            edge, kind = self.edges[joint], joint.joint_type
            q, v = _coordinates(state, joint)
            before = motions[edge.predecessor].fixed(edge.joint_pose)
            after = before.moved(kind.pose(q), kind.motion_subspace(q) @ v) if joint.num_velocities else before
            motions[edge.successor] = after.fixed(edge.successor_pose)
        return motions


@dataclass(frozen=True, eq=False)
class Carrier:
    """What `Maps.carry` needs: the result of an edit, and what was there before it."""

    result: Graph
    structure: int  # the result's count of structural edits, just after this one
    befores: tuple[Before, ...]

    @classmethod
    def of(cls, result: Graph, *befores: Before) -> Carrier:
        """From what was before to what `result` is now."""
        return cls(result, result._structure, befores)

    def carry(self, states: tuple[Any, ...]) -> Any:
        """See `Maps.carry`."""
        known = self._sorted(states)
        if self.result._structure != self.structure:
            raise StaleModelError(
                f"mechanism {self.result.name!r} was edited again and is at revision {self.result.revision}: maps "
                f"carry a state across one edit, from {' and '.join(b.describe() for b in self.befores)}; carry it "
                "before the next edit"
            )
        model = type(states[0].model)(self.result)
        q, v = model.neutral(), np.zeros(model.nv)
        left = self._take_over(known, q, v, model)
        if left:
            before, state = known[0]
            self._follow(left, before, state, q, v, model)
        carried = type(states[0])(model)
        carried.set(q, v)
        root = self.result.root_body
        for before, state in known:
            if before.bodies.get(root, root) is before.mechanism.root_body:
                carried._take_root(state)
                break
        return carried

    def _sorted(self, states: tuple[Any, ...]) -> list[tuple[Before, Any]]:
        """Each state with the mechanism that it is of."""
        if not states:
            raise StateError("carry takes one State or more, got none")
        free, known = list(self.befores), []
        for state in states:
            model: Any = getattr(state, "model", None)
            if getattr(model, "mechanism", None) is None:
                raise StateError(f"carry takes States, got {_shown(state)}")
            before = next((b for b in free if b.fits(state)), None)
            if before is None:
                which = "a second one" if any(b.fits(state) for b in self.befores) else "one"
                other = "" if any(model.mechanism is b.mechanism for b in self.befores) else "another "
                raise StaleModelError(
                    f"the state is {which} of {other}mechanism {model.mechanism.name!r} at revision {model.revision}; "
                    "these maps carry one state of "
                    f"{' and one of '.join(b.describe() for b in self.befores)}"
                )
            free.remove(before)
            known.append((before, state))
        return known

    def _take_over(self, known: list[tuple[Before, Any]], q: Array, v: Array, model: Any) -> list[Joint]:
        """Copy the coordinates that joints take over; those left take over none."""
        moving = [joint for joint in self.result._tree_joints if joint.num_velocities]
        taken: dict[Joint, tuple[Any, Joint]] = {}
        for before, state in known:
            taken |= {new: (state, old) for new, old in before.origins().items()}
        for joint in moving:
            if joint in taken:
                iq, iv = _slices(model, joint)
                q[iq], v[iv] = _coordinates(*taken[joint])
        return [joint for joint in moving if joint not in taken]

    def _follow(self, joints: list[Joint], before: Before, state: Any, q: Array, v: Array, model: Any) -> None:
        """Give each of `joints` the coordinates with which its bodies move as they did; new bodies rest."""
        there = {before.mechanism.root_body, *(before.edges[j].successor for j in before.tree)}
        ends = {}
        for joint in joints:
            edge = self.result._edges[joint]
            start, end = (before.bodies.get(b, b) for b in (edge.predecessor, edge.successor))
            if start in there and end in there:
                ends[joint] = edge, start, end
        motions = before.motions(state) if ends else {}
        for joint, (edge, start, end) in ends.items():
            base = motions[start].fixed(edge.joint_pose)
            pose, twist = motions[end].fixed(edge.successor_pose.inverse()).seen_from(base)
            iq, iv = _slices(model, joint)
            q[iq] = _within(joint, joint.joint_type.configuration(pose))
            v[iv] = joint.joint_type.motion_subspace(q[iq]).T @ twist


def _slices(model: Any, joint: Joint) -> tuple[slice, slice]:
    """Where a moving joint's numbers are in q and v."""
    iq, iv = model.joint_q_index(joint.name), model.joint_v_index(joint.name)
    return slice(iq, iq + joint.num_positions), slice(iv, iv + joint.num_velocities)


def _coordinates(state: Any, joint: Joint) -> tuple[Array, Array]:
    """q and v of one joint; a state whose model is stale can still be read."""
    if not joint.num_velocities:
        return np.zeros(0), np.zeros(0)
    iq, iv = _slices(state.model, joint)
    return state.q[iq], state.v[iv]


def _within(joint: Joint, q: Array) -> Array:
    """`q`, whole turns added to an angle that is beyond its limits if that brings it inside."""
    if not isinstance(joint.joint_type, Revolute) or joint.position_limits is None:
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
