"""Inventory: who is in a recording, what is to be seen of it, and where its numbers stand in a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rbdyn.errors import Error, unknown_name
from rbdyn.recording.sensing import RecordedSensor
from rbdyn.scenery import Carrier, Item
from rbdyn.scenery.frames import FramePlace
from rbdyn.scenery.ties import Tie
from rbdyn.spatial.rotations import Array

POSE, SINGLE, ENERGIES, CENTER = 7, 8, 2, 3  # numbers of a carrier, of a single body, of those the energies; of a point


class RecordedJoint(NamedTuple):
    """A joint of the tree of a robot.

    Parameters
    ----------
    name, kind : str
        "revolute" and the like.
    q, nq : int
        Its first index in q, and how many numbers there.
    v, nv : int
        The same in v.
    lower, upper : float
        Position limits, infinite without [rad or m].
    axis : (3,) tuple of float
        Of its motion, in the frame "after_NAME"; zero if it has several.
    """

    name: str
    kind: str
    q: int
    nq: int
    v: int
    nv: int
    lower: float = -math.inf
    upper: float = math.inf
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)


class RecordedObject(NamedTuple):
    """An object of the World that was recorded.

    Parameters
    ----------
    name : str
    robot : bool
        Whether it is an articulated system, or a single body.
    mass : float
        Of what moves [kg].
    nq, nv : int
        Lengths of q and v, 0 of a single body.
    joints : tuple of RecordedJoint
    blocks : tuple of (int, int)
        First index and length of the blocks of q that have unit length (quaternions, pairs [sine, cosine]), and of
        those of three numbers that are the stereographic projection of a quaternion.
    """

    name: str
    robot: bool
    mass: float
    nq: int = 0
    nv: int = 0
    joints: tuple[RecordedJoint, ...] = ()
    blocks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Inventory:
    """Who is there from one frame to another.

    Parameters
    ----------
    objects : tuple of RecordedObject
        In the World's order.
    carriers : tuple of Carrier
        Bodies that shapes move with, and all bodies of robots.
    items : tuple of Item
        What is to be seen, visual and collision.
    frames : dict
        (object, name of a body, link or frame) -> FramePlace.
    shapes : dict
        Number of a collision shape in contacts -> (object, body, geometry, link).
    time_step : float
        Of the World [s].
    gravity : tuple of float
        World axes [m/s^2].
    contacts : bool
        Whether frames have contacts.
    ties : tuple of Tie
        Wires, and joints that close loops.
    sensors : tuple of RecordedSensor
        Sensors, if they are recorded.
    """

    objects: tuple[RecordedObject, ...]
    carriers: tuple[Carrier, ...]
    items: tuple[Item, ...]
    frames: dict[tuple[str, str], FramePlace]
    shapes: dict[int, tuple[str, str, str, str]]
    time_step: float
    gravity: tuple[float, float, float]
    contacts: bool
    ties: tuple[Tie, ...] = ()
    sensors: tuple[RecordedSensor, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, RecordedObject]:
        """The objects."""
        return {obj.name: obj for obj in self.objects}

    @cached_property
    def first(self) -> dict[str, int]:
        """Object -> where its numbers begin in a row, behind the poses of the carriers."""
        at, first = POSE * len(self.carriers), {}
        for obj in self.objects:
            first[obj.name] = at
            at += ENERGIES + CENTER + obj.nq + obj.nv if obj.robot else SINGLE
        first[""] = at
        return first

    @property
    def width(self) -> int:
        """Numbers of a frame's row: poses of the carriers, then what is told of each object."""
        return self.first[""]

    def find(self, name: str, robot: bool | None = None) -> RecordedObject:
        """The object called `name`; UnknownNameError if there is none, or none of the kind."""
        if name in self.by_name:
            return self.by_name[name]
        known = [obj.name for obj in self.objects if robot is None or obj.robot == robot]
        kind = "object" if robot is None else "robot" if robot else "single body"
        raise unknown_name(kind, name, known, "this recording")

    def columns(self, name: str, what: str) -> slice | None:
        """Columns of a row: "q", "v", "center", "velocity", "kinetic" or "potential" of an object, or None."""
        obj = self.by_name.get(name)
        if obj is None:
            return None
        at = self.first[name]
        energy = at if obj.robot else at + SINGLE - ENERGIES
        if what == "kinetic":
            return slice(energy, energy + 1)
        if what == "potential":
            return slice(energy + 1, energy + 2)
        if what == "velocity":
            return None if obj.robot else slice(at, at + 6)
        if not obj.robot:
            return None
        if what == "center":
            return slice(at + ENERGIES, at + ENERGIES + CENTER)
        start = at + ENERGIES + CENTER
        return slice(start, start + obj.nq) if what == "q" else slice(start + obj.nq, start + obj.nq + obj.nv)

    def frame(self, name: str, obj: str | None) -> FramePlace | None:
        """A body, link or frame by name; None if it is not here, Error if several objects have one of that name."""
        if obj is not None:
            return self.frames.get((obj, name))
        found = [(owner, frame) for (owner, known), frame in self.frames.items() if known == name]
        owners = [owner for owner, _ in found]
        if len(found) > 1 and name in owners:  # an object goes before bodies of others
            return found[owners.index(name)][1]
        if len(found) > 1 and name != "world":
            raise Error(f"{name!r} is in {', '.join(map(repr, owners[:5]))}: say of which object, object={owners[0]!r}")
        return found[0][1] if found else None


def pose_matrices(rows: Array) -> Array:
    """Homogeneous poses (n, k, 4, 4) of rows of positions and quaternions (n, k, 7)."""
    p, (w, x, y, z) = rows[..., :3], np.moveaxis(rows[..., 3:7], -1, 0)
    X = np.zeros((*rows.shape[:-1], 4, 4))
    X[..., 0, 0], X[..., 0, 1], X[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    X[..., 1, 0], X[..., 1, 1], X[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    X[..., 2, 0], X[..., 2, 1], X[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    X[..., :3, 3] = p
    X[..., 3, 3] = 1.0
    return X
