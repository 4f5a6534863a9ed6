"""<objects>: single bodies and robots into a World."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.collision.shapes import Box, Capsule, Compound, Cone, Cylinder, Ellipsoid, HeightMap, Shape, Sphere
from rbdyn.errors import CollisionError, Error, FileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.meshes.load import MAX_BYTES
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.worlds.item import Item
from rbdyn.io.worlds.read_robots import read_robot
from rbdyn.io.worlds.shapes import height_map_file, read_geometry, read_mesh_file, read_pose, scaled
from rbdyn.mechanism import Geometry
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform
from rbdyn.world import World

ROBOTS = ("articulated_system", "articulatedSystem")
SOLIDS = ("sphere", "box", "cylinder", "capsule", "cone", "ellipsoid")
MAPS = ("heightmap", "height_map", "heightMap")
TAGS = (*SOLIDS, "ground", "mesh", "compound", *MAPS, "body", *ROBOTS)
MAX_OBJECTS = 100_000
ZERO = (0.0, 0.0, 0.0)


class ObjectReader:
    """Adds what <objects> holds to one World.

    Parameters
    ----------
    world : World
        Where to.
    finders : function of str to FileFinder
        Finds the files that a file of that name mentions.
    diagnostics : Diagnostics
        Takes what is not known.
    options : dict
        For `load_urdf`, of robots that come from files.
    """

    def __init__(
        self, world: World, finders: Callable[[str], FileFinder], diagnostics: Diagnostics, options: dict[str, Any]
    ) -> None:
        self._world, self._finders, self._diagnostics, self._options = world, finders, diagnostics, options
        self.appearances: dict[str, str] = {}
        self._count = 0

    def read(self, objects: Item) -> None:
        """Everything inside an <objects>."""
        for item in objects.children():
            self._count += 1
            if self._count > MAX_OBJECTS:
                raise item.error(f"more than {MAX_OBJECTS} objects")
            if item.tag not in TAGS:
                raise item.error(f"no such object; choices: {', '.join(TAGS)}")
            try:
                self._add(item)
            except FileError:
                raise
            except Error as error:
                raise item.error(error) from None

    def _add(self, item: Item) -> None:
        name = item.get("name")
        appearance = item.get("appearance")
        if item.tag in ROBOTS:
            obj: Any = read_robot(item, self._world, self._finders(item.file), self._diagnostics, self._options)
        elif item.tag == "ground":
            obj = self._ground(item, name)
        elif item.tag in MAPS:
            obj = self._height_map(item, name)
        elif item.tag == "body":
            obj = self._body(item, name)
        else:
            obj = self._solid(item, name)
        if appearance is not None:
            self.appearances[obj.name] = appearance

    # ---- kinds of objects --------------------------------------------------------------------

    def _solid(self, item: Item, name: str | None) -> Any:
        """A body of one shape, of a mesh, or of several shapes."""
        shape: Shape
        material, group, mask = self._contact(item)
        if item.tag == "mesh":
            shape = self._mesh(item)
        elif item.tag == "compound":
            shape = self._compound(item)
        else:
            shape = _solid_shape(item, self._diagnostics)
        body_type = item.text("body_type", "dynamic")
        inertia, com = self._inertia(item), self._com(item)
        mass = item.number("mass") if body_type == "dynamic" else item.number("mass", 0.0)
        words: dict[str, Any] = {"material": material, "group": group, "mask": mask}
        plain = inertia is None and com is None and body_type == "dynamic"
        if plain:  # such a body is placed by its centre of mass, and a file by the shape's origin
            if isinstance(shape, Compound):
                obj = self._world.add_compound(shape, mass, **words, name=name)
            elif item.tag == "mesh":
                obj = self._world.add_mesh(shape, mass, **words, name=name)  # type: ignore[arg-type]
            else:
                obj = getattr(self._world, f"add_{item.tag}")(*_sizes(shape), mass, **words, name=name)
            first = shape.parts[0][1][:3, 3] if isinstance(shape, Compound) else np.zeros(3)
            com = tuple((first - obj.geometries[0].pose.translation).tolist())
            com = com if any(com) else None
        else:
            parts = Geometry.parts_of(shape, **words) if isinstance(shape, Compound) else [Geometry(shape, **words)]
            J = inertia
            if J is None:
                J = SpatialInertia.from_shape(shape, mass=mass).inertia if mass > 0.0 else np.zeros((3, 3))
            shift = Transform() if com is None else Transform(translation=-np.array(com))
            obj = self._world.add_single_body([g.moved(shift) for g in parts], mass, J, body_type, name)  # type: ignore
        self._place(item, obj, com)
        parts_here = (*SOLIDS, "child") if item.tag == "compound" else ()
        item.check(self._diagnostics, "dim", "inertia", "com", "state", "children", *parts_here)
        return obj

    def _ground(self, item: Item, name: str | None) -> Any:
        material, group, mask = self._contact(item)
        dim = item.child("dim")
        height = item.number("height", item.number("z_height", 0.0)) if dim is None else dim.number("height", 0.0)
        if dim is not None:
            dim.check(self._diagnostics)
        obj = self._world.add_ground(height, material, group, mask, name)
        self._place(item, obj, None)
        if item.text("body_type", "static") != "static":
            raise item.error(f"body_type={shown(item.text('body_type'))}: a ground is static")
        item.check(self._diagnostics, "dim", "state")
        return obj

    def _height_map(self, item: Item, name: str | None) -> Any:
        material, group, mask = self._contact(item)
        dim = item.child("dim") or item
        size = dim.number("x_size", 0.0), dim.number("y_size", 0.0)
        center = tuple(dim.number(word, 0.0) for word in ("center_x", "center_y", "center_z"))
        files = {word: item.get(word) or dim.get(word) for word in ("text", "png", "file")}
        given = {word: file for word, file in files.items() if file is not None}
        if len(given) != 1:
            raise item.error("give one of text, png and file: where the heights are")
        word, file = next(iter(given.items()))
        finder = self._finders(item.file)
        try:
            path = finder.find(file)
            if word == "png" or path.suffix.lower() == ".png":
                scale, offset = dim.number("height_scale", 1.0), dim.number("height_offset", 0.0)
                shape = HeightMap.from_png(path, size, height_scale=scale, height_offset=offset)
            else:
                shape = height_map_file(path, finder.read(path, MAX_BYTES))
        except (FileError, CollisionError) as error:
            raise type(error)(f"{item.where}: <{item.tag}>: {error}") from None
        obj = self._world.add_height_map(shape, None, center, material, group, mask, name)
        self._place(item, obj, None)
        if dim is not item:
            dim.check(self._diagnostics)
        item.check(self._diagnostics, "dim", "state")
        return obj

    def _body(self, item: Item, name: str | None) -> Any:
        """A body of any shapes: this project's own element."""
        finder = self._finders(item.file)
        geometries = []
        for child in item.children("geometry"):
            geometries.append(read_geometry(child, finder))
            child.check(self._diagnostics, "pair")
        J = self._inertia(item)
        body_type = item.text("body_type", "dynamic")
        mass = item.number("mass", 0.0)
        J = np.zeros((3, 3)) if J is None else J
        obj = self._world.add_single_body(geometries, mass, J, body_type, name)  # type: ignore[arg-type]
        self._place(item, obj, None)
        item.check(self._diagnostics, "geometry", "inertia", "state")
        return obj

    # ---- what they share ---------------------------------------------------------------------

    def _contact(self, item: Item) -> tuple[str, int, int]:
        """Material, group and mask."""
        return item.get("material") or "default", item.bits("collision_group", 1), item.bits("collision_mask", -1)

    def _inertia(self, item: Item) -> np.ndarray | None:
        node = item.child("inertia")
        if node is None:
            return None
        xx, yy, zz = (node.number(name) for name in ("xx", "yy", "zz"))
        xy, xz, yz = (node.number(name, 0.0) for name in ("xy", "xz", "yz"))
        node.check(self._diagnostics)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _com(self, item: Item) -> tuple[float, ...] | None:
        """Where the centre of mass is, from the shape's origin; None if nothing says so."""
        node = item.child("com")
        if node is None:
            return None
        given = [word for word in ("pos", *"xyz") if node.get(word) is not None]
        if "pos" in given and len(given) > 1:
            raise node.error(f"{' and '.join(given)}: give pos, or x, y and z")
        com = node.vector("pos", 3) if given == ["pos"] else tuple(node.number(x, 0.0) for x in "xyz")
        node.check(self._diagnostics)
        return com

    def _place(self, item: Item, obj: Any, com: tuple[float, ...] | None) -> None:
        """<state pos quat lin_vel ang_vel>; pos is that of the shape's origin."""
        state = item.child("state")
        if state is None:
            if com is not None:
                obj.set_pose(position=com)
            return
        pos: tuple[float, ...]
        pos, quat = state.vector("pos", 3, ZERO), state.vector("quat", 4, (1.0, 0.0, 0.0, 0.0))
        linear, angular = state.vector("lin_vel", 3, ZERO), state.vector("ang_vel", 3, ZERO)
        state.check(self._diagnostics)
        try:
            if com is not None:
                pos = tuple((Transform(quat=quat, translation=pos) @ com).tolist())
            obj.set_pose(pos if state.get("pos") is not None or com is not None else None, quat)
            if any(linear) or any(angular):
                obj.set_velocity(linear, angular)
        except Error as error:
            raise state.error(error) from None

    def _mesh(self, item: Item) -> Shape:
        """A mesh; RaiSim collides by its hull unless the file says collision_mode="original_mesh"."""
        file = item.get("mesh_file") or item.get("file")
        dim = item.child("dim")
        holder = item if file is not None or dim is None else dim
        file = file or holder.text("file")
        scale = holder.get("scale")
        factors: Any = (1.0, 1.0, 1.0)
        if scale is not None:
            factors = holder.vector("scale", 3) if len(scale.split()) > 1 else (holder.number("scale"),) * 3
        if 0.0 in factors:
            raise item.error(f"scale={shown(scale or '')}: a scale must not be zero")
        mesh = scaled(read_mesh_file(item, file, self._finders(item.file)), factors)
        mode = item.text("collision_mode", "convex_hull")
        if mode not in ("convex_hull", "original_mesh"):
            raise item.error(f"collision_mode={shown(mode)}; choices: convex_hull, original_mesh")
        if dim is not None:
            dim.check(self._diagnostics)
        return mesh if mode == "original_mesh" else mesh.convex_hull()

    def _compound(self, item: Item) -> Compound:
        parts = []
        inside = item.child("children")
        holder = item if inside is None else inside
        for child in holder.children(*SOLIDS, "child"):
            kind = child if child.tag != "child" else (next(child.children(*SOLIDS), None) or child)
            pose = read_pose(child).matrix
            parts.append((_solid_shape(kind, self._diagnostics), pose))
            child.get("material")
            if child is kind:
                child.check(self._diagnostics, "dim")
            else:
                kind.check(self._diagnostics, "dim")
                child.check(self._diagnostics, kind.tag)
        if inside is not None:
            inside.check(self._diagnostics, *SOLIDS, "child")
        if not parts:
            raise item.error("a compound without parts: put sphere, box, cylinder or capsule in <children>")
        return Compound(parts)


def _solid_shape(item: Item, diagnostics: Diagnostics) -> Shape:
    """The shape of <sphere>, <box>, ...: its sizes are in <dim>, or its own attributes."""
    dim, tag = item.child("dim"), item.tag
    sizes = item if dim is None else dim
    if tag not in SOLIDS:
        raise item.error(f"no such shape; choices: {', '.join(SOLIDS)}")
    if tag in ("box", "ellipsoid"):
        three = sizes.number("x"), sizes.number("y"), sizes.number("z")
        shape: Shape = Box(three) if tag == "box" else Ellipsoid(three)
    elif tag == "sphere":
        shape = Sphere(sizes.number("radius"))
    else:
        made: Any = {"cylinder": Cylinder, "capsule": Capsule, "cone": Cone}[tag]
        shape = made(sizes.number("radius"), sizes.number("height"))
    if dim is not None:
        dim.check(diagnostics)
    return shape


def _sizes(shape: Shape) -> tuple[float, ...]:
    """What the add_* function of such a shape takes."""
    if isinstance(shape, Box):
        return shape.size
    if isinstance(shape, Ellipsoid):
        return shape.radii
    return (shape.radius,) if isinstance(shape, Sphere) else (shape.radius, shape.height)  # type: ignore[attr-defined]
