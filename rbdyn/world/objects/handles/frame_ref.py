"""FrameRef: a frame of a robot, by name."""

from __future__ import annotations

from typing import Any

from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.transform import Transform
from rbdyn.world import hints
from rbdyn.world.objects.handles.moving import Moving

WORLD = CartesianFrame("world")  # the inertial frame, wherever a fixed base stands


class FrameRef(Moving):
    """A frame of a robot in a World: that of a body or a joint, or one that was added to a body.

    Made by `ArticulatedSystem.frame`.
    """

    __slots__ = ()
    kind = "frame"
    _advice = (hints.FRAME, hints.MOVING, hints.REF)
    _item: CartesianFrame

    def _of(self, item: Any) -> None:
        self._item, self._frame = item, "world" if item is WORLD else item

    @property
    def body(self) -> Any:
        """BodyRef of the link that it is fixed to."""
        return self._robot.body(self._mechanism.frame_to_body(self._frame))

    @property
    def index(self) -> int:
        """Of this frame in the robot's `frames`, and in its `frame_poses`."""
        return self._robot.frames.index(self)

    @property
    def placement(self) -> Transform:
        """Where it is on that link, a Transform."""
        return self._mechanism.frame_definition(self._frame)
