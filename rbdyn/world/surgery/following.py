"""Handles of robots that were exchanged: they follow what they stand for, or say what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbdyn.mechanism import Joint, RigidBody
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.world.objects.handles.frame_ref import WORLD
from rbdyn.world.objects.handles.geometry_ref import ShapeOf
from rbdyn.world.objects.handles.ref import Ref
from rbdyn.world.surgery.plan import Plan

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


def follow_handles(before: list[ArticulatedSystem], now: list[ArticulatedSystem], plan: Plan) -> None:
    """Let the handles of the robots `before` stand for what is in those that there are `now`."""
    known = [(robot, key, one) for robot in before for key, one in robot._handles.items() if isinstance(one, Ref)]
    if not known:
        for robot in before:
            robot._handles.clear()
        return
    owner: dict[Any, ArticulatedSystem] = {}
    for robot in now:
        mechanism = robot.mechanism
        owner |= dict.fromkeys((*mechanism.bodies, *mechanism.joints, mechanism.base_joint, *mechanism.frames), robot)
    for robot in before:
        robot._handles.clear()
    for old, key, one in known:
        if key[1] is not one._item:  # under a name: it is found again when it is asked for
            continue
        item = _now(one._item, plan)
        if item is WORLD:
            owner[item] = old
        lives_on = owner.get(item.link if isinstance(item, ShapeOf) else item)
        if lives_on is None or lives_on not in now:
            what = item.name if isinstance(item, (RigidBody, Joint, CartesianFrame, ShapeOf)) else str(item)
            fate = "is no more: surgery took it away, or put another in its place"
            one._end(f"{one.kind} {what!r} of robot {old.name!r} {fate}")
            continue
        one._follow(lives_on, item)
        lives_on._handles[type(one), item] = one


def _now(item: Any, plan: Plan) -> Any:
    """What became of the thing of a handle."""
    if isinstance(item, Joint):
        return plan.became.get(item, item)
    return plan.frames.get(item, item) if isinstance(item, CartesianFrame) else item
