"""Robot files in URDF and in RaiSim's dialect of it."""

from rbdyn.io.urdf.load import load_urdf
from rbdyn.io.urdf.robot_text import Description
from rbdyn.io.urdf.save import save_urdf, urdf_text
from rbdyn.io.urdf.sensor_files import load_sensor_set
from rbdyn.io.urdf.srdf import apply_srdf, save_srdf, srdf_text

__all__ = [
    "Description",
    "apply_srdf",
    "load_sensor_set",
    "load_urdf",
    "save_srdf",
    "save_urdf",
    "srdf_text",
    "urdf_text",
]
