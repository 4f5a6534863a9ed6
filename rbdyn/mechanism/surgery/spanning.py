"""Spanning trees: which joints are in the tree, and which of those have to be reversed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

from rbdyn.arguments import shown
from rbdyn.errors import MechanismError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.commit import commit
from rbdyn.mechanism.surgery.maps import Maps

NextEdge = Callable[[Sequence[Joint]], Joint]


class Frontier:
    """The joints between bodies that are in the tree and bodies that are not yet.

    Parameters
    ----------
    joints : iterable of Joint
        All there are.
    edges : mapping of Joint to Edge
        Where they sit.
    order : mapping of Joint to int, optional
        Which comes first: as it is before reversed, then by this number.  None: whichever was met first.
    """

    def __init__(
        self, joints: Iterable[Joint], edges: Mapping[Joint, Edge], order: Mapping[Joint, int] | None = None
    ) -> None:
        self.edges, self.order = edges, order
        self.reached: set[RigidBody] = set()
        self.candidates: dict[Joint, None] = {}  # in the order in which they were met
        self._heap: list[tuple[bool, int, int, Joint]] = []  # candidates, and some that are none any more
        self._met = 0
        self._out: dict[RigidBody, list[Joint]] = {}
        self._into: dict[RigidBody, list[Joint]] = {}
        for joint in joints:
            self._out.setdefault(edges[joint].predecessor, []).append(joint)
            self._into.setdefault(edges[joint].successor, []).append(joint)

    def reach(self, body: RigidBody) -> None:
        """`body` is in the tree: its joints to bodies that are not are candidates, the others no longer."""
        self.reached.add(body)
        for joint, end in self._at(body):
            if end in self.reached:
                self.candidates.pop(joint, None)
            else:
                self._meet(joint, flip=self.edges[joint].successor is body)

    def _at(self, body: RigidBody) -> Iterable[tuple[Joint, RigidBody]]:
        """The joints at `body` and their other ends, those that start from it first."""
        yield from ((joint, self.edges[joint].successor) for joint in self._out.get(body, ()))
        yield from ((joint, self.edges[joint].predecessor) for joint in self._into.get(body, ()))

    def _meet(self, joint: Joint, flip: bool) -> None:
        self.candidates[joint] = None
        self._met += 1
        rank = (False, 0) if self.order is None else (flip, self.order[joint])
        heapq.heappush(self._heap, (*rank, self._met, joint))

    def first(self) -> Joint:
        """The candidate that comes first."""
        while True:
            *_, joint = heapq.heappop(self._heap)
            if joint in self.candidates:
                return joint

    def take(self, next_edge: NextEdge | None) -> tuple[Joint, bool]:
        """Choose a candidate and reach its far end; True if the joint has to be reversed."""
        joint = self.first() if next_edge is None else self._asked(next_edge)
        edge = self.edges[joint]
        flip = edge.predecessor not in self.reached
        self.reach(edge.predecessor if flip else edge.successor)
        return joint, flip

    def _asked(self, next_edge: NextEdge) -> Joint:
        choices = tuple(self.candidates)
        joint = next_edge(choices)
        if not isinstance(joint, Joint) or joint not in self.candidates:
            raise MechanismError(
                f"next_edge must return one of the joints it is given, {', '.join(repr(j.name) for j in choices)}; "
                f"got {shown(joint)}"
            )
        return joint


def rebuild_spanning_tree(mechanism: Graph, next_edge: NextEdge | None) -> Maps:
    """See `Mechanism.rebuild_spanning_tree`."""
    check_next_edge(next_edge)
    frontier = Frontier(mechanism.joints, mechanism._edges)
    frontier.reach(mechanism.root_body)
    return span(mechanism, frontier, [], mechanism.joints, mechanism._edges, next_edge)


def check_next_edge(next_edge: object) -> None:
    """MechanismError unless it can be called."""
    if next_edge is not None and not callable(next_edge):
        raise MechanismError(f"next_edge must be a function of joints that returns one, got {shown(next_edge)}")


def span(
    mechanism: Graph,
    frontier: Frontier,
    tree: list[Joint],
    joints: Sequence[Joint],
    edges: Mapping[Joint, Edge],
    next_edge: NextEdge | None,
) -> Maps:
    """Grow `tree` by way of `frontier`, and make `mechanism` consist of it and, as loops, of the rest of `joints`."""
    before = Before.of(mechanism)
    chosen: list[tuple[Joint, bool]] = []
    while frontier.candidates:
        chosen.append(frontier.take(next_edge))
    if mechanism.revision != before.revision:
        raise MechanismError(f"next_edge edited mechanism {mechanism.name!r}, whose spanning tree was being rebuilt")
    new_edges = {joint: edges[joint] for joint in joints}
    maps = Maps()
    for joint, flip in chosen:
        if flip:
            turned = maps.joints[joint] = joint.flipped()
            turned.frame_before, turned.frame_after = joint.frame_after, joint.frame_before
            new_edges[turned] = flipped_edge(new_edges.pop(joint))
            tree.append(turned)
        else:
            tree.append(joint)
    used = {*tree, *maps.joints}
    old_tree = set(before.tree)
    leftover = [joint for joint in joints if joint not in used]
    loops = [j for j in leftover if j not in old_tree] + [j for j in leftover if j in old_tree]
    origin = {j: j for j in before.tree if j not in maps.joints}
    origin |= {maps.joints[j]: j for j in before.tree if j in maps.joints and j.num_velocities <= 1}
    commit(mechanism, tree, loops, new_edges)
    return maps._of(mechanism, before.taken_over_by(origin))


def flipped_edge(edge: Edge) -> Edge:
    """The edge of the reversed joint."""
    return Edge(edge.successor, edge.predecessor, edge.successor_pose.inverse(), edge.joint_pose.inverse())
