"""Files <-> mechanisms: robot descriptions and meshes.

Importing this package is cheap: lxml, scipy and pycollada are loaded when a file needs them.
"""

from rbdyn.io.meshes import convex_hull, load_mesh
from rbdyn.io.mjcf import mjcf_text, save_mjcf
from rbdyn.io.objects import from_urdfpy
from rbdyn.io.sensor_sets import CameraSpec, ImuSpec, LidarSpec, Noise, SensorSet
from rbdyn.io.urdf import Description, load_sensor_set, load_urdf, save_urdf, urdf_text
from rbdyn.io.xacro import load_xacro

__all__ = [
    "CameraSpec",
    "Description",
    "ImuSpec",
    "LidarSpec",
    "Noise",
    "SensorSet",
    "convex_hull",
    "from_urdfpy",
    "load_mesh",
    "load_sensor_set",
    "load_urdf",
    "load_xacro",
    "mjcf_text",
    "save_mjcf",
    "save_urdf",
    "urdf_text",
]
