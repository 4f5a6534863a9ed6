"""Geoms of a compiled MuJoCo model -> shapes on bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbdyn.collision.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
)
from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.meshes.hull import convex_hull
from rbdyn.io.mjcf.filters import OUR_DEFAULT, Filter, groups_and_masks
from rbdyn.io.mjcf.friction import of_geom
from rbdyn.io.mjcf.read_options import is_off
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.geometry import Geometry
from rbdyn.spatial.transform import Transform

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
OFF = (1, 0)  # group and mask of what collides with nothing, and is seen by rays
COLLISION = ("hull", "triangles", "skip")
GREY = np.array([0.5, 0.5, 0.5, 1.0], np.float32)  # MuJoCo's colour of a geom that says none


class GeomReader:
    """Reads geoms of one model.

    Parameters
    ----------
    model : mujoco.MjModel
        Compiled.
    file : str
        For diagnostics.
    diagnostics : Diagnostics
        Takes what is left out.
    collision : {"hull", "triangles", "skip"}
        What a mesh that collides becomes.
    visual : bool
        Whether meshes that are only drawn are kept.
    unread : dict of str to Error
        What to raise if a mesh of that name collides.
    """

    def __init__(
        self,
        model: Any,
        file: str,
        diagnostics: Diagnostics,
        collision: str,
        visual: bool,
        unread: Mapping[str, Error],
    ) -> None:
        self._model, self._file, self._diagnostics = model, file, diagnostics
        self._collision, self._visual, self._unread = collision, visual, unread
        self._meshes: dict[tuple[int, str], Shape] = {}

    def attach(self, bodies: list[RigidBody]) -> None:
        """Give every body its shapes: those with contype, conaffinity or a <pair> collide, the others are drawn."""
        m = self._model
        shapes: dict[int, tuple[list[Geometry], list[Geometry]]] = {}
        filters, named, off = self._filters(), False, is_off(m, "contact")
        paired = {} if off else self._paired(bodies)
        still = set(np.flatnonzero(np.asarray(m.body_weldid) == 0).tolist())
        for k in range(m.ngeom):
            index = int(m.geom_bodyid[k])
            drawn = not m.geom_contype[k] and not m.geom_conaffinity[k] and k not in paired
            shape = self._shape(k, drawn, index in still)
            if shape is None:
                continue
            collision, visual = shapes.setdefault(index, ([], []))
            into = visual if drawn else collision
            name = m.geom(k).name or f"{bodies[index].name}/{len(into)}"
            if m.geom_fluid[k, 0]:
                text = f"fluidshape of geom {name!r} is not read; nothing flows here"
                self._diagnostics.warn(f"{self._file}:1", text, "fluidshape")
            pose = self._pose(k)
            labels = tuple(paired.get(k, ()))
            group, mask = OUR_DEFAULT if drawn else OFF if off else filters[self._filter(k)]
            material = "default" if drawn else of_geom(m, k).material
            named |= material != "default"
            into.append(Geometry(shape, pose, name, material, group, mask, self._color(k), labels))
        if named:
            text = "friction of geoms is in the names of their materials; io.mjcf_materials makes a World's pairs of it"
            self._diagnostics.warn(f"{self._file}:1", text)
        for index, (collision, visual) in shapes.items():
            bodies[index].collision, bodies[index].visual = collision, visual

    def _pose(self, k: int) -> Transform:
        return Transform(quat=self._model.geom_quat[k], translation=self._model.geom_pos[k])

    def _color(self, k: int) -> tuple[float, float, float, float] | None:
        m = self._model
        rgba = m.geom_rgba[k]
        if np.array_equal(rgba, GREY):
            if m.geom_matid[k] < 0:
                return None
            rgba = m.mat_rgba[m.geom_matid[k]]
        r, g, b, a = np.clip(rgba, 0.0, 1.0).tolist()
        return r, g, b, a

    def _paired(self, bodies: list[RigidBody]) -> dict[int, list[str]]:
        """Labels of the geoms that <pair> names, one for each pair."""
        m = self._model
        labels: dict[int, list[str]] = {}
        for pair in zip(m.pair_geom1.tolist(), m.pair_geom2.tolist(), strict=True):
            label = " ".join(f"{bodies[m.geom_bodyid[k]].name}/{m.geom(k).name or k}" for k in pair)
            for k in pair:
                labels.setdefault(k, []).append(label)
        return labels

    def _filter(self, k: int) -> Filter:
        return int(self._model.geom_contype[k]), int(self._model.geom_conaffinity[k])

    def _filters(self) -> dict[Filter, Filter]:
        """Groups and masks by contype and conaffinity."""
        found = {self._filter(k) for k in range(self._model.ngeom)}
        exact = groups_and_masks(found)
        if exact is not None:
            return exact
        text = f"{len(found)} different contypes and conaffinities are more than can be said exactly: they are " \
               "groups and masks, and both shapes must accept, where one will do in MuJoCo"  # fmt: skip
        self._diagnostics.warn(f"{self._file}:1", text)
        return {(contype, affinity): (contype % 2**32, affinity % 2**32) for contype, affinity in found}

    def _shape(self, k: int, drawn: bool, still: bool) -> Shape | None:
        m = self._model
        kind, (a, b, c) = int(m.geom_type[k]), m.geom_size[k].tolist()
        if kind == PLANE:
            if still:
                return HalfSpace()
            self._leave_out(k, "a plane on a body that moves")
            return None
        if kind == HFIELD:
            return self._hfield(int(m.geom_dataid[k]))
        if kind == MESH:
            as_ = ("triangles" if self._visual else "skip") if drawn else self._collision
            number = int(m.geom_dataid[k])
            error = self._unread.get(m.mesh(number).name)
            if error is not None and not drawn and as_ != "skip":
                raise error
            return None if as_ == "skip" or error is not None else self._mesh(number, as_)
        simple: dict[int, Callable[[], Shape]] = {
            SPHERE: lambda: Sphere(a),
            CAPSULE: lambda: Capsule(a, 2 * b),
            ELLIPSOID: lambda: Ellipsoid((a, b, c)),
            CYLINDER: lambda: Cylinder(a, 2 * b),
            BOX: lambda: Box((2 * a, 2 * b, 2 * c)),
        }
        if kind in simple:
            return simple[kind]()
        self._leave_out(k, f"a geom of type {kind}")
        return None

    def _leave_out(self, k: int, what: str) -> None:
        name = self._model.geom(k).name or str(k)
        self._diagnostics.warn(f"{self._file}:1", f"geom {name!r}: {what} is not read; left out")

    def _mesh(self, number: int, as_: str) -> Shape:
        """Triangles, or their hull; MuJoCo keeps coordinates in single precision."""
        if (number, as_) not in self._meshes:
            m = self._model
            v, n = int(m.mesh_vertadr[number]), int(m.mesh_vertnum[number])
            f, faces = int(m.mesh_faceadr[number]), int(m.mesh_facenum[number])
            vertices = m.mesh_vert[v : v + n].astype(float)
            shape: Shape = Mesh(vertices, m.mesh_face[f : f + faces].astype(np.int32))
            if as_ == "hull":
                try:
                    shape = ConvexHull(convex_hull(vertices)[0])
                except Error as error:  # a flat plate collides as its triangles
                    text = f"mesh {m.mesh(number).name!r}: {error}; its triangles are taken"
                    self._diagnostics.warn(f"{self._file}:1", text)
            self._meshes[(number, as_)] = shape
        return self._meshes[(number, as_)]

    def _hfield(self, number: int) -> HeightMap:
        m = self._model
        rows, columns, at = (int(x[number]) for x in (m.hfield_nrow, m.hfield_ncol, m.hfield_adr))
        x, y, z, _ = m.hfield_size[number].tolist()
        data = m.hfield_data[at : at + rows * columns].astype(float).reshape(rows, columns)
        return HeightMap(data * z, (2 * x, 2 * y))
