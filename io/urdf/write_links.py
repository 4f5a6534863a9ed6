"""<link>: what the reader of links understands, written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rbdyn.collision.shapes import Box, Capsule, ConvexHull, Cylinder, HalfSpace, HeightMap, Mesh, Shape, Sphere
from rbdyn.io.export.mesh_files import UNIT, MeshFiles
from rbdyn.io.export.xml_text import element
from rbdyn.io.urdf.dialect import REFUSE, Dialect
from rbdyn.mechanism.body import Geometry, RigidBody
from rbdyn.spatial.transform import Transform

ROTATIONS = ("rpy", "quat")


class LinkWriter:
    """Writes links into one robot.

    Parameters
    ----------
    files : MeshFiles
        Gives meshes their files.
    dialect : Dialect
        Says which words may be written.
    rotations : {"rpy", "quat"}
        How orientations are written.
    """

    def __init__(self, files: MeshFiles, dialect: Dialect, rotations: str) -> None:
        self._files, self._dialect, self._orientations = files, dialect, rotations
        self._losses = dialect.losses

    def link(self, robot: Any, body: RigidBody, frame: Transform) -> None:
        """A body whose frame has pose `frame` in the link's."""
        link = element(robot, "link", name=body.name)
        self._inertial(link, body, frame)
        for role, geometries in (("visual", body.visual), ("collision", body.collision)):
            for k, geometry in enumerate(g for one in geometries for g in self._pieces(one)):
                self._geometry(link, role, geometry, f"{body.name}/{k}", frame)
        for item in body.sensor_sets:
            self._losses.add("sensor sets, which have files of their own: left out", f"{item.name} of {body.name}")

    def origin(self, parent: Any, pose: Transform) -> None:
        """<origin>, unless the pose is the identity."""
        if pose.is_identity():
            return
        xyz = pose.translation if pose.translation.any() else None
        turned = not np.array_equal(pose.rotation, np.eye(3))
        if self._orientations == "rpy":
            element(parent, "origin", xyz=xyz, rpy=pose.rpy if turned else None)
        else:
            element(parent, "origin", xyz=xyz, quat_xyzw=np.roll(pose.quat, -1) if turned else None)

    def _inertial(self, link: Any, body: RigidBody, frame: Transform) -> None:
        inertia = body.inertia if frame.is_identity() else body.inertia.transformed(frame)
        if inertia.mass == 0.0 and not inertia.inertia.any():
            return
        node = element(link, "inertial")
        self.origin(node, Transform(translation=inertia.com))
        element(node, "mass", value=float(inertia.mass))
        J = inertia.inertia
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        places = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        element(node, "inertia", **{name: float(J[at]) for name, at in zip(names, places, strict=True)})

    def _pieces(self, geometry: Geometry) -> list[Geometry]:
        """The geometry; without the dialect's capsules a cylinder and two balls, which are the same solid."""
        shape = geometry.shape
        if not isinstance(shape, Capsule) or self._dialect.allowed:
            return [geometry]
        balls = [
            replace(
                geometry,
                shape=Sphere(shape.radius),
                pose=geometry.pose @ Transform(translation=(0.0, 0.0, z)),
                name=geometry.name and f"{geometry.name}/{k}",
            )
            for k, z in enumerate((0.5 * shape.height, -0.5 * shape.height), 1)
        ]
        return [replace(geometry, shape=Cylinder(shape.radius, shape.height)), *balls]

    def _geometry(self, link: Any, role: str, geometry: Geometry, place: str, frame: Transform) -> None:
        """A shape; `place` is the name that the reader will give it."""
        name = geometry.name or place
        words = self._shape(geometry.shape, role, name)
        if words is None:
            return
        node = element(link, role, name=geometry.name or None)
        self.origin(node, geometry.pose if frame.is_identity() else frame @ geometry.pose)
        element(element(node, "geometry"), words[0], **words[1])
        owner, slash, number = geometry.name.rpartition("/")
        if geometry.name not in ("", place) and not (slash and owner == place and number.isdecimal()):
            self._losses.add("names of shapes other than LINK/0, LINK/1, ...: the reader numbers them", name)
        if role == "visual":
            if geometry.color is not None:
                element(element(node, "material", name=""), "color", rgba=geometry.color)
            return
        if geometry.material != "default" and self._dialect.writes("contact materials", name):
            element(element(node, "material"), "contact", name=geometry.material)
        if geometry.color is not None:
            self._losses.add("colours of shapes that collide: left out", name)
        if (geometry.group, geometry.mask) != (1, -1):
            self._losses.add("collision groups and masks: left out", name)
        if geometry.pairs:
            self._losses.add("labels of shapes that collide whatever else is said: left out", name)

    def _shape(self, shape: Shape, role: str, name: str) -> tuple[str, dict[str, Any]] | None:
        """Tag and attributes; None for what is left out."""
        if isinstance(shape, Box):
            return "box", {"size": shape.size}
        if isinstance(shape, Sphere):
            return "sphere", {"radius": shape.radius}
        if isinstance(shape, Cylinder):
            return "cylinder", {"radius": shape.radius, "length": shape.height}
        if isinstance(shape, Capsule):
            self._dialect.writes("capsules", name, REFUSE)
            return "capsule", {"radius": shape.radius, "length": shape.height}
        if isinstance(shape, HalfSpace):
            return ("plane", {"normal": (0.0, 0.0, 1.0)}) if self._dialect.writes("planes", name, REFUSE) else None
        if isinstance(shape, HeightMap):
            self._losses.add(f"a {shape.kind} on a link: left out", name)
            return None
        if not isinstance(shape, (Mesh, ConvexHull)):
            self._losses.add(f"a {shape.kind}: written as triangles", name)
        elif isinstance(shape, Mesh) and role == "collision":
            self._losses.add("that a mesh collides by its triangles: read it with collision_mesh='triangles'", name)
        named = self._files.name(shape, name)
        if named is None:
            self._losses.add("meshes in a text, beside which no file can lie: left out", name)
            return None
        return "mesh", {"filename": named[0], "scale": None if named[1] == UNIT else named[1]}
