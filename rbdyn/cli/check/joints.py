"""Limits of joints that do not fit what they limit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rbdyn.mechanism import Mechanism
from rbdyn.mechanism.joints import Revolute

TURNS = 2.0  # from there on limits that are whole degrees are taken for degrees
MOST = 720.0  # of degrees that somebody writes


def odd_joints(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """("warning" or "note", what is odd) in the limits of single joints."""
    for joint in mechanism.tree_joints:
        limits = joint.position_limits
        if joint.num_velocities != 1 or limits is None or not np.isfinite(limits).any():
            continue
        low, high = limits
        if isinstance(joint.joint_type, Revolute) and _in_degrees(limits):
            yield "warning", f"joint {joint.name!r}: limits of {low:g} and {high:g} rad: are these degrees?"
        elif not low <= 0.0 <= high:
            text = f"joint {joint.name!r}: its neutral position, 0, is outside its limits, {low:g} to {high:g}"
            yield "note", f"{text}: give the robot another state before it is stepped"


def _in_degrees(limits: tuple[float, float]) -> bool:
    known = [limit for limit in limits if np.isfinite(limit)]
    whole = all(limit == round(limit) and abs(limit) <= MOST for limit in known)
    return whole and max(map(abs, known)) > TURNS * 2.0 * np.pi
