"""The frames of a mechanism: those of bodies, those fixed to bodies by name, and those of joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rbdyn.errors import MechanismError, UnknownNameError, unknown_name
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.transform import Transform

AnyFrame = CartesianFrame | str | int
IDENTITY = Transform()
WORLD = "world"  # the inertial frame: the root's, whatever else has that name


class Fixture(NamedTuple):
    """A frame, the body it is fixed to, and its pose there; of an after-frame, the body's pose in it."""

    name: str
    frame: CartesianFrame
    body: RigidBody
    pose: Transform
    after: bool = False

    def definition(self) -> Transform:
        """Pose of the frame in the body."""
        return self.pose.inverse() if self.after else self.pose


class FramedGraph(Graph):
    """A graph that knows where every frame sits.  A frame may be given as itself, by its name, or by its id.

    Looking a frame up takes time in proportion to the number of bodies: no work for inner loops.

    Parameters
    ----------
    root_body, gravity
        As of `Graph`.
    """

    @property
    def root_frame(self) -> CartesianFrame:
        """The root body's frame."""
        return self._root.frame

    @property
    def frames(self) -> tuple[CartesianFrame, ...]:
        """All frames: each body's own and those fixed to it by name, then each joint's before- and after-frame."""
        return tuple(fixture.frame for fixture in self._fixtures())

    def find_frame(self, name: AnyFrame) -> CartesianFrame:
        """A frame by its name, or by its id.

        A body's own frame has the body's name, a joint's frames are `before_JOINT` and `after_JOINT`; the joint's name
        alone means its after-frame, unless a frame has that name.  "world" is the inertial frame: the root's.

        Raises
        ------
        UnknownNameError
            There is no such frame; the nearest names are given.
        MechanismError
            Several bodies have a frame of that name.
        """
        return self._fixture(name).frame

    def frame_to_body(self, frame: AnyFrame) -> RigidBody:
        """The body to which `frame` is fixed: for a joint's frames, its predecessor and its successor."""
        return self._fixture(frame).body

    def frame_definition(self, frame: AnyFrame) -> Transform:
        """The transform from `frame` to the default frame of the body to which it is fixed."""
        return self._fixture(frame).definition()

    def fixed_transform(self, from_: AnyFrame, to: AnyFrame) -> Transform:
        """The transform from one frame to another that is fixed to the same body.

        Parameters
        ----------
        from_, to : CartesianFrame, str or int
            Frames of this mechanism.

        Raises
        ------
        MechanismError
            If they are fixed to two bodies.
        """
        start, end = self._fixture(from_), self._fixture(to)
        if start.body is not end.body:
            raise MechanismError(
                f"frame {start.name!r} is fixed to body {start.body.name!r}, and {end.name!r} to {end.body.name!r}: "
                "the transform between them changes with q; ask a State for both poses"
            )
        return end.definition().inverse() @ start.definition()

    def default_frame(self, body: RigidBody | str) -> CartesianFrame:
        """The frame of `body` that its inertia, geometry and frames are given in."""
        return self._body(body).frame

    def frame_before(self, joint: Joint | str) -> CartesianFrame:
        """The frame of `joint` that is fixed to its predecessor."""
        return self._joint(joint).frame_before

    def frame_after(self, joint: Joint | str) -> CartesianFrame:
        """The frame of `joint` that is fixed to its successor."""
        return self._joint(joint).frame_after

    def _fixtures(self) -> Iterator[Fixture]:
        for body in self._bodies:
            yield Fixture(body.name, body.frame, body, IDENTITY)
            for name, (frame, pose) in body.frames.items():
                yield Fixture(name, frame, body, pose)
        for joint in self.joints:
            edge = self._edges[joint]
            yield Fixture(joint.frame_before.name, joint.frame_before, edge.predecessor, edge.joint_pose)
            yield Fixture(joint.frame_after.name, joint.frame_after, edge.successor, edge.successor_pose, after=True)

    def _fixture(self, frame: AnyFrame) -> Fixture:
        """Where a frame sits; exactly one must fit."""
        if isinstance(frame, CartesianFrame):
            found = [f for f in self._fixtures() if f.frame is frame]
        elif isinstance(frame, str):
            if frame == WORLD:
                return self._fixture(self.root_frame)
            found = [f for f in self._fixtures() if f.name == frame]
            if not found and frame in self._joint_names:
                return self._fixture(self._joint_names[frame].frame_after)
            if not found and frame == self.base_joint.name:
                return self._fixture(self.root_frame)
        elif isinstance(frame, (int, np.integer)) and not isinstance(frame, bool):
            number = int(frame)
            found = [f for f in self._fixtures() if f.frame.id == number]
        else:
            found = []
        if len(found) == 1:
            return found[0]
        if found:
            hosts = ", ".join(repr(f.body.name) for f in found)
            raise MechanismError(f"mechanism {self.name!r} has {len(found)} frames named {frame!r}, on bodies {hosts}")
        if isinstance(frame, CartesianFrame):
            raise UnknownNameError(f"{frame!r} is no frame of mechanism {self.name!r}, but one from elsewhere")
        raise unknown_name("frame", frame, (f.name for f in self._fixtures()), f"mechanism {self.name!r}")
