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
    for robot in before:
        robot._handles.clear()
    for old, key, one in known:
        if key[1] is not one._item:  # under a name: it is found again when it is asked for
            continue
        item = _now(one._item, plan)
        lives_on = old if item is WORLD else _owner(item.link if isinstance(item, ShapeOf) else item, now)
        if lives_on is None or lives_on not in now:
            what = item.name if isinstance(item, (RigidBody, Joint, CartesianFrame, ShapeOf)) else str(item)
            fate = "is no more: surgery took it away, or put another in its place"
            one._end(f"{one.kind} {what!r} of robot {old.name!r} {fate}")
            continue
        one._follow(lives_on, item)
        lives_on._handles[type(one), item] = one


def _owner(item: Any, robots: list[ArticulatedSystem]) -> ArticulatedSystem | None:
    """The robot that has a body, joint or frame."""
    for robot in robots:
        mechanism = robot.mechanism
        if isinstance(item, RigidBody):
            has = item in mechanism.bodies
        elif isinstance(item, Joint):
            has = item in mechanism.joints or item is mechanism.base_joint
        else:
            has = item in mechanism.frames
        if has:
            return robot
    return None


def _now(item: Any, plan: Plan) -> Any:
    """What became of the thing of a handle."""
    if isinstance(item, RigidBody):
        return plan.bodies.get(item, item)
    if isinstance(item, ShapeOf) and item.link in plan.bodies:
        link, place = plan.bodies[item.link], item.place()
        return ShapeOf(link, place if isinstance(item.key, int) else link.collision[place].name)
    if isinstance(item, Joint):
        return plan.became.get(item, item)
    return plan.frames.get(item, item) if isinstance(item, CartesianFrame) else item
