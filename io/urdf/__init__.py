"""Robot files in URDF and in RaiSim's dialect of it."""

from rbdyn.io.urdf.load import load_urdf
from rbdyn.io.urdf.robot_text import Description
from rbdyn.io.urdf.save import save_urdf, urdf_text
from rbdyn.io.urdf.sensor_files import load_sensor_set

__all__ = ["Description", "load_sensor_set", "load_urdf", "save_urdf", "urdf_text"]
