"""Files <-> mechanisms: robot descriptions and meshes.

Importing this package is cheap: lxml, scipy and pycollada are loaded when a file needs them.
"""

from rbdyn.io.meshes import convex_hull, load_mesh
from rbdyn.io.urdf import load_urdf

__all__ = ["convex_hull", "load_mesh", "load_urdf"]
