"""Collision detection: shapes, the backend interface, and three backends.

Can be used alone: put shapes on numbered bodies, ask `query(poses)` for the contacts.
FCLBackend with python-fcl, and CoalBackend with coal, are imported when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.backends.native import NativeBackend, add_native_contacts, native_contacts
from rbdyn.collision.distance import Closest, distance
from rbdyn.collision.scene import CONTACT_DTYPE, CollisionScene, ShapeInfo
from rbdyn.collision.shape_cast import CastHit, shape_cast
from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
    SupportShape,
)

if TYPE_CHECKING:
    from rbdyn.collision.backends.coal import CoalBackend
    from rbdyn.collision.backends.fcl import FCLBackend

__all__ = [
    "CONTACT_DTYPE",
    "Box",
    "Capsule",
    "CastHit",
    "Closest",
    "CoalBackend",
    "CollisionBackend",
    "CollisionScene",
    "Compound",
    "Cone",
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
    "SupportShape",
    "add_native_contacts",
    "distance",
    "native_contacts",
    "shape_cast",
]


def __getattr__(name: str) -> object:
    if name == "FCLBackend":
        from rbdyn.collision.backends.fcl import FCLBackend

        return FCLBackend
    if name == "CoalBackend":
        from rbdyn.collision.backends.coal import CoalBackend

        return CoalBackend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
