"""<loop_joint> and <ball_joint>: what was set in a World of joints that are not one coordinate of a robot's tree."""

from __future__ import annotations

import math
from typing import Any

from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.xml_text import element
from rbdyn.io.worlds.item import Item
from rbdyn.world import ArticulatedSystem
from rbdyn.world.objects.joints.kept import ball_limits, loop_softness

DRIVE = ("p", "d", "target", "velocity", "force")
TAGS = ("loop_joint", "ball_joint")


# ---- writing -------------------------------------------------------------------------------------


def write_loop_joints(parent: Any, robot: ArticulatedSystem, usual: ArticulatedSystem) -> None:
    """How loop joints give way and are driven, where that is not what the mechanism says; `usual` is a fresh robot."""
    for name in robot.model.loop_names:
        words: dict[str, Any] = {}
        soft, before = loop_softness(robot, name), loop_softness(usual, name)
        if soft != before:
            words |= {"softness": [s for s, _ in soft], "softness_damping": [d for _, d in soft]}
        if robot.mechanism.find_joint(name).num_velocities == 1:
            drive, rest = robot.loop_drive(name), usual.loop_drive(name)
            if drive != rest:
                words |= {word: float(drive[word]) for word in DRIVE if word in drive}
                words["effort_limits"] = drive.get("effort_limits")
        if words:
            element(parent, "loop_joint", name=name, **words)


def write_ball_limits(parent: Any, robot: ArticulatedSystem, usual: ArticulatedSystem) -> None:
    """Limits of spherical joints that are not those of the mechanism."""
    balls, rest = ball_limits(robot), ball_limits(usual)
    for name in [*balls, *(name for name in rest if name not in balls)]:
        if balls.get(name) == rest.get(name):
            continue
        axis, angle, cone, lower, upper = balls.get(name, (None, math.inf, math.inf, -math.inf, math.inf))
        element(parent, "ball_joint", name=name, angle=angle, cone=cone, twist=(lower, upper), axis=axis)


# ---- reading -------------------------------------------------------------------------------------


def read_loop_softness(item: Item, robot: ArticulatedSystem) -> bool:
    """Whether some loop gives way, which it does from here on."""
    soft = False
    for node in item.children("loop_joint"):
        softness, damping = node.numbers("softness"), node.numbers("softness_damping")
        if softness is not None:
            try:
                robot.set_loop_softness(node.text("name"), softness, damping or (0.0, 0.0))  # type: ignore[arg-type]
            except Error as error:
                raise node.error(error) from None
            soft = soft or any(softness)
    return soft


def read_odd_joints(item: Item, robot: ArticulatedSystem, diagnostics: Diagnostics) -> None:
    """Motors of loop joints and limits of spherical ones."""
    for node in item.children(*TAGS):
        name = node.text("name")
        try:
            if node.tag == "loop_joint":
                values: dict[str, Any] = {word: node.number(word) for word in DRIVE if node.get(word) is not None}
                if node.get("effort_limits") is not None:
                    values["effort_limits"] = node.numbers("effort_limits")
                if values:
                    robot.set_loop_drive(name, **values)
                node.get("softness"), node.get("softness_damping")  # read before the state was set
            else:
                given = {word: node.numbers(word) for word in ("angle", "cone", "twist", "axis")}
                limits: dict[str, Any] = {word: value for word, value in given.items() if value is not None}
                for word in ("angle", "cone"):
                    if word in limits:
                        (limits[word],) = limits[word] if len(limits[word]) == 1 else (math.nan,)
                robot.set_ball_limits(name, **limits)
        except Error as error:
            raise error if ": <" in str(error) else node.error(error) from None
        node.check(diagnostics)
