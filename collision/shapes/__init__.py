"""Shapes: frozen values, in their own frame, in metres; one file each.

To add one: its value type here, with a `.pxd` for the struct that its `data()` fills; its kernels; a line in `Kind`
and its lines in `pair_table`.  CONTRIBUTING.md walks through it.
"""

from rbdyn.collision.shapes.box import Box
from rbdyn.collision.shapes.capsule import Capsule
from rbdyn.collision.shapes.compound import Compound
from rbdyn.collision.shapes.cone import Cone
from rbdyn.collision.shapes.convex_hull import ConvexHull
from rbdyn.collision.shapes.cylinder import Cylinder
from rbdyn.collision.shapes.ellipsoid import Ellipsoid
from rbdyn.collision.shapes.half_space import HalfSpace
from rbdyn.collision.shapes.height_map import HeightMap
from rbdyn.collision.shapes.mesh import Mesh
from rbdyn.collision.shapes.shape import Shape, ShapeData
from rbdyn.collision.shapes.sphere import Sphere
from rbdyn.collision.shapes.support_shape import SupportShape

__all__ = [
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "ConvexHull",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "HeightMap",
    "Mesh",
    "Shape",
    "ShapeData",
    "Sphere",
    "SupportShape",
]
