"""URDF file or text -> Mechanism."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rbdyn.arguments import named_options, shown
from rbdyn.errors import Error, PathError
from rbdyn.io.attached_files import find_module
from rbdyn.io.build import build_mechanism
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.joint_order import JointOrder
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.templates import Template
from rbdyn.io.templates.template import Params
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.reader import read_robot
from rbdyn.io.urdf.robot_text import Description
from rbdyn.io.urdf.sensor_files import SensorFiles
from rbdyn.io.urdf.source import PathOrText, Source, looks_like_xml, parse_fragment, source_of
from rbdyn.io.urdf.srdf import disabled, read_srdf
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.filtering import ignore_pairs

MAX_MODULES = 1000


@named_options
def load_urdf(
    path_or_text: PathOrText,
    floating: bool | None = None,
    params: Params | None = None,
    modules: Iterable[PathOrText] = (),
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    *,
    text: bool | None = None,
    on_missing_mesh: str = "warn",
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
    joint_order: JointOrder = None,
    base_dir: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    on_missing_sensor: str = "warn",
    srdf: PathOrText | None = None,
) -> Mechanism:
    """Read a robot: standard URDF, or RaiSim's dialect of it.

    Loading runs no code, opens no network, writes nothing, and reads only files under the folder of the robot file,
    its package, `resource_dirs` and the packages of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character, blanks and a byte order mark aside, is "<".
    floating : bool, optional
        By default a root link named "world" is the fixed base: it becomes the mechanism's root body.  Any other root
        link moves freely: a root body "world" is put before it, with a Floating joint "ROOT" between them.  False
        fixes that joint.  True frees a robot whose root is "world": that link becomes a floating body, and the root
        body is then called "universe".
    params : mapping or iterable of pairs, optional
        Parameters of a template, by name without the @@: numbers or strings.  "@@name" in an attribute becomes the
        parameter, "{@@width / 2 + 0.1}" the number that the expression means (+ - * / ** ( ), sin cos exp log sqrt,
        pi; nothing else, and nothing is executed).  Without `params` braces are letters like others.
    modules : iterable of path-like, str or bytes
        Files, or texts, of links and joints that are added to the robot, with or without a <robot> around them.  Names
        are looked for as RaiSim does: an absolute path; or BASE/name, BASE/modules/name, BASE/../modules/name,
        BASE/module/name, BASE/../module/name, BASE being each of `resource_dirs`, then the robot's own folder.
    resource_dirs : path or iterable of paths
        Folders in which meshes and packages are looked for, and may lie, besides the robot file's own.
    strict : bool
        Raise UrdfError where there would be a warning.
    text : bool, optional
        True: the first argument is text.  False: it is a path.
    on_missing_mesh : {"warn", "error", "skip"}
        A mesh file that is nowhere to be found: leave its geometry out with a warning, raise PathError, or leave it
        out.  A file that is there but malformed, or that lies outside the allowed folders, always raises.
    collision_mesh : {"hull", "decompose", "triangles", "skip"}
        What a mesh in <collision> becomes: its convex hull, convex pieces (`Mesh.decompose`; it takes seconds to
        minutes a mesh, once per process), its triangles, or nothing (no file is opened then).  A World whose backend
        takes the hull of triangles (FCLBackend does) warns when the robot is added.
    visual_meshes : bool
        Whether meshes in <visual> are read.  They are large and only drawn, so by default they are left out; boxes,
        spheres, cylinders and capsules are kept.
    joint_order : "depth_first" or iterable of str, optional
        Order of the joints in q and v.  By default that of the file, a parent before its children.  "depth_first": each
        joint is followed by all that hang on it, siblings in the order of the file, as in MJCF and in RaiSim's newer
        versions.  Or names of joints that move, in their order, behind the floating base; those left out follow as the
        file has them.  None may come before one that it hangs on.
    base_dir : path-like, optional
        The folder of a robot that comes as text: what it names is looked for, and may lie, there.
    allow_outside : bool
        Whether files that the robot file names may lie anywhere.  For robot files that you trust.
    on_missing_sensor : {"warn", "error", "skip"}
        A sensor-set file that is nowhere to be found: leave `SensorSet.sensors` empty with a warning, raise PathError,
        or leave it empty.  One that is malformed, or lies outside, always raises.
    srdf : path-like, str or bytes, optional
        MoveIt's semantic description of the robot, a file or a text: pairs of links that never collide (`apply_srdf`).

    Returns
    -------
    mechanism : Mechanism
        Every link a body, every joint a joint, names kept, fixed joints too; in the order of the file, but a parent
        before its children.  Geometry is attached and named "LINK/0", "LINK/1", ...; several pieces of
        "LINK/0" are "LINK/0/0", "LINK/0/1", ...  Whatever was assumed or ignored stands in `mechanism.diagnostics`,
        with file and line.  `mechanism.description` has the text, its file and folders; `RigidBody.sensor_sets` what
        <link sensor="FILE"> mounts; `Joint.annotations` <safety_controller> and <calibration>.

    Raises
    ------
    UrdfError
        If the text is malformed, incomplete or contradictory, or a template parameter is missing; the message starts
        with file:line.
    PathError
        If the file, a module or a mesh does not exist or may not be read.
    MeshError
        If a mesh file is malformed.
    MissingExtraError
        If a COLLADA mesh is needed and pycollada is not installed, or coacd is not and meshes are to be decomposed.

    Notes
    -----
    A link without <inertial> has no mass.  An inertia that is not positive semi-definite is kept, with a diagnostic.
    Equal lower and upper limits mean no limit, as do infinite ones, a missing <limit>, velocity="0" and RaiSim's -1.  A
    planar joint's <axis> is the normal of its plane.  A capsule's height and length both mean the distance between the
    centres of its spheres.  type="helical" is a screw with <axis pitch> in metres per radian, this reader's
    own word.  A <pin body1 body2 anchor> of <constraints nominal_config> is a spherical loop joint, "BODY1_BODY2_pin":
    `anchor` is a point of body1's link frame.  nominal_config gives the coordinates at which pins are closed, and so
    their places on body2; a World starts there.  Its numbers are read depth first whatever `joint_order` is, with the
    position and quaternion of a floating base first.  `mechanism.nominal_configuration` has them in the order of q.
    Sources: wiki.ros.org/urdf/XML; RaiSim manual, "Articulated Systems", "URDF convention" and "Closed-loop system".

    Faults that other readers forgive are repaired, with a diagnostic: an XML declaration of version "0.0", or one that
    is not the first thing in the file; lower limits above upper ones (swapped), a lone lower limit of a spherical joint
    (ignored), a second <axis>, <inertial>, <color>, or <material> of a visual (the first is taken), colours beyond 0 to
    1 (clamped), shapes that are but points, and flat or thin ones in <visual> (left out), a mesh scale of four numbers
    (the first three are taken), a robot without a name (called as its file, or "robot").

    Examples
    --------
    >>> m = load_urdf('<robot name="ball"><link name="ball"/></robot>')
    >>> m.num_velocities, m.find_joint("ROOT").joint_type
    (6, Floating())
    """
    return load_source(
        source_of(path_or_text, text),
        floating,
        params,
        modules,
        resource_dirs,
        Diagnostics(strict),
        on_missing_mesh=on_missing_mesh,
        collision_mesh=collision_mesh,
        visual_meshes=visual_meshes,
        joint_order=joint_order,
        base_dir=base_dir,
        allow_outside=allow_outside,
        on_missing_sensor=on_missing_sensor,
        srdf=srdf,
    )


def load_source(
    source: Source,
    floating: bool | None,
    params: Params | None,
    modules: Iterable[PathOrText],
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    diagnostics: Diagnostics,
    *,
    on_missing_mesh: str,
    collision_mesh: str,
    visual_meshes: bool,
    joint_order: JointOrder,
    base_dir: str | os.PathLike[str] | None,
    allow_outside: bool,
    on_missing_sensor: str,
    srdf: PathOrText | None,
) -> Mechanism:
    """`load_urdf` of a text that was read."""
    if base_dir is not None and source.path is not None:
        raise Error(f"base_dir is the folder of a text; this robot is a file, in {str(source.path.parent)!r:.300}")
    finder = FileFinder(source.path, resource_dirs, base_dir, allow_outside)
    shapes = MeshShapes(finder, diagnostics, on_missing_mesh, collision_mesh, visual_meshes)
    sources = [source, *_module_sources(modules, finder)]
    template = None if params is None else Template(params)
    trees = [parse_xml(source.data, source.name, diagnostics), *(parse_fragment(m, diagnostics) for m in sources[1:])]
    template = _filled(sources, trees, template, diagnostics)
    sensors = SensorFiles(finder, diagnostics, on_missing_sensor, template)
    roots = [Node(tree, one.name, diagnostics) for tree, one in zip(trees, sources, strict=True)]
    robot = read_robot(roots, diagnostics, sensors)
    _report_unused(template, source, diagnostics)
    mechanism = build_mechanism(robot, floating, shapes, diagnostics, joint_order)
    for one in roots:
        ignore_pairs(mechanism, disabled(mechanism, one, diagnostics))
    if srdf is not None:
        read_srdf(mechanism, srdf, diagnostics)
    mechanism.diagnostics = diagnostics.lines()
    values = None if template is None else tuple(template.values.items())
    folder = finder.own[0] if finder.own else None
    links = {link.name: link.where for link in robot.links}
    joints = {spec.joint.name: spec.where for spec in robot.joints}
    modules_read, resources = tuple(sources[1:]), tuple(finder.resources)
    mechanism.description = Description(source, modules_read, values, folder, resources, links, joints)
    return mechanism


def _module_sources(modules: Iterable[PathOrText], finder: FileFinder) -> list[Source]:
    """The texts of modules, in their order."""
    if isinstance(modules, (str, bytes, os.PathLike)) or not isinstance(modules, Iterable):
        raise Error(f"modules must be a list of paths or texts, got {shown(modules)}")
    found: list[Source] = []
    for k, item in enumerate(modules):
        what = f"modules[{k}]"
        if k >= MAX_MODULES:
            raise Error(f"modules: more than {MAX_MODULES}")
        if not isinstance(item, (str, bytes, os.PathLike)):
            raise Error(f"{what} must be a path or the text of a module, got {shown(item)}")
        if not isinstance(item, os.PathLike) and looks_like_xml(item):
            found.append(replace(source_of(item, True, what), name=f"<{what}>"))
            continue
        name = os.fsdecode(item)
        if not name.strip() or "\0" in name:
            raise PathError(f"{what}: {name!r:.300} is not a file name")
        try:
            found.append(source_of(find_module(finder, name), False, what))
        except PathError as error:
            raise PathError(f"{what}: {error}") from None
    return found


def _filled(
    sources: list[Source], trees: list[Any], template: Template | None, diagnostics: Diagnostics
) -> Template | None:
    """The template that has filled the trees; None if there is nothing to fill."""
    if template is None and any(map(_is_template, sources, trees)):
        template = Template()
    if template is not None:
        for source, tree in zip(sources, trees, strict=True):
            template.fill_tree(tree, source.name)
    return template


def _is_template(source: Source, tree: Any) -> bool:
    """Whether a robot asks for parameters; one that holds braces alone is none."""
    marked = "@@" in source.data if isinstance(source.data, str) else b"@@" in source.data
    return marked and any("@@" in value for element in tree.iter() for value in element.attrib.values())


def _report_unused(template: Template | None, source: Source, diagnostics: Diagnostics) -> None:
    unused = [] if template is None else template.unused
    if unused:
        named = ", ".join(map(repr, unused[:10])) + (f" and {len(unused) - 10} more" if len(unused) > 10 else "")
        diagnostics.warn(f"{source.name}:1", f"params: {named} {'is' if len(unused) == 1 else 'are'} not used in it")
