"""Mesh files: STL, OBJ and COLLADA -> `Mesh`, and convex hulls."""

from rbdyn.io.meshes.hull import convex_hull
from rbdyn.io.meshes.load import load_mesh

__all__ = ["convex_hull", "load_mesh"]
