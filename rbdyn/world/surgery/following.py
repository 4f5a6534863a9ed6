"""Handles of robots that were exchanged, or put back: they follow what they stand for, or say what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbdyn.errors import RemovedError
from rbdyn.mechanism import Joint, RigidBody
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.world.objects.handles.frame_ref import WORLD
from rbdyn.world.objects.handles.geometry_ref import ShapeOf
from rbdyn.world.objects.handles.ref import Gone, Ref
from rbdyn.world.surgery.plan import Plan

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


Known = list[tuple[Any, dict[Any, Any]]]  # robots, and the handles that they had: new dicts have taken their place


def follow_handles(known: Known, now: list[ArticulatedSystem], plan: Plan) -> None:
    """Let the handles that there were stand for what is in the robots that there are `now`."""
    for old, one in _handles(known):
        item = _now(one._item, plan)
        lives_on = old if item is WORLD else _owner(item.link if isinstance(item, ShapeOf) else item, now)
        if lives_on is None or lives_on not in now:
            what = item.name if isinstance(item, (RigidBody, Joint, CartesianFrame, ShapeOf)) else str(item)
            fate = "is no more: surgery took it away, or put another in its place"
            one._end(f"{one.kind} {what!r} of robot {old.name!r} {fate}")
            continue
        one._follow(lives_on, item)
        lives_on._handles[type(one), item] = one


def _handles(known: Known) -> list[tuple[Any, Ref]]:
    """(robot, handle) of each; not those under a name, which are found again when they are asked for."""
    entries = [(robot, key, one) for robot, handles in known for key, one in handles.items() if isinstance(one, Ref)]
    return [(robot, one) for robot, key, one in entries if key[1] is one._item]


def return_handles(known: Known, now: list[ArticulatedSystem]) -> None:
    """Let handles be those of the robots that a snapshot put back: what they had then, and what was asked for since.

    `known` are handles that were asked for since.  Of what came since they say that it is gone.
    """
    here: dict[Any, Any] = {}
    for robot in now:
        mechanism = robot.mechanism
        here |= dict.fromkeys((*mechanism.bodies, *mechanism.joints, mechanism.base_joint, *mechanism.frames), robot)
    for robot in now:
        entries = [(key, one) for key, one in robot._handles.items() if isinstance(one, Ref)]
        for (_, item), one in entries:
            if not isinstance(item, str):
                _return(robot, one, item, here)
        for key, one in entries:
            if isinstance(key[1], str) and isinstance(one._held, Gone):
                del robot._handles[key]
    for robot, one in _handles(known):
        _return(robot, one, one._item, here)


def _return(robot: ArticulatedSystem, one: Ref, item: Any, here: dict[Any, Any]) -> None:
    """Let a handle stand for a thing of the robot that has it now."""
    owner = robot if item is WORLD else here.get(item.link if isinstance(item, ShapeOf) else item)
    if owner is not None:
        one._follow(owner, item)
        owner._handles.setdefault((type(one), item), one)
    elif robot in here.values():
        one._end(f"{one.kind} {one.name!r} of robot {robot.name!r} is no more: it came after the snapshot that is back")


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
        link = plan.bodies[item.link]
        try:
            place = item.place()
        except RemovedError:
            return item
        return ShapeOf(link, place if isinstance(item.key, int) else link.collision[place].name)
    if isinstance(item, Joint):
        return plan.became.get(item, item)
    return plan.frames.get(item, item) if isinstance(item, CartesianFrame) else item
