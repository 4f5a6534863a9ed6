"""SDF -> Mechanism."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, islice

from rbdyn.arguments import named_options
from rbdyn.errors import Error, SdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.names import Names
from rbdyn.io.joint_order import JointOrder, reorder
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.sdf.carriers import Carriers
from rbdyn.io.sdf.held import all_fixed, held_still
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.placing import WORLD, pose_in_world
from rbdyn.io.sdf.poses import MODEL, Frames
from rbdyn.io.sdf.read_joints import SdfJoint, read_joint
from rbdyn.io.sdf.read_links import read_body
from rbdyn.io.sdf.version import version_of
from rbdyn.io.sdf.vocabulary import check_words
from rbdyn.io.urdf.source import PathOrText, source_of
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Floating
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.filtering import ignore_pairs
from rbdyn.spatial.transform import Transform

MAX_PARTS = 10_000
MAX_SHAPES = 20_000  # of each kind, as of URDF
REFUSED = ("include", "model")


@named_options
def load_sdf(
    path_or_text: PathOrText,
    *,
    model: str | None = None,
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
    on_missing_mesh: str = "warn",
    base_dir: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    joint_order: JointOrder = None,
) -> Mechanism:
    """Read one model of an SDF file: links, joints, shapes and frames (docs/sdf.md has the subset).

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character, blanks and a byte order mark aside, is "<".
    model : str, optional
        Its name, if there are several.
    resource_dirs, strict, collision_mesh, visual_meshes, on_missing_mesh, base_dir, allow_outside, joint_order
        As of `load_urdf`.

    Returns
    -------
    mechanism : Mechanism
        Links without a parent joint float, each by a joint LINK_free, or are fixed if the model is static.  A joint
        whose child already has a parent closes a loop.  Frames are named frames.

    Raises
    ------
    SdfError
        With file:line, if it cannot be accepted: also for nested and included models.
    PathError, MeshError
        If a mesh cannot be read.

    Examples
    --------
    >>> m = load_sdf('<sdf version="1.7"><model name="m"><link name="ball"><inertial/></link></model></sdf>')
    >>> m.num_velocities
    6
    """
    source = source_of(path_or_text, None)
    diagnostics = Diagnostics(strict)
    finder = FileFinder(source.path, resource_dirs, base_dir, allow_outside)
    shapes = MeshShapes(finder, diagnostics, on_missing_mesh, collision_mesh, visual_meshes)
    root = SdfNode(parse_xml(source.data, source.name, diagnostics, SdfError, "robot"), source.name)
    if root.tag != "sdf":
        raise SdfError(f"{root.where}: the root element is <{root.tag[:100]}>, needed <sdf>: is this an SDF file?")
    node, world = _chosen(root, model, diagnostics)
    mechanism = _built(root, node, world, shapes, diagnostics)
    mechanism.name = node.name()
    reorder(mechanism, joint_order)
    mechanism.diagnostics = diagnostics.lines()
    return mechanism


def _chosen(root: SdfNode, name: str | None, diagnostics: Diagnostics) -> tuple[SdfNode, SdfNode | None]:
    """The model of that name, or the only one, those of worlds too; and the world that it is in."""
    worlds = {m: world for world in root.children("world") for m in world.children("model")}
    models = [*root.children("model"), *worlds]
    for world in root.children("world"):
        diagnostics.warn(world.where, "<world>: only the model is read; the rest is left out")
    if name is not None:
        found = [m for m in models if m.get("name") == name]
        if not found:
            known = ", ".join(shown(m.get("name") or "", 40) for m in models[:20]) or "none"
            raise root.error(f"no model named {shown(name)}; known: {known}")
        if len(found) > 1:
            places = ", ".join(m.where.rpartition(":")[2] for m in found[:10])
            raise found[1].error(f"{len(found)} models are named {shown(name)}, on lines {places}; rename all but one")
        return found[0], worlds.get(found[0])
    if len(models) != 1:
        known = ", ".join(shown(m.get("name") or "", 40) for m in models[:20]) or "none"
        raise root.error(f"it holds {len(models)} models ({known}), needed one; give model=NAME")
    return models[0], worlds.get(models[0])


def _built(
    root: SdfNode, node: SdfNode, world: SdfNode | None, shapes: MeshShapes, diagnostics: Diagnostics
) -> Mechanism:
    version = version_of(root, diagnostics)
    for item in node.children():
        if item.tag in REFUSED:
            raise item.error("models inside models are not read, and without it this is another robot")
    links, joints = list(node.children("link")), list(node.children("joint"))
    for parts in (links, joints):
        if len(parts) > MAX_PARTS:
            raise node.error(f"more than {MAX_PARTS} <{parts[0].tag}>")
    for tag in ("collision", "visual"):
        if next(islice(node.element.iterdescendants(tag), MAX_SHAPES, None), None) is not None:
            raise node.error(f"more than {MAX_SHAPES} <{tag}>")
    if not links:
        raise node.error("a model without links")
    check_words(root, node, diagnostics)
    frames = _frames(node, links, joints)
    bodies = {link.name(): read_body(link, frames, shapes, diagnostics) for link in links}
    carriers = Carriers(node, links, joints)
    read = [_on_links(read_joint(joint, frames, version, diagnostics), carriers, bodies) for joint in joints]
    mechanism = Mechanism(RigidBody(WORLD if WORLD not in bodies else "universe"))
    base = pose_in_world(node, world, frames)
    static, known = node.flag("static"), held_still(read, diagnostics)
    _attach(mechanism, node, base, bodies, all_fixed(known, diagnostics) if static else known, frames, static)
    _filter(mechanism, node, links, bodies)
    for item in node.children("frame"):
        link = carriers.link(item.name(), f"{item.where}: attached_to of frame {shown(item.name())}")
        _add_frame(item, link, frames, bodies)
    return mechanism


def _filter(mechanism: Mechanism, node: SdfNode, links: list[SdfNode], bodies: dict[str, RigidBody]) -> None:
    """<self_collide>: two links collide if both say so; a link that says nothing does as its model, which does not."""
    usual = node.flag("self_collide")
    says = {bodies[link.name()]: link.flag("self_collide") if link.child("self_collide") else usual for link in links}
    mechanism.self_collision = any(says.values())
    if mechanism.self_collision:
        solid = [body for body in says if body.collision]
        ignore_pairs(mechanism, [frozenset((a, b)) for a, b in combinations(solid, 2) if not (says[a] and says[b])])


def _frames(node: SdfNode, links: list[SdfNode], joints: list[SdfNode]) -> Frames:
    """All of them; a link is relative to the model, a joint to its child link, unless they say otherwise."""
    frames = Frames(node.where)
    for link in links:
        pose, other = link.pose()
        frames.add(link.name(), link.where, pose, other or MODEL)
    for joint in joints:
        pose, other = joint.pose()
        frames.add(joint.name(), joint.where, pose, other or joint.need("child").text)
    for frame in node.children("frame"):
        pose, other = frame.pose()
        frames.add(frame.name(), frame.where, pose, other or frame.get("attached_to") or MODEL)
    return frames


def _on_links(joint: SdfJoint, carriers: Carriers, bodies: dict[str, RigidBody]) -> SdfJoint:
    """The joint between links, where the file says frames that hang on them."""
    name, found = joint.joint.name, []
    for role, end in (("parent", joint.parent), ("child", joint.child)):
        if role == "parent" and end == WORLD and end not in bodies:
            found.append(end)
            continue
        place = f"{joint.where}: <{role}> of joint {name!r}"
        if end not in carriers:
            also = (WORLD,) if role == "parent" else ()
            raise SdfError(f"{place}: no link named {shown(end)}, and no frame{carriers.near(end, also)}")
        found.append(carriers.link(end, place))
    if found[0] == found[1]:
        raise SdfError(f"{joint.where}: joint {name!r} joins link {found[1]!r} to itself")
    return replace(joint, parent=found[0], child=found[1])


def _attach(
    mechanism: Mechanism,
    node: SdfNode,
    base: Transform,
    bodies: dict[str, RigidBody],
    joints: list[SdfJoint],
    frames: Frames,
    static: bool,
) -> None:
    """Tree joints from the roots on, in the order of the file; what leads to a body that is in already is a loop."""
    where = node.where
    root = mechanism.root_body
    children = {joint.child for joint in joints}
    names = Names(*(joint.joint.name for joint in joints))
    for name, body in bodies.items():
        if name not in children:
            kind, ending = (Fixed(), "fixed") if static else (Floating(), "free")
            place = base @ frames.pose(name, where)
            mechanism.attach(root, body, Joint(names.free(f"{name}_{ending}"), kind), place)
    for joint in _in_order(joints, [name for name in bodies if name not in children], WORLD not in bodies):
        parent = bodies.get(joint.parent, root)
        X = frames.pose(joint.joint.name, joint.where)
        P = base.inverse() if parent is root else frames.pose(joint.parent, joint.where)
        before, after = P.inverse() @ X @ joint.at, X.inverse() @ frames.pose(joint.child, joint.where)
        try:
            if joint.series:
                mechanism.attach_in_series(parent, bodies[joint.child], joint.series, before, after)
            else:
                mechanism.attach(parent, bodies[joint.child], joint.joint, before, after)
        except Error as error:
            raise SdfError(f"{joint.where}: {error}") from None


def _in_order(joints: list[SdfJoint], roots: list[str], on_world: bool) -> list[SdfJoint]:
    """Always the earliest of the file whose parent is in (Kahn 1962); SdfError if some never are."""
    leaving: dict[str, list[int]] = {}
    for k, joint in enumerate(joints):
        leaving.setdefault(joint.parent, []).append(k)
    inside = {*roots, *([WORLD] if on_world else ())}
    ready = [k for name in inside for k in leaving.get(name, ())]
    heapq.heapify(ready)
    order = []
    while ready:
        joint = joints[heapq.heappop(ready)]
        order.append(joint)
        if joint.child not in inside:
            inside.add(joint.child)
            for k in leaving.get(joint.child, ()):
                heapq.heappush(ready, k)
    if len(order) < len(joints):
        waiting = [joint for joint in joints if joint.parent not in inside]
        circle = ", ".join(repr(joint.joint.name) for joint in waiting[:5])
        raise SdfError(f"{waiting[0].where}: no way leads from a root link to joints {circle}: they form a circle")
    return order


def _add_frame(item: SdfNode, name: str, frames: Frames, bodies: dict[str, RigidBody]) -> None:
    pose = frames.pose(name, item.where).inverse() @ frames.pose(item.name(), item.where)
    try:
        bodies[name].add_frame(item.name(), pose)
    except SdfError:
        raise
    except Error as error:
        raise item.error(error) from None
