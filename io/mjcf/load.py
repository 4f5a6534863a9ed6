"""MJCF -> Mechanism, through MuJoCo's own compiler."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.arguments import choice, flag, named_options
from rbdyn.errors import Error, MeshError, MissingExtraError, MjcfError, UrdfError, missing_extra
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.names import Names
from rbdyn.io.joint_order import JointOrder, reorder
from rbdyn.io.mjcf.keyframes import chosen_key, configuration_of
from rbdyn.io.mjcf.read_actuators import read_actuators
from rbdyn.io.mjcf.read_equality import read_equalities
from rbdyn.io.mjcf.read_geoms import COLLISION, MESH, GeomReader
from rbdyn.io.mjcf.read_joints import attach_body, report_polynomials
from rbdyn.io.mjcf.read_options import gravity_of, report_options
from rbdyn.io.mjcf.text import SafeText, TextMaker, tetrahedron
from rbdyn.io.paths import FileFinder
from rbdyn.io.urdf.source import PathOrText, source_of
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.filtering import ignore_pairs
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform

WORLD = "world"
_line = re.compile(r"line ([0-9]{1,9})")


@named_options
def load_mjcf(
    path_or_text: PathOrText,
    *,
    resource_dirs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    strict: bool = False,
    collision_mesh: str = "hull",
    visual_meshes: bool = False,
    base_dir: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    keyframe: str | None = None,
    joint_order: JointOrder = None,
) -> Mechanism:
    """Read a robot in MuJoCo's format.  Needs ``pip install "rbdyn[mjcf]"``.

    MuJoCo's compiler fills in defaults, classes, frames, angles and inertias that follow from shapes; it is given one
    document, and files that this library has read.  Loading runs no code, loads no plugin, and reads only files under
    the folder of the robot file, its package, and `resource_dirs`.

    Parameters
    ----------
    path_or_text : path-like, str or bytes
        A file, or the text itself: it is text if its first character, blanks and a byte order mark aside, is "<".
    resource_dirs : path or iterable of paths
        Folders in which meshes and included files are looked for besides.
    strict : bool
        Raise UrdfError or MjcfError where there would be a diagnostic.
    collision_mesh : {"hull", "triangles", "skip"}
        What a mesh that collides becomes; MuJoCo takes hulls.
    visual_meshes : bool
        Whether meshes that are only drawn are kept.
    base_dir : path-like, optional
        The folder of a robot that came as text.
    allow_outside : bool
        Whether what it names may lie anywhere.
    keyframe : str, optional
        The <key> of whose qpos `mechanism.nominal_configuration` is made, where a World begins; the one called
        "nominal" by default, which `save_mjcf` writes, else MuJoCo's qpos0.
    joint_order : "depth_first" or iterable of str, optional
        As of `load_urdf`.  MuJoCo's own order, the default, is depth first.

    Returns
    -------
    mechanism : Mechanism
        MuJoCo's bodies and joints in its order, so that its q is MuJoCo's qpos.  A body of several joints hangs on
        bodies without mass, named BODY/JOINT; one without joints on a fixed joint.  What is left out stands in
        `mechanism.diagnostics`.

    Raises
    ------
    MjcfError
        With file:line, if it cannot be accepted.
    UnknownNameError
        If it has no <key> of the name that is asked for.
    PathError, MeshError
        If a file that it names cannot be read.
    MissingExtraError
        If mujoco is not installed.

    Examples
    --------
    >>> m = load_mjcf('<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>'
    ...               '</worldbody></mujoco>')
    >>> m.find_joint("j").joint_type
    Revolute(axis=(0.0, 1.0, 0.0))
    """
    diagnostics = Diagnostics(flag(strict, "strict"))
    choice(collision_mesh, "collision_mesh", COLLISION)
    source = source_of(path_or_text, None)
    listed = [resource_dirs] if isinstance(resource_dirs, (str, os.PathLike)) else list(resource_dirs)
    finders: dict[str, FileFinder] = {}

    def finder(file: str) -> FileFinder:
        if file not in finders:
            text = file == source.name and source.path is None
            finders[file] = FileFinder(None if text else Path(file), listed, base_dir if text else None, allow_outside)
        return finders[file]

    finder(source.name)  # whose errors are those of arguments
    safe = TextMaker(source, finder, diagnostics).make()
    key = chosen_key(safe.keys, keyframe, source.name, diagnostics)
    model, warned = compiled(safe, source.name)
    for text in warned:
        diagnostics.warn(f"{source.name}:1", text)
    unread = {name: mesh.error for name, mesh in safe.unread.items()}
    drawn = flag(visual_meshes, "visual_meshes")
    geoms = GeomReader(model, source.name, diagnostics, collision_mesh, drawn, unread)
    try:
        mechanism = _built(model, geoms, diagnostics, source.name)
        if key is not None:
            mechanism.nominal_configuration = configuration_of(key, model)
        mechanism.diagnostics = diagnostics.lines()
    except (MjcfError, MeshError, MissingExtraError):  # which have their places
        raise
    except UrdfError as error:  # of strict diagnostics, which have their places
        raise MjcfError(str(error)) from None
    except Error as error:
        raise MjcfError(f"{source.name}:1: {error}") from None
    reorder(mechanism, joint_order)
    return mechanism


def compiled(safe: SafeText, file: str) -> tuple[Any, list[str]]:
    """MuJoCo's model of a text, and its warnings; MjcfError with the line that it complains of.

    If the robot depends on a mesh of a format that is not read, but for how it is drawn, the error that says so.
    """
    model, said = _compiled(safe, file, safe.assets)
    if safe.unread:
        others = {mesh.asset: tetrahedron(2.0, 3.0, 5.0) for mesh in safe.unread.values()}
        if not _same_robot(model, _compiled(safe, file, safe.assets | others)[0]):
            error = next(iter(safe.unread.values())).error
            raise type(error)(f"{error}; an inertia or a size follows from it")
    return model, said


def _same_robot(model: Any, other: Any) -> bool:
    """Whether two models differ in nothing but their meshes."""
    names = ["body_mass", "body_inertia", "body_ipos", "body_iquat"]
    fitted = np.flatnonzero(model.geom_type != MESH)
    return all(np.array_equal(getattr(model, name), getattr(other, name)) for name in names) and all(
        np.array_equal(getattr(model, name)[fitted], getattr(other, name)[fitted])
        for name in ("geom_size", "geom_pos", "geom_quat")
    )


def _compiled(safe: SafeText, file: str, assets: dict[str, bytes]) -> tuple[Any, list[str]]:
    """The same, with these files for those of the text."""
    try:
        import mujoco
    except ImportError:
        raise missing_extra("reading MJCF", "mujoco", "mjcf") from None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = _without_hulls(mujoco.MjSpec.from_string(safe.text, assets=assets))
    except (ValueError, TypeError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        text = " ".join(str(error).split())
        lines = _line.findall(text)  # the last one is that of the element
        place = safe.place(int(lines[-1])) if lines else f"{file}:1"
        said = re.sub(r",? ?line [0-9]+|Element name '', id -?[0-9]+", "", text).strip()
        raise MjcfError(f"{place}: {said[:500] or 'MuJoCo refuses it'}") from None
    for name in ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis",
                 "geom_pos", "geom_quat", "geom_size", "qpos0", "dof_armature", "dof_damping", "eq_data"):  # fmt: skip
        if not np.isfinite(getattr(model, name)).all():
            raise MjcfError(f"{file}:1: {name} of the compiled model is not finite")
    return model, [" ".join(str(warning.message).split())[:500] for warning in caught]


def _without_hulls(spec: Any) -> Any:
    """Compile it, but for the convex hulls of meshes that collide, which take most of the time; ours are other ones."""
    import mujoco

    if spec.compiler.discardvisual:  # it goes by the very numbers that are set to 0
        return spec.compile()
    meshes = [geom for geom in spec.geoms if geom.type == mujoco.mjtGeom.mjGEOM_MESH]
    filters = [(geom.contype, geom.conaffinity) for geom in meshes]
    for geom in meshes:
        geom.contype = geom.conaffinity = 0
    model = spec.compile()
    for geom, (contype, affinity) in zip(meshes, filters, strict=True):
        model.geom_contype[geom.id], model.geom_conaffinity[geom.id] = contype, affinity
    return model


def _built(model: Any, geoms: GeomReader, diagnostics: Diagnostics, file: str) -> Mechanism:
    root = RigidBody(WORLD)
    mechanism = Mechanism(root, gravity_of(model))
    report_options(model, diagnostics, file)
    mechanism.name = str(model.names[: model.names.find(b"\0")].decode("utf-8", "replace")) or "mujoco"
    bodies: list[RigidBody] = [root]
    joints: list[Joint] = []  # MuJoCo's, in its order
    body_names, joint_names = Names(WORLD), Names()
    for k in range(1, model.nbody):
        body = RigidBody(body_names.free(model.body(k).name or f"body{k}"))
        body.take_inertia(_inertia(model, k))
        joints += attach_body(mechanism, model, k, bodies[model.body_parentid[k]], body, body_names, joint_names)
        bodies.append(body)
        if model.body_gravcomp[k]:
            diagnostics.warn(f"{file}:1", f"gravcomp of body {body.name!r} is not read; left out", "gravcomp")
        if model.body_mocapid[k] >= 0:
            diagnostics.warn(f"{file}:1", f"mocap of body {body.name!r} is not read; it is fixed where it is", "mocap")
    geoms.attach(bodies)
    _add_sites(model, bodies, diagnostics, file)
    report_polynomials(model, joints, diagnostics, file)
    read_actuators(model, joints, diagnostics, file)
    read_equalities(mechanism, model, bodies, joint_names, diagnostics, file)
    _add_excludes(mechanism, model, bodies)
    mechanism.nominal_configuration = tuple(map(float, model.qpos0))
    return mechanism


def _inertia(model: Any, k: int) -> SpatialInertia:
    """In the body's frame, of principal moments."""
    mass, moments = float(model.body_mass[k]), model.body_inertia[k]
    if mass == 0.0 and not moments.any():
        return SpatialInertia.zero()
    R = Transform(quat=model.body_iquat[k]).rotation
    J = R @ np.diag(moments) @ R.T
    return SpatialInertia(mass, model.body_ipos[k], 0.5 * (J + J.T))


def _add_sites(model: Any, bodies: list[RigidBody], diagnostics: Diagnostics, file: str) -> None:
    """Named sites as frames; a frame of a body's own name is the body's already."""
    named = [(k, model.site(k).name) for k in range(model.nsite)]
    names = Names(*(name for _, name in named), *(body.name for body in bodies))
    for k, name in named:
        if not name:
            continue
        body = bodies[model.site_bodyid[k]]
        called = name
        if name == body.name:
            called = names.free(f"{name}_site")
            diagnostics.warn(f"{file}:1", f"site {name!r} has the name of its body; it is the frame {called!r}")
        body.add_frame(called, Transform(quat=model.site_quat[k], translation=model.site_pos[k]))


def _add_excludes(mechanism: Mechanism, model: Any, bodies: list[RigidBody]) -> None:
    """<exclude>: pairs of bodies that never collide."""
    pairs = {frozenset((bodies[one >> 16], bodies[one & 0xFFFF])) for one in model.exclude_signature.tolist()}
    ignore_pairs(mechanism, [pair for pair in pairs if len(pair) == 2])
