"""Files <-> mechanisms and Worlds: robot descriptions, meshes, world files.

Importing this package is cheap: lxml, scipy, pycollada, mujoco and all of World are loaded when a file needs them.
"""

import importlib
from typing import Any

from rbdyn.io.descriptions import load_description
from rbdyn.io.formats import load
from rbdyn.io.meshes import convex_hull, load_mesh
from rbdyn.io.mjcf import load_mjcf, mjcf_materials, mjcf_text, save_mjcf, servo_gains
from rbdyn.io.objects import from_urdfpy
from rbdyn.io.sdf import load_sdf
from rbdyn.io.sensor_sets import CameraSpec, ImuSpec, LidarSpec, Noise, SensorSet
from rbdyn.io.urdf import (
    Description,
    apply_srdf,
    load_sensor_set,
    load_urdf,
    save_srdf,
    save_urdf,
    srdf_text,
    urdf_text,
)
from rbdyn.io.xacro import load_xacro

WORLDS = (  # of io.worlds, which stands above World
    "WorldNotes",
    "load_materials",
    "load_world",
    "save_materials",
    "save_world",
    "world_notes",
    "world_text",
)

__all__ = [
    "CameraSpec",
    "Description",
    "ImuSpec",
    "LidarSpec",
    "Noise",
    "SensorSet",
    "apply_srdf",
    "convex_hull",
    "from_urdfpy",
    "load",
    "load_description",
    "load_mesh",
    "load_mjcf",
    "load_sdf",
    "load_sensor_set",
    "load_urdf",
    "load_xacro",
    "mjcf_materials",
    "mjcf_text",
    "save_mjcf",
    "save_srdf",
    "save_urdf",
    "servo_gains",
    "srdf_text",
    "urdf_text",
    *WORLDS,
]


def __getattr__(name: str) -> Any:
    if name in WORLDS:
        return getattr(importlib.import_module("rbdyn.io.worlds"), name)
    raise AttributeError(f"module 'rbdyn.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *WORLDS})
