"""Complementarity: what a row does only where its law says so.  Each check gives a number, 0 where the law holds.

Rows are solved for the velocity at the end of a step, so that is what is looked at: a stop pushes where its gap is
closed by it, friction that is passed points against it, a wire that pulls is taut.
"""

from __future__ import annotations

import numpy as np

from benchmarks.mechanisms.drawing import ELASTIC, Array, Drawn
from rbdyn.world.constraints.wire import Wire

SLIDES = 1e-2  # [rad/s, m/s] what moves slower is at rest as far as solves tell


def stops(drawn: Drawn, lower: Array, upper: Array, before: Array, at: Array, dof: Array) -> float:
    """How far the nearest stop is from a joint that it pushes [rad, m]; `before`: where joints began the step.

    The gap is closed by the velocity at the end of the step, and may have opened by the mean one.
    """
    if not len(at):
        return 0.0
    push, end = drawn.robot.limit_force[dof], before[at] + drawn.dt * drawn.robot.v[dof]
    gap = np.where(push > 0.0, np.maximum(np.minimum(end, drawn.robot.q[at]) - lower, 0.0), 0.0)
    gap = np.where(push < 0.0, np.maximum(upper - np.maximum(end, drawn.robot.q[at]), 0.0), gap)
    return float(np.max(gap, initial=0.0))


def friction(drawn: Drawn) -> float:
    """By what share of it dry friction of a joint is too large, or is not all there against a motion."""
    robot = drawn.robot
    worst = 0.0
    for joint in drawn.joints:
        if joint.friction:
            k = robot.model.joint_v_index(joint.name)
            most, force, speed = joint.friction, robot.friction_force[k], robot.v[k]
            worst = max(worst, abs(force) / most - 1.0)
            if abs(speed) > SLIDES:
                worst = max(worst, force * np.sign(speed) / most + 1.0)
    return worst


def wires(drawn: Drawn) -> float:
    """How slack a wire is that pulls, or how loose a rod that pushes is [m]; infinite if it does the other."""
    worst = 0.0
    for wire in drawn.world.constraints:
        if isinstance(wire, Wire) and wire.wire_type not in ELASTIC and wire.stretch_type != "both":
            pulls = wire.tension if wire.stretch_type == "stretch_resistant" else -wire.tension
            if pulls < 0.0:
                return float("inf")
            if pulls > 0.0:
                worst = max(worst, (-1.0 if wire.stretch_type == "stretch_resistant" else 1.0) * wire.stretch)
    return worst
