"""Where a model is in its world: its <pose>, what that is relative to, and which of its frames that places."""

from __future__ import annotations

from rbdyn.io.numbers import shown
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import SEPARATOR, Frames
from rbdyn.spatial.transform import Transform

WORLD = "world"


def pose_in_world(model: SdfNode, world: SdfNode | None, frames: Frames) -> Transform:
    """Pose of the frame of `model`, whose own `frames` are known; `world` is the element around it, if any."""
    pose, other = model.pose()
    if other is not None and other != WORLD:
        pose = (
            _frames_of(world, model).pose(other, f"{model.where}: <pose relative_to> of model {_named(model)}") @ pose
        )
    placed = model.get("placement_frame")
    if placed is None:
        return pose
    if not placed.strip():
        raise model.error("placement_frame is empty: needed a link, joint or frame of the model")
    return pose @ frames.pose(placed, f"{model.where}: placement_frame of model {_named(model)}").inverse()


def _named(model: SdfNode) -> str:
    return shown(model.get("name") or "")


def _frames_of(world: SdfNode | None, model: SdfNode) -> Frames:
    """The frames and models of a world.  A model that is placed by a frame of its own hangs on what is not read."""
    if world is None:
        return Frames(model.where, WORLD)
    frames = Frames(world.where, WORLD)
    for item in world.children("frame", "model"):
        pose, other = item.pose()
        if item.tag == "frame":
            other = other or item.get("attached_to")
        elif item.get("placement_frame"):
            other = f"{item.name()}{SEPARATOR}{item.get('placement_frame')}"
        frames.add(item.name(), item.where, pose, other or WORLD)
    return frames
