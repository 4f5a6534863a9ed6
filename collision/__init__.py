"""Collision detection: shapes, the backend interface, and two backends.

Can be used alone: put shapes on numbered bodies, ask `query(poses)` for the contacts.
FCLBackend and python-fcl are imported when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.backends.native import NativeBackend, add_native_contacts, native_contacts
from rbdyn.collision.distance import Closest, distance
from rbdyn.collision.scene import CONTACT_DTYPE, CollisionScene, ShapeInfo
from rbdyn.collision.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)

if TYPE_CHECKING:
    from rbdyn.collision.backends.fcl import FCLBackend

__all__ = [
    "CONTACT_DTYPE",
    "Box",
    "Capsule",
    "Closest",
    "CollisionBackend",
    "CollisionScene",
    "ConvexHull",
    "Cylinder",
    "Ellipsoid",
    "FCLBackend",
    "HalfSpace",
    "HeightMap",
    "Mesh",
    "NativeBackend",
    "Shape",
    "ShapeInfo",
    "Sphere",
    "add_native_contacts",
    "distance",
    "native_contacts",
]


def __getattr__(name: str) -> object:
    if name == "FCLBackend":
        from rbdyn.collision.backends.fcl import FCLBackend

        return FCLBackend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
