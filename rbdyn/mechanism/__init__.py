"""Mechanisms: bodies and joints as a graph that users build and cut up in code."""

from rbdyn.mechanism import joints
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.joints import *  # noqa: F403
from rbdyn.mechanism.mechanism import Edge, Maps, Mechanism, Split

__all__ = [
    "Edge",
    "Geometry",
    "Joint",
    "Maps",
    "Mechanism",
    "Mimic",
    "RigidBody",
    "Split",
]
__all__ += joints.__all__
