"""Mechanism: a graph of bodies and joints with a spanning tree; no state, no numbers of its own."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Literal, overload

from numpy.typing import ArrayLike

from rbdyn.errors import MechanismError, unknown_name
from rbdyn.mechanism._revision import Revision
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joint_types import Fixed
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array, as_vector
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
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
class Maps:
    """What an edit turned into what: old body, joint or frame -> new one."""

    bodies: dict[RigidBody, RigidBody] = field(default_factory=dict)
    joints: dict[Joint, Joint] = field(default_factory=dict)
    frames: dict[CartesianFrame, CartesianFrame] = field(default_factory=dict)


class Mechanism:
    """Bodies joined by joints: a tree, plus joints that close loops.

    Parameters
    ----------
    root_body : RigidBody
        The body that does not move: the world.
    gravity : (3,) array_like
        Gravitational acceleration in the root frame [m/s^2].

    Examples
    --------
    >>> from rbdyn import Joint, Mechanism, Revolute, RigidBody, SpatialInertia
    >>> m = Mechanism(RigidBody("world"))
    >>> arm = RigidBody("arm", SpatialInertia(1.0, com=(0, 0, -0.5)))
    >>> m.attach(m.root_body, arm, Joint("shoulder", Revolute(axis=(0, 1, 0))))
    >>> m.num_velocities
    1
    """

    def __init__(self, root_body: RigidBody, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        if not isinstance(root_body, RigidBody):
            raise MechanismError(f"root_body must be a RigidBody, got {root_body!r}")
        _claim(root_body, self)
        self._root = root_body
        self._gravity = as_vector(gravity, 3, "gravity", "[m/s^2]")
        self._bodies: list[RigidBody] = [root_body]
        self._tree_joints: list[Joint] = []
        self._loop_joints: list[Joint] = []
        self._edges: dict[Joint, Edge] = {}
        self._parent_joint: dict[RigidBody, Joint] = {}
        self._body_names: dict[str, RigidBody] = {root_body.name: root_body}
        self._joint_names: dict[str, Joint] = {}
        self._merged_names: dict[str, RigidBody] = {}  # bodies that live on as frames -> their hosts
        self._revision = Revision()
        root_body._revision = self._revision
        self.name = root_body.name
        self.warnings: list[str] = []

    # ---- queries -----------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Counts the edits made so far; a Model knows the revision it was compiled from."""
        return self._revision.value

    @property
    def gravity(self) -> Array:
        """Gravitational acceleration in the root frame, (3,) [m/s^2]; assign to change it."""
        return self._gravity.copy()

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity = as_vector(value, 3, "gravity", "[m/s^2]")
        self._revision.value += 1

    @property
    def root_body(self) -> RigidBody:
        """The body that does not move."""
        return self._root

    @property
    def root_frame(self) -> CartesianFrame:
        """The root body's frame."""
        return self._root.frame

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

    def find_body(self, name: str) -> RigidBody:
        """The body of that name; UnknownNameError (a KeyError) with the nearest names if there is none."""
        if isinstance(name, str) and name in self._body_names:
            return self._body_names[name]
        raise unknown_name("body", name, (b.name for b in self._bodies), f"mechanism {self.name!r}")

    def find_joint(self, name: str) -> Joint:
        """The joint of that name; UnknownNameError (a KeyError) with the nearest names if there is none."""
        if isinstance(name, str) and name in self._joint_names:
            return self._joint_names[name]
        raise unknown_name("joint", name, (j.name for j in self.joints), f"mechanism {self.name!r}")

    def edge(self, joint: Joint) -> Edge:
        """Where `joint` sits: predecessor, successor and the two poses."""
        try:
            return self._edges[joint]
        except (KeyError, TypeError):
            raise MechanismError(f"joint {_name(joint)} is not in mechanism {self.name!r}") from None

    def predecessor(self, joint: Joint) -> RigidBody:
        """The body that `joint` starts from."""
        return self.edge(joint).predecessor

    def successor(self, joint: Joint) -> RigidBody:
        """The body that `joint` leads to."""
        return self.edge(joint).successor

    def in_joints(self, body: RigidBody) -> tuple[Joint, ...]:
        """The joints that lead to `body`."""
        self._check_inside(body)
        return tuple(j for j in self.joints if self._edges[j].successor is body)

    def out_joints(self, body: RigidBody) -> tuple[Joint, ...]:
        """The joints that start from `body`."""
        self._check_inside(body)
        return tuple(j for j in self.joints if self._edges[j].predecessor is body)

    def joint_to_parent(self, body: RigidBody) -> Joint:
        """The tree joint between `body` and its parent.

        Raises
        ------
        MechanismError
            For the root body, which has none.
        """
        self._check_inside(body)
        if body is self._root:
            raise MechanismError(f"body {body.name!r} is the root and has no parent")
        return self._parent_joint[body]

    def joints_to_children(self, body: RigidBody) -> tuple[Joint, ...]:
        """The tree joints that start from `body`."""
        self._check_inside(body)
        return tuple(j for j in self._tree_joints if self._edges[j].predecessor is body)

    def parent(self, body: RigidBody) -> RigidBody:
        """The parent of `body` in the spanning tree; MechanismError for the root."""
        return self._edges[self.joint_to_parent(body)].predecessor

    def path(self, start: RigidBody, end: RigidBody) -> list[tuple[Joint, int]]:
        """The tree joints from `start` to `end`, each with +1 (walked towards its successor) or -1."""
        up, down = self._ancestors(start), self._ancestors(end)
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return [(j, -1) for j in up] + [(j, +1) for j in reversed(down)]

    def _ancestors(self, body: RigidBody) -> list[Joint]:
        """The tree joints from `body` to the root."""
        self._check_inside(body)
        joints = []
        while body is not self._root:
            joint = self._parent_joint[body]
            joints.append(joint)
            body = self._edges[joint].predecessor
        return joints

    def _check_inside(self, body: RigidBody) -> None:
        if body is not self._root and body not in self._parent_joint:
            raise MechanismError(f"body {_name(body)} is not in mechanism {self.name!r}")

    # ---- edits -------------------------------------------------------------------------------

    def attach(
        self,
        predecessor: RigidBody,
        successor: RigidBody,
        joint: Joint,
        joint_pose: Transform | None = None,
        successor_pose: Transform | None = None,
    ) -> None:
        """Join `successor` to `predecessor`; a successor that is already inside closes a loop.

        Parameters
        ----------
        predecessor : RigidBody
            A body of this mechanism.
        successor : RigidBody
            A new body, or one of this mechanism.
        joint : Joint
            Not yet attached here.
        joint_pose : Transform, optional
            Pose of the joint's before-frame in the predecessor.
        successor_pose : Transform, optional
            Pose of the successor in the joint's after-frame.

        Raises
        ------
        MechanismError
            If the predecessor is foreign, the joint is attached already, or a name is taken.  Nothing is changed then.
        """
        if not isinstance(joint, Joint) or not isinstance(successor, RigidBody):
            raise MechanismError(f"attach takes a RigidBody and a Joint, got {successor!r} and {joint!r}")
        for what, pose in (("joint_pose", joint_pose), ("successor_pose", successor_pose)):
            if pose is not None and not isinstance(pose, Transform):
                raise MechanismError(f"{what} must be a Transform, got {pose!r}")
        self._check_inside(predecessor)
        if joint in self._edges:
            raise MechanismError(f"joint {joint.name!r} is already attached to mechanism {self.name!r}")
        if joint.name in self._joint_names:
            raise MechanismError(f"mechanism {self.name!r} already has a joint named {joint.name!r}")
        inside = successor is self._root or successor in self._parent_joint
        if inside and successor is predecessor:
            raise MechanismError(f"joint {joint.name!r} would join body {successor.name!r} to itself")
        if not inside and successor.name in self._body_names:
            raise MechanismError(f"mechanism {self.name!r} already has a body named {successor.name!r}")
        if not inside and successor.name in self._merged_names:
            host = self._merged_names[successor.name]
            raise MechanismError(
                f"mechanism {self.name!r} already has a frame named {successor.name!r}: a body of that name was merged "
                f"into {host.name!r}"
            )
        if not inside:
            _claim(successor, self)
        _claim(joint, self)
        joint._revision = successor._revision = self._revision
        self._joint_names[joint.name] = joint
        self._edges[joint] = Edge(predecessor, successor, joint_pose or Transform(), successor_pose or Transform())
        if inside:
            self._loop_joints.append(joint)
        else:
            self._bodies.append(successor)
            self._body_names[successor.name] = successor
            self._tree_joints.append(joint)
            self._parent_joint[successor] = joint
        self._revision.value += 1

    def attach_mechanism(
        self, parent_body: RigidBody, child: Mechanism, child_root_pose: Transform | None = None, prefix: str = ""
    ) -> Maps:
        """Attach copies of all bodies and joints of `child`, which stays as it is; its gravity is ignored.

        `parent_body` takes the place of the child's root: the root's inertia is added to it, and copies of the root's
        geometry and frames move to it.  The root's own frame lives on there under its prefixed name, numbered
        ("world_2") if that is taken.  Tree joints come in the child's order, after those that are here already; then
        the loop joints.

        Parameters
        ----------
        parent_body : RigidBody
            A body of this mechanism.
        child : Mechanism
            What to copy; attaching it again gives further independent copies.
        child_root_pose : Transform, optional
            Pose of the child's root frame in `parent_body`.
        prefix : str
            Put before every name of the child: bodies, joints, frames and geometry.

        Returns
        -------
        maps : Maps
            Every body, joint and frame of the child -> its copy; the child's root -> `parent_body`.

        Raises
        ------
        MechanismError
            If the parent is foreign or a name is taken.  Nothing is changed then.
        """
        return _surgery().attach_mechanism(self, parent_body, child, child_root_pose, prefix)

    def submechanism(self, body: RigidBody, gravity: str | ArrayLike = "copy") -> tuple[Mechanism, Maps]:
        """A new mechanism of copies: `body` as its root, with its inertia, and all below it.

        A loop joint is kept if both its ends are inside; a joint that mimics one outside no longer does.

        Parameters
        ----------
        body : RigidBody
            A body of this mechanism, which stays as it is.
        gravity : "copy" or (3, 3) array_like
            "copy" takes the three numbers over as they are; a rotation turns them, g_new = R g: the rotation of this
            mechanism's root frame in `body` keeps gravity's direction in space.

        Returns
        -------
        part : Mechanism
        maps : Maps
            The bodies, joints and frames inside -> their copies.

        Raises
        ------
        MechanismError
            If the body is foreign, or `gravity` neither "copy" nor a rotation.
        """
        return _surgery().submechanism(self, body, gravity)

    def remove_subtree(self, joint: Joint) -> Maps:
        """Remove a tree joint, all bodies it carries, and every joint that starts or ends at one of them.

        What is removed may be attached elsewhere; what stays stays the same objects in the same order.  A joint that
        mimicked a removed one no longer does.

        Returns
        -------
        maps : Maps
            Empty: nothing has become something else.

        Raises
        ------
        MechanismError
            If the joint is foreign or closes a loop.  Nothing is changed then.
        """
        return _surgery().remove_subtree(self, joint)

    @overload
    def remove_joint(self, joint: Joint, split: Literal[False] = False) -> Maps: ...
    @overload
    def remove_joint(self, joint: Joint, split: Literal[True]) -> tuple[Mechanism, Mechanism]: ...
    def remove_joint(self, joint: Joint, split: bool = False) -> Maps | tuple[Mechanism, Mechanism]:
        """Remove a joint; what it carried stays, hung on a loop joint, or becomes a mechanism of its own.

        A loop joint is dropped.  Without a tree joint, loop joints join the tree where they are needed, and joints that
        now lead the other way are flipped: a new Joint of the same name with its frames swapped and its axis negated,
        so that q, v and the limits keep their meaning.  The bodies that were re-hung come last in the new order.
        Loop joints that joined the tree have a q from now on; a tree joint left over closes a loop.

        Parameters
        ----------
        joint : Joint
            A joint of this mechanism.
        split : bool
            True for a joint that is the only connection to what it carries: both parts are returned.

        Returns
        -------
        maps : Maps
            joints: flipped joint -> its replacement.  Everything else stays the same object.
        near, far : Mechanism
            Only for split=True: this mechanism, and a new one of the bodies that the joint carried, the same objects;
            the successor is its root, and gravity the same three numbers.

        Raises
        ------
        MechanismError
            If the joint is foreign; is the only connection and `split` is False, or is not and `split` is True; or if
            a joint that is not revolute, prismatic or fixed would have to be flipped.  Nothing is changed then.
        """
        return _surgery().remove_joint(self, joint, split)

    def remove_fixed_tree_joints(self) -> Maps:
        """Merge every body that hangs on a fixed tree joint into its parent.

        Inertia, geometry and frames move to the parent; the merged body's frame lives on there under the body's name,
        and joints that started or ended at it are rewired.  The order of the remaining joints is kept.

        Returns
        -------
        maps : Maps
            bodies: merged body -> the body it is part of now.  Frames stay the same objects.
        """
        merged, pose_in = self._fixed_groups()
        if not merged:
            return Maps()
        sums = {host: host.inertia for host in merged.values()}
        for body, host in merged.items():
            sums[host] = sums[host] + body.inertia.transformed(pose_in[body])
        edges = {
            joint: Edge(
                merged.get(edge.predecessor, edge.predecessor),
                merged.get(edge.successor, edge.successor),
                pose_in[edge.predecessor] @ edge.joint_pose if edge.predecessor in merged else edge.joint_pose,
                edge.successor_pose @ pose_in[edge.successor].inverse() if edge.successor in merged
                else edge.successor_pose,
            )
            for joint, edge in self._edges.items()
            if not (edge.successor in merged and self._parent_joint.get(edge.successor) is joint)
        }
        for body, host in merged.items():
            _absorb(host, body, pose_in[body])
            _owner.pop(body, None)
            body._revision = None
        for host, inertia in sums.items():
            host.inertia = inertia
        for joint in self._tree_joints:
            if joint not in edges:
                _owner.pop(joint, None)
                joint._revision = None
        self._merged_names = {name: merged.get(host, host) for name, host in self._merged_names.items()}
        self._merged_names |= {body.name: host for body, host in merged.items()}
        self._bodies = [b for b in self._bodies if b not in merged]
        self._body_names = {b.name: b for b in self._bodies}
        self._joint_names = {j.name: j for j in edges}
        self._tree_joints = [j for j in self._tree_joints if j in edges]
        self._edges = edges
        self._parent_joint = {edges[j].successor: j for j in self._tree_joints}
        self._revision.value += 1
        return Maps(bodies=dict(merged))

    def _fixed_groups(self) -> tuple[dict[RigidBody, RigidBody], dict[RigidBody, Transform]]:
        """Each body on a fixed tree joint -> the moving body (or root) that carries it, and its pose there."""
        host: dict[RigidBody, RigidBody] = {}
        pose: dict[RigidBody, Transform] = {}
        for joint in self._tree_joints:
            if isinstance(joint.joint_type, Fixed):
                edge = self._edges[joint]
                parent = edge.predecessor
                local = edge.joint_pose @ edge.successor_pose
                host[edge.successor] = host.get(parent, parent)
                pose[edge.successor] = pose[parent] @ local if parent in pose else local
        return host, pose

    # ---- text --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        loops = f"{len(self._loop_joints)} loop joints"
        counts = f"{len(self._bodies)} bodies, {len(self._tree_joints)} tree joints, {loops}"
        return f"Mechanism({self.name!r}: {counts}, nq={self.num_positions}, nv={self.num_velocities})\n" + "\n".join(
            self._lines()
        )

    def _lines(self) -> Iterable[str]:
        depth = {self._root: 0}
        yield f"  {self._root.name}"
        for joint in self._tree_joints:
            edge = self._edges[joint]
            depth[edge.successor] = depth[edge.predecessor] + 1
            indent = "  " * min(depth[edge.successor] + 1, 40)
            yield f"{indent}{edge.successor.name} <- {joint.name} ({joint.joint_type.kind}) <- {edge.predecessor.name}"
        for joint in self._loop_joints:
            edge = self._edges[joint]
            yield f"  loop: {edge.successor.name} <- {joint.name} ({joint.joint_type.kind}) <- {edge.predecessor.name}"


_owner: weakref.WeakKeyDictionary[RigidBody | Joint, weakref.ref[Mechanism]] = weakref.WeakKeyDictionary()


def _claim(part: RigidBody | Joint, mechanism: Mechanism) -> None:
    """Note whose part this is; MechanismError if it is part of another mechanism that still lives."""
    owner = _owner.get(part)
    other = owner() if owner is not None else None
    if other is not None and other is not mechanism:
        kind = "body" if isinstance(part, RigidBody) else "joint"
        raise MechanismError(
            f"{kind} {part.name!r} is part of mechanism {other.name!r} already; attach a copy: {part.name}.copy()"
        )
    _owner[part] = weakref.ref(mechanism)


def _surgery() -> ModuleType:
    """The module of the larger edits; it needs Mechanism, so it is imported when first used."""
    from rbdyn.mechanism import surgery

    return surgery


def _name(thing: object) -> str:
    return repr(getattr(thing, "name", thing))


def _absorb(host: RigidBody, body: RigidBody, pose: Transform) -> None:
    """Give `host` the geometry and frames of `body`, which sits at `pose` in it."""
    host.collision.extend(item.moved(pose) for item in body.collision)
    host.visual.extend(item.moved(pose) for item in body.visual)
    for name, (frame, local) in ((body.name, (body.frame, Transform())), *body.frames.items()):
        host.frames[name if name not in host.frames else f"{body.name}/{name}"] = (frame, pose @ local)
