"""Mechanisms: bodies and joints as a graph that users build and cut up in code."""

from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.joint_types import (
    Fixed,
    Floating,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.mechanism.mechanism import Edge, Maps, Mechanism, Split

__all__ = [
    "Edge",
    "Fixed",
    "Floating",
    "Geometry",
    "Joint",
    "JointType",
    "Maps",
    "Mechanism",
    "Mimic",
    "Planar",
    "Prismatic",
    "Revolute",
    "RigidBody",
    "SPQuatFloating",
    "SinCosRevolute",
    "Spherical",
    "Split",
]
