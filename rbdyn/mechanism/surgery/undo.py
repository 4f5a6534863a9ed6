"""What a mechanism is, kept so that edits can be undone: by snapshots, and by edits of a World that come to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdyn.mechanism._owner import Part, claims, releases
from rbdyn.mechanism._parameter import Change
from rbdyn.mechanism._revision import GONE

if TYPE_CHECKING:
    from rbdyn.mechanism.graph import Graph

LISTS = ("_bodies", "_tree_joints", "_loop_joints", "_edges", "_parent_joint", "_body_names", "_joint_names",
         "_merged_names", "_ignored")  # fmt: skip
PLAIN = ("_root", "_gravity", "_self_collision", "_around_bodies", "_held_joint", "name", "nominal_configuration",
         "description")  # fmt: skip


class Kept:
    """What a mechanism is now, down to what edits change of its bodies and joints."""

    def __init__(self, mechanism: Graph) -> None:
        self.mechanism, self.revision, self.structure = mechanism, mechanism.revision, mechanism.structure
        self.lists = {name: getattr(mechanism, name).copy() for name in LISTS}
        self.plain = {name: getattr(mechanism, name) for name in PLAIN}
        parts: list[Part] = [*mechanism.bodies, *mechanism.joints]
        names: dict[tuple[str, ...], tuple[str, ...]] = {}  # once each: a World keeps this for all of its robots
        self.parts = [
            (part, names.setdefault(key := tuple(part.__dict__), key), tuple(part.__dict__.values())) for part in parts
        ]
        self.shapes = [(items, tuple(items)) for b in mechanism.bodies for items in (b.collision, b.visual)]
        self.keep_frames()

    def keep_frames(self) -> None:
        """The frames that bodies have now, too."""
        self.frames = [(body.frames, tuple(body.frames.items())) for body in self.mechanism.bodies]

    def letting_go(self) -> list[Change]:
        """Changes that give up the parts that the mechanism has now."""
        return releases((*self.mechanism.bodies, *self.mechanism.joints))

    def graph(self) -> list[Change]:
        """Changes that put back bodies, joints and frames, and how they hang together."""
        changes: list[Change] = [
            (self.mechanism.__dict__, name, value)
            for name, value in [*((name, value.copy()) for name, value in self.lists.items()), *self.plain.items()]
        ]
        for frames, known in self.frames:
            if tuple(frames.items()) != known:
                changes += [(frames, name, GONE) for name in frames]
                changes += [(frames, name, fixture) for name, fixture in known]
        return [*changes, *claims([part for part, *_ in self.parts], self.mechanism)]

    def said(self) -> list[Change]:
        """Changes that put back what bodies and joints say."""
        changes: list[Change] = [(items, "_items", list(before)) for items, before in self.shapes]
        for part, names, values in self.parts:
            here = part.__dict__
            changes += [(here, name, value) for name, value in zip(names, values, strict=True)]
            changes += [(here, name, GONE) for name in here.keys() - set(names)]
        return changes
