"""URDF file or text -> Mechanism."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from rbdyn.arguments import flag
from rbdyn.errors import Error, UrdfError
from rbdyn.io.build import build_mechanism
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.joint_order import in_order
from rbdyn.io.mesh_shapes import MeshShapes
from rbdyn.io.paths import FileFinder, read_regular
from rbdyn.io.safe_xml import MAX_BYTES
from rbdyn.io.urdf.reader import read_robot
from rbdyn.mechanism.mechanism import Mechanism

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
PathOrText = str | bytes | os.PathLike[str]


def load_urdf(
    path_or_text: PathOrText,
    floating: bool | None = None,
    params: Mapping[str, object] | None = None,
    modules: Iterable[object] = (),
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    *,
    text: bool | None = None,
    on_missing_mesh: str = "warn",
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
    joint_order: Iterable[str] | None = None,
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
    params : mapping, optional
        Template parameters: not supported yet.
    modules : iterable
        URDF modules: not supported yet.
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
    joint_order : iterable of str, optional
        Names of joints that move, in the order in which they are to stand in q and v, behind the floating base; those
        left out follow as the file has them.  None may come before one that it hangs on.

    Returns
    -------
    mechanism : Mechanism
        Every link a body, every joint a joint, names kept, fixed joints too; in the order of the file, but a parent
        before its children.  Geometry is attached and named "LINK/0", "LINK/1", ...; several pieces of
        "LINK/0" are "LINK/0/0", "LINK/0/1", ...  Whatever was assumed or ignored stands in `mechanism.diagnostics`,
        with file and line.

    Raises
    ------
    UrdfError
        If the text is malformed, incomplete or contradictory; the message starts with file:line.
    PathError
        If the file, or a mesh, does not exist or may not be read.
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
    `anchor` is a point of body1's link frame, and where it is on body2 says nominal_config, the q at which pins are
    closed (base position and quaternion first, if the base floats), from which a World starts.  Sources:
    wiki.ros.org/urdf/XML; RaiSim manual, "Articulated Systems", "URDF convention".

    Faults that other readers forgive are repaired, with a diagnostic: an XML declaration of version "0.0", or one that
    is not the first thing in the file; lower limits above upper ones (swapped), a lone lower limit of a spherical joint
    (ignored), a second <axis> or <inertial> (the first is taken), colours beyond 0 to 1 (clamped), spheres of radius 0
    (left out), a mesh scale of four numbers (the first three are taken).

    Examples
    --------
    >>> m = load_urdf('<robot name="ball"><link name="ball"/></robot>')
    >>> m.num_velocities, m.find_joint("ROOT").joint_type
    (6, Floating())
    """
    if params is not None:
        raise Error("params: URDF templates are not supported yet; give the text with its numbers filled in")
    if count := len(list(modules)):
        raise Error(f"modules: URDF modules are not supported yet, got {count}")
    source, file, path = _source(path_or_text, text)
    diagnostics = Diagnostics(strict)
    shapes = MeshShapes(FileFinder(path, resource_dirs), diagnostics, on_missing_mesh, collision_mesh, visual_meshes)
    robot = in_order(read_robot(source, file, diagnostics), joint_order)
    return build_mechanism(robot, floating, shapes, diagnostics)


def _source(path_or_text: PathOrText, text: bool | None) -> tuple[str | bytes, str, Path | None]:
    """The text, its name for messages, and its path if it has one."""
    if not isinstance(path_or_text, (str, bytes, os.PathLike)):
        raise Error(f"path_or_text must be a path or URDF text, got {type(path_or_text).__name__}")
    if text is None:
        text = not isinstance(path_or_text, os.PathLike) and _looks_like_xml(path_or_text)
    if flag(text, "text"):
        if isinstance(path_or_text, os.PathLike):
            raise Error(f"text=True, but path_or_text is a path: {path_or_text!r}")
        return path_or_text.lstrip("\ufeff") if isinstance(path_or_text, str) else path_or_text, "<text>", None
    name = os.fsdecode(path_or_text)
    if not name.strip():
        raise UrdfError("<text>:1: path_or_text is empty: neither a path nor a robot description")
    return read_regular(name, MAX_BYTES), name, Path(name)


def _looks_like_xml(source: str | bytes) -> bool:
    if isinstance(source, bytes):
        return source.startswith(BYTE_ORDER_MARKS) or source[:1000].lstrip().startswith(b"<")
    return source.lstrip("\ufeff \t\r\n").startswith("<")
