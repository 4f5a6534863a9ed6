"""What a robot file says, before it is a Mechanism: links, joints and where each was read.

Every reader (URDF text, urdfpy objects) fills these; `rbdyn.io.tree` checks them and `rbdyn.io.build` makes the
mechanism, so that all formats share one set of rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rbdyn.collision.shapes import Shape
from rbdyn.io.sensor_sets import SensorSet
from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform


@dataclass(frozen=True)
class MeshFile:
    """A mesh by name, not read yet."""

    filename: str  # as the robot file says it
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class GeometrySpec:
    """A shape on a link."""

    where: str  # "robot.urdf:12"
    name: str  # "LINK/0": the link's name and the place in its list
    shape: Shape | MeshFile
    pose: Transform  # of the shape in the link frame
    material: str = "default"  # contact material
    color: tuple[float, float, float, float] | None = None  # r, g, b, a from 0 to 1


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A link."""

    where: str
    name: str
    inertia: SpatialInertia | None = None  # in the link frame; None: the file gives none
    collision: list[GeometrySpec] = field(default_factory=list)
    visual: list[GeometrySpec] = field(default_factory=list)
    sensor_sets: list[SensorSet] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class JointSpec:
    """A joint and the names of the links that it joins."""

    where: str
    joint: Joint
    parent: str
    child: str
    pose: Transform  # of the joint frame in the parent link


@dataclass(frozen=True, eq=False)
class PinSpec:
    """A point of one link that stays at one of another."""

    where: str
    body1: str
    body2: str
    anchor: tuple[float, ...]  # in the frame of body1 [m]


@dataclass(frozen=True, eq=False)
class RobotSpec:
    """A robot: links and joints in the order of the file."""

    where: str
    name: str
    links: list[LinkSpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    pins: list[PinSpec] = field(default_factory=list)
    nominal_configuration: tuple[float, ...] | None = None  # q at which the pins are closed
    constraints_where: str = ""
