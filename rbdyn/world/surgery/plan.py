"""What an edit made of the mechanisms of a World's robots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rbdyn.mechanism import Joint, Mechanism, RigidBody
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array

Part = tuple[Mechanism, Any, str | None]  # a mechanism, the robot that has it or None for a new one, and its name then


@dataclass
class Plan:
    """The systems that there are after an edit, and what of them was what before.

    Parameters
    ----------
    parts : list of (Mechanism, ArticulatedSystem or None, str or None)
        Each system: its mechanism, and the robot that it belongs to; None for a new one, of that name.
    joints : dict
        Joint -> the one that has its coordinates now; those missing are themselves, or are gone.
    became : dict
        Joint -> the one that stands for it; those missing are themselves, or are gone.
    frames : dict
        CartesianFrame -> the one that stands for it; those missing are themselves, or are gone.
    bodies : dict
        RigidBody -> the copy that stands for it; those missing are themselves, or are gone.
    rest : dict
        Joint -> the q that a new one begins with, where that is known: the joint's own numbers for it.
    tolerance : float
        How far the bodies of a joint that is new may be moved to where it allows them to be [m, rad].
    result : object
        What the operation returns; None for the new robot.
    """

    parts: list[Part]
    joints: dict[Joint, Joint] = field(default_factory=dict)
    became: dict[Joint, Joint] = field(default_factory=dict)
    frames: dict[CartesianFrame, CartesianFrame] = field(default_factory=dict)
    tolerance: float = 1e-3
    result: Any = None
    rest: dict[Joint, Array] = field(default_factory=dict)
    bodies: dict[RigidBody, RigidBody] = field(default_factory=dict)
