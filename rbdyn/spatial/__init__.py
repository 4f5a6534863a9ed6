"""Spatial algebra: values for users (this page), by-value C structs for kernels (`_algebra.pxd`)."""

from rbdyn.spatial.frames import CartesianFrame, FrameVector, SpatialAcceleration, Twist, Wrench
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.pose_error import pose_error
from rbdyn.spatial.transform import Transform

__all__ = [
    "CartesianFrame",
    "FrameVector",
    "SpatialAcceleration",
    "SpatialInertia",
    "Transform",
    "Twist",
    "Wrench",
    "pose_error",
]
