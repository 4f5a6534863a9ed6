"""Files <-> mechanisms: robot descriptions and meshes.

Importing this package is cheap: lxml, scipy and pycollada are loaded when a file needs them.
"""

from rbdyn.io.meshes import convex_hull, load_mesh
from rbdyn.io.objects import from_urdfpy
from rbdyn.io.urdf import load_urdf

__all__ = ["convex_hull", "from_urdfpy", "load_mesh", "load_urdf"]
