"""What each reader is asked, and what its answer must be: finite numbers, or an error of ours."""

import importlib.util
import math
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
from seeds import INERTIAL, PARAMS, SEEDS

from rbdyn.collision.shapes import HeightMap
from rbdyn.errors import Error
from rbdyn.io import load_materials, load_mesh, load_mjcf, load_sdf, load_sensor_set, load_urdf, load_world
from rbdyn.io.templates import Template

JOINT = '<joint name="{0}{1}" type="continuous"><parent link="{0}"/><child link="{1}"/></joint>'
LINKS = '<link name="a"/><link name="b"/><link name="c"/>'
THREE = f'<robot name="r">{LINKS}{JOINT.format(*"ab")}{JOINT.format(*"bc")}</robot>'
BASE = f'<robot name="r"><link name="base">{INERTIAL}</link></robot>'
LONGEST_MESSAGE = 2000


class Folder:
    """A folder of its own for the files of one process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name)
        (self.path / "a.stl").write_bytes(SEEDS["stl"][1])
        (self.path / "s.xml").write_bytes(SEEDS["sensors"][0])

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def file(self, suffix: str, data: bytes) -> Path:
        path = self.path / f"x{suffix}"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(data)
        return path


def ask(reader: str, data: bytes, folder: Folder) -> str:
    """Let a reader read; "read" or "refused".  Anything else it does is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            READERS[reader](data, folder)
    except Error as error:
        if not str(error) or len(str(error)) > LONGEST_MESSAGE:
            raise AssertionError(f"a message of {len(str(error))} letters") from error
        return "refused"
    return "read"


def _urdf(data: bytes, folder: Folder) -> None:
    _check_mechanism(load_urdf(data, text=True, base_dir=folder.path, collision_mesh="triangles"))


def _srdf(data: bytes, folder: Folder) -> None:
    mechanism = load_urdf(THREE, srdf=data)
    names = {body.name for body in mechanism.bodies}
    assert all(a != b and {a, b} <= names for a, b in mechanism.ignored_collisions)


def _template(data: bytes, folder: Folder) -> None:
    _check_mechanism(load_urdf(data, text=True, params=PARAMS))


def _module(data: bytes, folder: Folder) -> None:
    _check_mechanism(load_urdf(BASE, modules=[folder.file(".xml", data)]))


def _expression(data: bytes, folder: Folder) -> None:
    Template(PARAMS).fill(data.decode("utf-8", "surrogateescape"))


def _sensors(data: bytes, folder: Folder) -> None:
    for sensor in load_sensor_set(folder.file(".xml", data)).sensors:
        _check(sensor.pose.matrix)
        numbers = [x for x in vars(sensor).values() if isinstance(x, float)]
        assert not any(map(math.isnan, numbers)), sensor


def _mesh(suffix: str):
    def read(data: bytes, folder: Folder) -> None:
        mesh = load_mesh(folder.file(suffix, data))
        _check(mesh.vertices)
        assert mesh.faces.size and mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)

    return read


def _png(data: bytes, folder: Folder) -> None:
    _check(HeightMap.from_png(folder.file(".png", data), (1.0, 2.0), height_scale=0.1).heights)


def _heights(data: bytes, folder: Folder) -> None:
    _check(HeightMap.from_text(folder.file(".txt", data)).heights)


def _world(data: bytes, folder: Folder) -> None:
    world = load_world(data, base_dir=folder.path)
    for item in world.objects:
        _check(*((item.q, item.v) if hasattr(item, "q") else (item.position, item.orientation, item.inertia)))


def _materials(data: bytes, folder: Folder) -> None:
    table = load_materials(data)
    for pair in (table.default, *table.pairs().values()):
        _check(np.array(pair.numbers))


def _mjcf(data: bytes, folder: Folder) -> None:
    _check_mechanism(load_mjcf(data, base_dir=folder.path), described=False)


def _sdf(data: bytes, folder: Folder) -> None:
    _check_mechanism(load_sdf(data, base_dir=folder.path), described=False)


def _check_mechanism(mechanism, described: bool = True) -> None:
    for body in mechanism.bodies:
        _check(body.inertia.matrix)
        for item in (*body.collision, *body.visual):
            _check(item.pose.matrix)
    for joint in mechanism.joints:
        edge = mechanism.edge(joint)
        _check(edge.joint_pose.matrix, joint.spring_reference)
        _check(np.array([joint.damping, joint.friction, joint.stiffness, joint.rotor_inertia]))
        for limits in (joint.position_limits or (), (joint.velocity_limit or 0.0, joint.effort_limit or 0.0)):
            assert not any(map(math.isnan, limits)), joint.name
    assert all(isinstance(line, str) and line for line in mechanism.diagnostics)
    assert not described or mechanism.description.text


def _check(*arrays) -> None:
    for array in arrays:
        assert np.isfinite(array).all(), "a number that is not finite"


READERS = {  # and of MJCF, where MuJoCo is installed
    "urdf": _urdf,
    "srdf": _srdf,
    "template": _template,
    "expression": _expression,
    "module": _module,
    "sensors": _sensors,
    "stl": _mesh(".stl"),
    "obj": _mesh(".obj"),
    "msh": _mesh(".msh"),
    "dae": _mesh(".dae"),
    "ply": _mesh(".ply"),
    "glb": _mesh(".glb"),
    "png": _png,
    "heights": _heights,
    "world": _world,
    "materials": _materials,
    "sdf": _sdf,
}
if importlib.util.find_spec("mujoco") is not None:
    READERS["mjcf"] = _mjcf
