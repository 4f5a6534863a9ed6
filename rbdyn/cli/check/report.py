"""The report on one file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rbdyn.algorithms import SelfCollisions, sample_self_collisions
from rbdyn.cli.check.bodies import odd_bodies
from rbdyn.cli.check.joints import odd_joints
from rbdyn.cli.check.meshes import odd_mesh, odd_meshes
from rbdyn.cli.check.overlaps import overlaps
from rbdyn.errors import Error, MeshError, PathError
from rbdyn.io import load_materials, load_mesh, load_sensor_set, load_world, world_notes
from rbdyn.io.formats import READERS, format_of
from rbdyn.io.root_tag import root_tag_of_file
from rbdyn.mechanism import Mechanism
from rbdyn.model import Model
from rbdyn.world import ArticulatedSystem

NAMES = {"urdf": "URDF", "xacro": "xacro", "mjcf": "MJCF", "sdf": "SDF", "world": "world"}
URDF_ALONE = {"floating": "--fixed", "params": "--param", "modules": "--module", "srdf": "--srdf"}
MESHES = (".stl", ".obj", ".dae", ".ply", ".glb")
LEVELS = ("error", "warning", "note")
ROOTS = {"sensor_set": "sensor set", "material": "materials", "materials": "materials"}  # besides robots, worlds
_line = re.compile(r":[0-9]+: ")


@dataclass(frozen=True)
class Finding:
    """One thing that is to be said.

    Attributes
    ----------
    level : {"error", "warning", "note"}
        Whether the file cannot be accepted, is odd, or needs nothing but is worth knowing.
    where : str
        "file:line"; empty if it has no place.
    text : str
        What came, and what was made of it.
    """

    level: str
    where: str
    text: str


@dataclass
class Report:
    """What a file holds, and what is to be said of it."""

    file: str
    format: str
    summary: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """In words."""
        levels = {finding.level for finding in self.findings}
        return "refused" if "error" in levels else "read, with warnings" if "warning" in levels else "read"

    def add(self, level: str, texts: Iterable[str]) -> None:
        """Findings of texts that may begin with file:line."""
        for text in texts:
            match = _line.search(text, 1)
            where, said = (text[: match.end() - 2], text[match.end() :]) if match else ("", text)
            self.findings.append(Finding(level, where, said))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = [vars(finding) for finding in self.findings]
        return {"file": self.file, "format": self.format, "verdict": self.verdict, **self.summary, "findings": found}


def check_file(file: Path, meshes: bool, options: dict[str, Any]) -> Report:
    """Read a file and look at what comes of it.

    Parameters
    ----------
    file : Path
        A robot, a sensor set or a mesh.
    meshes : bool
        Whether to open the meshes that a robot names.
    options : dict
        For the reader.
    """
    report = Report(str(file), "")
    try:
        report.format = kind = _kind(file)
        if kind == "mesh":
            _check_mesh(file, report)
        elif kind == "sensor set":
            report.summary["sensors"] = len(load_sensor_set(file).sensors)
        elif kind == "world":
            _check_world(file, report, meshes, options)
        elif kind == "materials":
            report.summary["pairs"] = len(load_materials(file, options.get("params"), strict=True).pairs())
        else:
            _check_robot(file, report, meshes, options)
    except Error as error:
        report.add("error", [str(error)])
    report.findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return report


def _kind(file: Path) -> str:
    if file.suffix.lower() in MESHES:
        return "mesh"
    return ROOTS.get(root_tag_of_file(file)) or NAMES[format_of(file)]


def _check_mesh(file: Path, report: Report) -> None:
    mesh = load_mesh(file)
    report.summary |= {"vertices": len(mesh.vertices), "triangles": len(mesh.faces)}
    for level, text in odd_mesh(mesh):
        report.add(level, [text])


def _check_world(file: Path, report: Report, meshes: bool, options: dict[str, Any]) -> None:
    if given := [name for name in ("floating", "modules", "model", "srdf") if name in options]:
        raise Error(f"{', '.join(given)}: not for world files")
    wanted = {} if meshes else {"collision_mesh": "skip"}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        world = load_world(file, **options, **wanted)
    robots = sum(isinstance(obj, ArticulatedSystem) for obj in world.objects)
    report.summary |= {"objects": len(world.objects), "robots": robots, "constraints": len(world.constraints)}
    report.add("warning", world_notes(world).diagnostics)
    report.add("warning", sorted({str(one.message) for one in said}))


def _check_robot(file: Path, report: Report, meshes: bool, options: dict[str, Any]) -> None:
    if report.format in ("MJCF", "SDF") and (given := [URDF_ALONE[name] for name in URDF_ALONE if name in options]):
        raise Error(f"{', '.join(given)}: for URDF and xacro alone, and this is {report.format}")
    load = READERS[report.format.lower()]
    wanted = {"collision_mesh": "triangles", "visual_meshes": True} if meshes else {"collision_mesh": "skip"}
    try:
        mechanism = load(file, **options, **wanted)
    except (MeshError, PathError) as error:
        if not meshes or not file.is_file():
            raise
        try:  # a World needs no more than what collides
            mechanism = load(file, **options, collision_mesh="triangles")
            report.add("warning", [f"{error} (it is only drawn)"])
        except (MeshError, PathError) as dear:
            report.add("error", [str(dear)])  # what else there is to say needs no meshes
            meshes, mechanism = False, load(file, **options, collision_mesh="skip")
    report.summary |= _summary(mechanism)
    report.add("warning", mechanism.diagnostics)
    report.add("warning", odd_bodies(mechanism))
    for level, text in odd_joints(mechanism):
        report.add(level, [text])
    if meshes:
        for level, text in odd_meshes(mechanism):
            report.add(level, [text])
        report.add("warning", overlaps(mechanism))


def sample_pairs(file: Path, report: Report, samples: int, options: dict[str, Any]) -> tuple[Mechanism, SelfCollisions]:
    """Note which links of a robot always or never collide; meshes collide as their hulls.

    Parameters
    ----------
    file : Path
        A robot that `check_file` has accepted.
    report : Report
        Takes the pairs.
    samples : int
        Random configurations.
    options : dict
        For the reader.
    """
    mechanism = READERS[report.format.lower()](file, **options)
    found = sample_self_collisions(mechanism, samples)
    pairs = {"always": found.always, "never": found.never}
    report.summary["self-collisions"] = {"samples": found.samples} | {k: list(map(list, v)) for k, v in pairs.items()}
    for word, what in pairs.items():
        others: dict[str, list[str]] = {}
        for a, b in what:
            others.setdefault(a, []).append(b)
        for name, listed in others.items():
            said = f"link {name!r} {word} collides with {', '.join(map(repr, listed))}"
            report.add("note", [f"{said}, in {found.samples} sampled configurations"])
    return mechanism, found


def _summary(mechanism: Mechanism) -> dict[str, Any]:
    model = Model(mechanism)
    bodies = mechanism.bodies
    return {
        "robot": mechanism.name,
        "base": "free" if model.floating_base else "fixed",
        "links": len(bodies) - (mechanism.root_body.name not in _links(mechanism)),
        "joints": len(mechanism.tree_joints),
        "loops": len(mechanism.non_tree_joints),
        "nq": model.nq,
        "nv": model.nv,
        "mass": round(sum(body.inertia.mass for body in bodies), 9),
        "collision shapes": sum(len(body.collision) for body in bodies),
        "sensors": sum(len(s.sensors) for body in bodies for s in body.sensor_sets),
    }


def _links(mechanism: Mechanism) -> set[str]:
    """Names of the bodies that the file itself names: all but a root that the reader has put before them."""
    root = mechanism.root_body
    made = bool(mechanism.tree_joints) and mechanism.tree_joints[0].name.startswith("ROOT")
    return {body.name for body in mechanism.bodies if not (made and body is root)}
