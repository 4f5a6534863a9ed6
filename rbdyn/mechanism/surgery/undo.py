"""Undoing edits of mechanisms: what they were before, for as long as the edits, or what follows from them, may fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rbdyn.mechanism._owner import Part, claim, release
from rbdyn.mechanism.editing import editing
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

    def let_go(self) -> None:
        """Give up the parts that the mechanism has now."""
        release((*self.mechanism.bodies, *self.mechanism.joints))

    def restore(self) -> None:
        """Make the mechanism, and its parts, what they were."""
        self.restore_graph()
        self.restore_parts()
        self.mechanism._revision.value, self.mechanism._structure = self.revision, self.structure

    def restore_graph(self) -> None:
        """Which bodies, joints and frames there are, and how they hang together."""
        for name, value in self.lists.items():
            setattr(self.mechanism, name, value.copy())
        for name, value in self.plain.items():
            setattr(self.mechanism, name, value)
        for frames, known in self.frames:
            frames.clear()
            frames.update(known)
        claim((*self.mechanism.bodies, *self.mechanism.joints), self.mechanism)

    def restore_parts(self) -> None:
        """What bodies and joints say."""
        for part, names, values in self.parts:
            said = part.__dict__
            said.update(zip(names, values, strict=True))  # never empty: another thread may look
            for name in said.keys() - set(names):
                del said[name]
        for items, before in self.shapes:
            items._items[:] = before


@contextmanager
def undone_by_errors(*mechanisms: Graph) -> Iterator[None]:
    """Edits of these mechanisms within are undone, with all that they did to bodies and joints, if anything raises.

    A mechanism that such an edit makes is left without what it took.  Other threads get a BusyError meanwhile.
    """
    with ExitStack() as stack:
        for mechanism in mechanisms:
            stack.enter_context(editing(mechanism))
        kept = [Kept(mechanism) for mechanism in mechanisms]
        try:
            yield
        except BaseException:
            for one in kept:
                one.let_go()
            for one in kept:
                one.restore()
            raise
