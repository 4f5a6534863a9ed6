"""Graph: what a Mechanism is made of, and the questions it answers about bodies and joints."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, flag, shown
from rbdyn.errors import MechanismError, UnknownNameError, unknown_name
from rbdyn.mechanism._owner import Change, check_free, claims
from rbdyn.mechanism._revision import Revision, put, put_all
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

T = TypeVar("T")
Pairs = frozenset[frozenset[RigidBody]]


@dataclass(frozen=True, slots=True)
class Edge:
    """Where a joint sits in the graph.

    `joint_pose` is the pose of the joint's before-frame in the predecessor; `successor_pose` is the pose of the
    successor in the joint's after-frame.  So: successor = predecessor * joint_pose * motion(q) * successor_pose.
    """

    predecessor: RigidBody
    successor: RigidBody
    joint_pose: Transform
    successor_pose: Transform


@dataclass(frozen=True)
class _Around:
    """The joints at one body, each kind in the order of `Graph.joints`."""

    into: list[Joint] = field(default_factory=list)
    out: list[Joint] = field(default_factory=list)
    children: list[Joint] = field(default_factory=list)


class Graph:
    """Bodies joined by joints, a spanning tree among them, and what can be asked about that.

    Parameters
    ----------
    root_body : RigidBody
        The body that does not move: the world.
    gravity : (3,) array_like
        Gravitational acceleration in the root frame [m/s^2].
    """

    def __init__(self, root_body: RigidBody, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        if not isinstance(root_body, RigidBody):
            raise MechanismError(f"root_body must be a RigidBody, got {shown(root_body)}")
        check_free(root_body, self)
        self._gravity = as_vector(gravity, 3, "gravity", "[m/s^2]")
        self._root = root_body
        self._bodies: list[RigidBody] = [root_body]
        self._tree_joints: list[Joint] = []
        self._loop_joints: list[Joint] = []
        self._edges: dict[Joint, Edge] = {}
        self._parent_joint: dict[RigidBody, Joint] = {}
        self._body_names: dict[str, RigidBody] = {root_body.name: root_body}
        self._joint_names: dict[str, Joint] = {}
        self._merged_names: dict[str, RigidBody] = {}  # bodies that live on as frames -> their hosts
        self._ignored: Pairs = frozenset()  # pairs of bodies that never collide; exchanged, not changed
        self._self_collision = True
        self._revision = Revision()
        self._structure = 0  # edits that changed the graph itself, and not only a parameter
        self._around_bodies: dict[RigidBody, _Around] | None = None  # made when first asked for after an edit
        self._held_joint: Joint | None = None  # see base_joint; made when first asked for
        self._lock = threading.RLock()  # held by whoever edits
        self.name = root_body.name
        self.diagnostics: list[str] = []
        self.nominal_configuration: tuple[float, ...] | None = None
        self.description: Any = None
        put_all(claims([root_body], self))

    def _changes(self, **values: Any) -> list[Change]:
        """Changes of the graph itself: attributes, by name, and the counts of edits."""
        values |= {"_around_bodies": None, "_structure": self._structure + 1}
        return [*((self.__dict__, name, value) for name, value in values.items()), (self._revision, None, None)]

    def __getstate__(self) -> dict[str, Any]:
        """The attributes as they are between two edits, which another thread may make meanwhile."""
        while True:
            revision = self._revision.value
            state = self.__dict__ | {"_around_bodies": None}
            del state["_lock"]
            state |= {name: value.copy() for name, value in state.items() if isinstance(value, (list, dict))}
            if self._revision.value == revision:
                return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        """As the usual way copies it, in a third of the time: bodies and joints first, then what says so of them."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        now = self.__getstate__()
        body = {one: copy.deepcopy(one, memo) for one in now["_bodies"]}
        joint = {one: copy.deepcopy(one, memo) for one in (*now["_tree_joints"], *now["_loop_joints"])}
        parts = {
            "_root": body[now["_root"]],
            "_bodies": list(body.values()),
            "_tree_joints": [joint[one] for one in now["_tree_joints"]],
            "_loop_joints": [joint[one] for one in now["_loop_joints"]],
            "_edges": {
                joint[one]: Edge(body[e.predecessor], body[e.successor], e.joint_pose, e.successor_pose)
                for one, e in now["_edges"].items()
            },
            "_parent_joint": {body[one]: joint[parent] for one, parent in now["_parent_joint"].items()},
            "_body_names": {name: body[one] for name, one in now["_body_names"].items()},
            "_joint_names": {name: joint[one] for name, one in now["_joint_names"].items()},
            "_merged_names": {name: body[one] for name, one in now["_merged_names"].items()},
            "_ignored": frozenset(frozenset(body[one] for one in pair) for pair in now["_ignored"]),
        }
        others = {k: copy.deepcopy(v, memo) for k, v in now.items() if k not in parts}
        made.__setstate__(others | parts)
        return made

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
        put_all(claims((*self._bodies, *self.joints), self))

    # ---- what there is -----------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Counts the edits made so far; a Model knows the revision it was compiled from."""
        return self._revision.value

    @property
    def structure(self) -> int:
        """Counts the edits that changed the graph itself: all but those of parameters."""
        return self._structure

    @property
    def gravity(self) -> Array:
        """Gravitational acceleration in the root frame, (3,) [m/s^2]; assign to change it."""
        return self._gravity.copy()

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        put(self.__dict__, "_gravity", as_vector(value, 3, "gravity", "[m/s^2]"), self._revision)

    @property
    def self_collision(self) -> bool:
        """Whether its bodies collide with one another: the default of a World that it is added to.  Can be set."""
        return self._self_collision

    @self_collision.setter
    def self_collision(self, value: bool) -> None:
        self._self_collision = flag(value, "self_collision", error=MechanismError)

    @property
    def ignored_collisions(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies, by name, that `ignore_collision` or its file keeps from colliding, in the order of `bodies`.

        Pairs that a joint joins are not in it, unless they were named.
        """
        place = {body: k for k, body in enumerate(self._bodies)}
        found = sorted(sorted(place[body] for body in pair) for pair in self._ignored)
        return tuple((self._bodies[a].name, self._bodies[b].name) for a, b in found)

    @property
    def root_body(self) -> RigidBody:
        """The body that does not move."""
        return self._root

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """All bodies, the root first, a parent before its children."""
        return tuple(self._bodies)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints: the tree joints, then those that close loops."""
        return (*self._tree_joints, *self._loop_joints)

    @property
    def tree_joints(self) -> tuple[Joint, ...]:
        """The joints of the spanning tree, a parent's before its children's."""
        return tuple(self._tree_joints)

    @property
    def non_tree_joints(self) -> tuple[Joint, ...]:
        """The joints that close loops."""
        return tuple(self._loop_joints)

    @property
    def base_joint(self) -> Joint:
        """Joint 0 of a Model: the joint between the world and the base.

        The floating joint that all other joints depend on, if there is one; else the joint that holds the only child of
        the root, if that is fixed.  Otherwise the root itself is the base, and this is a Fixed joint that stands in no
        list and between no two bodies, "ROOT_joint" for a root body ROOT.
        """
        at_rest, moving = [self._root], []
        for body in at_rest:
            for joint in self._around(body).children:
                if joint.joint_type.is_fixed:
                    at_rest.append(self._edges[joint].successor)
                else:
                    moving.append(joint)
        if len(moving) == 1 and moving[0].joint_type.is_floating:
            return moving[0]
        at_root = self._around(self._root).children
        if len(at_root) == 1 and at_root[0].joint_type.is_fixed:
            return at_root[0]
        if self._held_joint is None or self._held_joint.name in self._joint_names:
            name = f"{self._root.name}_joint"
            while name in self._joint_names:
                name += "_"
            self._held_joint = Joint(name, Fixed())
        return self._held_joint

    @property
    def num_positions(self) -> int:
        """Length of q."""
        return sum(j.num_positions for j in self._tree_joints)

    @property
    def num_velocities(self) -> int:
        """Length of v."""
        return sum(j.num_velocities for j in self._tree_joints)

    @property
    def num_constraints(self) -> int:
        """Rows of the loop-closure Jacobian: six less the freedoms of each non-tree joint."""
        return sum(6 - j.num_velocities for j in self._loop_joints)

    @property
    def num_additional_states(self) -> int:
        """Length of the state vector of contact models, beside q and v: 0, since hard contact needs none."""
        return 0

    # ---- looking up --------------------------------------------------------------------------

    def find_body(self, name: str | int) -> RigidBody:
        """A body by its name, or by its number in `bodies`.

        Raises
        ------
        UnknownNameError
            A KeyError: there is no body of that name, and the nearest names are given; or no such number.
        """
        return _found("body", name, self._body_names, self._bodies, self.name)

    def find_joint(self, name: str | int) -> Joint:
        """A joint by its name, or by its number in `joints`; `base_joint` has a name, too.

        Raises
        ------
        UnknownNameError
            A KeyError: there is no joint of that name, and the nearest names are given; or no such number.
        """
        if isinstance(name, str) and name not in self._joint_names and name == self.base_joint.name:
            return self.base_joint
        return _found("joint", name, self._joint_names, self.joints, self.name)

    def edge(self, joint: Joint | str) -> Edge:
        """Where `joint` sits: predecessor, successor and the two poses."""
        return self._edges[self._joint(joint)]

    def predecessor(self, joint: Joint | str) -> RigidBody:
        """The body that `joint` starts from."""
        return self.edge(joint).predecessor

    def successor(self, joint: Joint | str) -> RigidBody:
        """The body at which `joint` ends."""
        return self.edge(joint).successor

    def in_joints(self, body: RigidBody | str) -> tuple[Joint, ...]:
        """The joints that end at `body`."""
        return tuple(self._around(self._body(body)).into)

    def out_joints(self, body: RigidBody | str) -> tuple[Joint, ...]:
        """The joints that start from `body`."""
        return tuple(self._around(self._body(body)).out)

    def joints_to_children(self, body: RigidBody | str) -> tuple[Joint, ...]:
        """The tree joints that start from `body`."""
        return tuple(self._around(self._body(body)).children)

    def joint_to_parent(self, body: RigidBody | str) -> Joint:
        """The tree joint between `body` and its parent.

        Raises
        ------
        MechanismError
            For the root body, which has none.
        """
        child = self._body(body)
        if child is self._root:
            raise MechanismError(f"body {child.name!r} is the root and has no parent")
        return self._parent_joint[child]

    def parent(self, body: RigidBody | str) -> RigidBody:
        """The parent of `body` in the spanning tree; MechanismError for the root."""
        return self._edges[self.joint_to_parent(body)].predecessor

    def path(self, start: RigidBody | str, end: RigidBody | str) -> list[tuple[Joint, int]]:
        """The tree joints from `start` to `end`, each with +1 (towards its successor) or -1."""
        up, down = self._ancestors(self._body(start, "start")), self._ancestors(self._body(end, "end"))
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return [(j, -1) for j in up] + [(j, +1) for j in reversed(down)]

    def _ancestors(self, body: RigidBody) -> list[Joint]:
        """The tree joints from `body` to the root."""
        joints = []
        while body is not self._root:
            joint = self._parent_joint[body]
            joints.append(joint)
            body = self._edges[joint].predecessor
        return joints

    def _below(self, body: RigidBody) -> tuple[RigidBody, ...]:
        """The subtree of `body`, a parent before its children."""
        below = {body: None}
        for joint in self._tree_joints:
            edge = self._edges[joint]
            if edge.predecessor in below:
                below[edge.successor] = None
        return tuple(below)

    def _ordered_edges(self) -> list[tuple[Joint, Edge]]:
        """All joints, in the order of `joints`, and where they sit."""
        return [(joint, self._edges[joint]) for joint in self.joints]

    def _around(self, body: RigidBody) -> _Around:
        """The joints at `body`; all bodies' are found in one pass, the first time after an edit."""
        if self._around_bodies is None:
            around = {b: _Around() for b in self._bodies}
            for joint in self.joints:
                edge = self._edges[joint]
                around[edge.predecessor].out.append(joint)
                around[edge.successor].into.append(joint)
            for joint in self._tree_joints:
                around[self._edges[joint].predecessor].children.append(joint)
            self._around_bodies = around
        return self._around_bodies[body]

    def _has(self, body: object) -> bool:
        return body is self._root or (isinstance(body, RigidBody) and body in self._parent_joint)

    def _body(self, body: object, what: str = "body") -> RigidBody:
        """A body of this mechanism, given as itself or by its name."""
        if isinstance(body, str):
            return self.find_body(body)
        if not isinstance(body, RigidBody):
            need = f"a RigidBody of mechanism {self.name!r}, or its name"
            raise MechanismError(f"{what} must be {need}, got {shown(body)}")
        if not self._has(body):
            raise MechanismError(f"{what} {body.name!r} is not in mechanism {self.name!r}")
        return body

    def _joint(self, joint: object) -> Joint:
        """A joint of this mechanism that joins two bodies, given as itself or by its name."""
        found = self.find_joint(joint) if isinstance(joint, str) else joint
        if not isinstance(found, Joint):
            raise MechanismError(f"joint must be a Joint of mechanism {self.name!r}, or its name, got {shown(found)}")
        if found is self._held_joint and found not in self._edges:
            raise MechanismError(
                f"joint {found.name!r} holds the root of mechanism {self.name!r} and joins no two bodies of it"
            )
        if found not in self._edges:
            raise MechanismError(f"joint {found.name!r} is not in mechanism {self.name!r}")
        return found


def _found(kind: str, key: object, names: Mapping[str, T], things: Sequence[T], owner: str) -> T:
    """By name, or by number; UnknownNameError otherwise."""
    if isinstance(key, str):
        if key in names:
            return names[key]
    elif isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        number = int(key)
        if 0 <= number < len(things):
            return things[number]
        raise UnknownNameError(f"mechanism {owner!r} has no {kind} number {shown(number)}, only 0 to {len(things) - 1}")
    raise unknown_name(kind, key, names, f"mechanism {owner!r}")
