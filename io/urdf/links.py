"""<link>: inertia and shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rbdyn.collision.shapes import Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from rbdyn.errors import Error
from rbdyn.io import rules
from rbdyn.io.description import GeometrySpec, LinkSpec, MeshFile
from rbdyn.io.diagnostics import Diagnostics, did_you_mean
from rbdyn.io.numbers import shown
from rbdyn.io.rules import Color
from rbdyn.io.urdf.node import Node
from rbdyn.mechanism.joints.one_axis import unit_axis
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import rotation_to_z
from rbdyn.spatial.transform import Transform

SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh", "plane")
ZERO = (0.0, 0.0, 0.0)
IDENTITY = Transform()
UNTURNED = IDENTITY.rotation.tolist()


def read_link(node: Node, palette: Mapping[str, Color | None], diagnostics: Diagnostics) -> LinkSpec:
    """A <link>; `palette` gives the colours of named materials (None: defined without a colour)."""
    name = node.text("name")
    inertial = node.first("inertial", diagnostics)
    inertia = None if inertial is None else read_inertial(inertial, diagnostics)
    collision, visual = read_collision(node, name, diagnostics), read_visual(node, name, palette, diagnostics)
    return LinkSpec(node.where, name, inertia, collision, visual)


def read_collision(
    node: Node, name: str, diagnostics: Diagnostics, pose: Transform | None = None, first: int = 0
) -> list[GeometrySpec]:
    """The <collision> elements inside, named "NAME/0", ..., in a frame in which that of `node` sits at `pose`."""
    found = []
    for k, item in enumerate(node.children("collision"), start=first):
        shape, local = _shape_and_pose(item, diagnostics, only_drawn=False)
        material = _contact_material(item, diagnostics)
        if shape is not None:
            found.append(GeometrySpec(item.where, f"{name}/{k}", shape, pose @ local if pose else local, material))
    return found


def read_visual(
    node: Node,
    name: str,
    palette: Mapping[str, Color | None],
    diagnostics: Diagnostics,
    pose: Transform | None = None,
    first: int = 0,
) -> list[GeometrySpec]:
    """The <visual> elements inside, likewise."""
    found = []
    for k, item in enumerate(node.children("visual"), start=first):
        shape, local = _shape_and_pose(item, diagnostics, only_drawn=True)
        color = _color(item, palette, diagnostics)
        if shape is not None:
            found.append(GeometrySpec(item.where, f"{name}/{k}", shape, pose @ local if pose else local, color=color))
    return found


def read_pose(parent: Node) -> Transform:
    """The <origin> inside `parent`: xyz [m] and rpy [rad] or quat_xyzw; identity where it is silent."""
    node = parent.child("origin")
    if node is None:
        return IDENTITY
    xyz = node.vector("xyz", 3, ZERO)
    try:
        if node.has("quat_xyzw"):
            if node.has("rpy"):
                raise Error("give rpy or quat_xyzw, not both")
            x, y, z, w = node.vector("quat_xyzw", 4)
            return Transform(quat=(w, x, y, z), translation=xyz)
        rpy = node.vector("rpy", 3, ZERO)
        if rpy == ZERO:
            return IDENTITY if xyz == ZERO else Transform(translation=xyz)
        return Transform(rpy=rpy, translation=xyz)
    except Error as error:
        raise error if str(error).startswith(node.file) else node.error(str(error)) from None


def read_inertial(node: Node, diagnostics: Diagnostics) -> SpatialInertia:
    """<inertial>: mass, and inertia about the COM in axes of its <origin>.

    Unphysical values are kept, with a diagnostic.
    """
    mass_node, inertia_node = node.need("mass"), node.need("inertia")
    mass = mass_node.number("value")
    if mass < 0:
        raise mass_node.error(f"value={mass_node.get('value')!r}: a mass must not be negative [kg]")
    moments = {}
    for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        if entry[1] != entry[2] and not inertia_node.has(entry):
            diagnostics.warn(
                inertia_node.where, f"{inertia_node.label}: {entry} is missing; 0 is taken", f"missing {entry}"
            )
        moments[entry] = inertia_node.number(entry, 0.0 if entry[1] != entry[2] else None)
    xx, xy, xz, yy, yz, zz = moments.values()
    try:
        pose, matrix = read_pose(node), np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        if pose.rotation.tolist() == UNTURNED:
            about_com = inertia = SpatialInertia(mass, pose.translation, matrix)
        else:
            about_com = SpatialInertia(mass, inertia=matrix)
            inertia = about_com.transformed(pose)
    except Error as error:
        raise error if str(error).startswith(node.file) else inertia_node.error(str(error)) from None
    defect = about_com.defect()
    if defect:
        diagnostics.warn(inertia_node.where, f"{inertia_node.label}: {defect}")
    return inertia


def _shape_and_pose(
    node: Node, diagnostics: Diagnostics, only_drawn: bool
) -> tuple[Shape | MeshFile | None, Transform]:
    """The shape of a <visual> or <collision>, None for one without extent, and its pose in the link frame."""
    geometry = node.need("geometry")
    inside = geometry.children()
    shapes = [item for item in inside if item.tag in SHAPES]  # what stands beside one is reported by check_words
    choices = ", ".join(SHAPES)
    if inside and not shapes:
        near = did_you_mean(inside[0].tag, SHAPES, 1)
        raise inside[0].error(f"no such shape; choices: {choices}{near}")
    if len(shapes) != 1:
        raise geometry.error(f"it holds {len(shapes)} shapes, needed one of {choices}")
    item = shapes[0]
    try:
        if item.tag == "plane":
            return HalfSpace(), read_pose(node) @ _along(item)
        return _shape(item, diagnostics, only_drawn), read_pose(node)
    except Error as error:
        raise error if str(error).startswith(node.file) else item.error(str(error)) from None


def _along(plane: Node) -> Transform:
    """The turn that takes z to the normal of a <plane>, on whose other side all is solid."""
    normal = plane.vector("normal", 3, (0.0, 0.0, 1.0))
    if not 1e-6 < math.hypot(*normal) < 1e6:
        raise plane.error(f"normal={shown(plane.text('normal'))}: a direction must not be zero (or huge)")
    return Transform(rotation=rotation_to_z(unit_axis(normal, "normal")).T)


def _shape(node: Node, diagnostics: Diagnostics, only_drawn: bool) -> Shape | MeshFile | None:
    warn = node.reporter(diagnostics)

    def is_empty(**sizes: float | Sequence[float]) -> bool:
        return rules.has_no_extent(node.tag, sizes, only_drawn, warn)

    if node.tag == "box":
        size = node.vector("size", 3)
        return None if is_empty(size=size) else Box(size)  # type: ignore[arg-type]
    if node.tag == "sphere":
        radius = node.number("radius")
        return None if is_empty(radius=radius) else Sphere(radius)
    if node.tag == "cylinder":
        empty = is_empty(radius=node.number("radius"), length=node.number("length"))
        return None if empty else Cylinder(node.size("radius"), node.size("length"))
    if node.tag == "capsule":
        name = _capsule_word(node)
        empty = is_empty(radius=node.number("radius"), **{name: node.number(name)})
        return None if empty else Capsule(node.size("radius"), node.size(name))
    text = node.get("scale") or ""
    scale = rules.scale(node.vector("scale", 4 if len(text.split()) == 4 else 3, (1.0, 1.0, 1.0)), warn)
    if is_empty(scale=scale):
        return None
    if 0.0 in scale:
        raise node.error(f"scale={text!r}: a scale must not be zero")
    return MeshFile(node.text("filename"), scale)


def _capsule_word(node: Node) -> str:
    """Which attribute has the distance between the sphere centres: RaiSim calls it height, others length."""
    if not node.has("height"):
        if not node.has("length"):
            raise node.error("attribute 'height' or 'length' is missing: the distance between the sphere centres [m]")
        return "length"
    height = node.number("height")
    if node.number("length", height) != height:
        raise node.error(
            f"height={node.get('height')!r} and length={node.get('length')!r} differ; both mean the distance between "
            "the sphere centres [m]"
        )
    return "height"


def _contact_material(node: Node, diagnostics: Diagnostics) -> str:
    """The name in <collision><material><contact name="..."/>: a key of the World's material pairs."""
    material = node.child("material")
    if material is None:
        return "default"
    contact = material.child("contact")
    if contact is None:
        text = f"<material> in <collision> of {node.owner} has no <contact name=...>; material 'default' is taken"
        diagnostics.warn(material.where, text, "collision material without contact")
        return "default"
    return contact.text("name") if contact.get("name") != "" else "default"


def read_palette(roots: Sequence[Node], diagnostics: Diagnostics) -> dict[str, Color | None]:
    """Colours of all named materials, wherever they are defined; the robot's own come first."""
    palette: dict[str, Color | None] = {}
    unheard = Diagnostics()  # what is odd in a link's material is reported where the link is read
    links = [link for root in roots for link in root.children("link")]
    used = [m for link in links for visual in link.children("visual") for m in visual.children("material")[:1]]
    own = [m for root in roots for m in root.children("material")]
    for materials, heard in ((own, diagnostics), (used, unheard)):
        for material in materials:
            name = material.get("name")
            if name and (material.children("color") or material.children("texture")):
                palette.setdefault(name, _own_color(material, heard))
    return palette


def _own_color(material: Node, diagnostics: Diagnostics) -> Color | None:
    color = material.first("color", diagnostics)
    return None if color is None else rules.color(color.vector("rgba", 4), color.reporter(diagnostics))


def _color(node: Node, palette: Mapping[str, Color | None], diagnostics: Diagnostics) -> Color | None:
    material = node.first("material", diagnostics)
    if material is None:
        return None
    if material.children("texture"):
        diagnostics.warn(material.where, "<texture> in <material> is not read; ignored", "texture")
    own = _own_color(material, diagnostics)
    name = material.get("name")
    if own is None and name and name not in palette:
        diagnostics.warn(material.where, f"material {shown(name)} of {node.owner} is not defined", f"undefined {name}")
    return own if own is not None else palette.get(name or "")
