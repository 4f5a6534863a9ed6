"""SDF, the format of Gazebo: a subset."""

from rbdyn.io.sdf.load import load_sdf

__all__ = ["load_sdf"]
