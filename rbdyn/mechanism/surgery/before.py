"""What a mechanism was just before an edit, and what the edit made of it: all that a State needs to follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rbdyn.errors import StaleModelError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint


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


@dataclass(frozen=True, eq=False)
class Change:
    """An edit: its result, and what was there before it."""

    result: Graph
    structure: int  # the result's count of structural edits, just after this one
    befores: tuple[Before, ...]

    @classmethod
    def of(cls, result: Graph, *befores: Before) -> Change:
        """From what was before to what `result` is now."""
        return cls(result, result._structure, befores)

    def check_last(self) -> None:
        """StaleModelError if the result was restructured since."""
        if self.result._structure != self.structure:
            raise StaleModelError(
                f"mechanism {self.result.name!r} was edited again and is at revision {self.result.revision}: maps "
                f"carry a state across one edit, from {' and '.join(b.describe() for b in self.befores)}; carry it "
                "before the next edit"
            )
