"""URDF files, in the standard form and in RaiSim's dialect."""

from rbdyn.io.urdf.load import load_urdf

__all__ = ["load_urdf"]
