"""Robots of the package example-robot-data, as files and for MuJoCo's URDF reader; files of MuJoCo Menagerie."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from rbdyn import io
from rbdyn.mechanism import Mechanism


@dataclass(frozen=True)
class Robot:
    """Where a robot's file is and which of its links the Jacobian is asked for."""

    name: str
    file: str
    floating: bool
    tip: str

    @property
    def path(self) -> Path:
        """The URDF file; FileNotFoundError without the package."""
        for folder in sys.path:
            path = Path(folder) / "cmeel.prefix/share/example-robot-data/robots" / self.file
            if path.is_file():
                return path
        raise FileNotFoundError(f"{self.file}: pip install example-robot-data")

    def mechanism(self) -> Mechanism:
        """As rbdyn reads it."""
        return io.load_urdf(self.path, floating=self.floating, collision_mesh="skip")


ANYMAL = Robot("ANYmal-C", "anymal_c_simple_description/urdf/anymal.urdf", True, "RH_SHANK")
TALOS = Robot("Talos", "talos_data/robots/talos_reduced.urdf", True, "leg_left_6_link")
PANDA = Robot("Panda", "panda_description/urdf/panda.urdf", False, "panda_link7")
ROBOTS = (ANYMAL, TALOS, PANDA)


def menagerie(file: str) -> Path:
    """Find a file of MuJoCo Menagerie where its packages keep it; FileNotFoundError: nothing is downloaded.

    Its folder is that of the variable MENAGERIE_ROOT, else the one in the cache of the package robot_descriptions.
    """
    cache = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser()
    path = Path(os.environ.get("MENAGERIE_ROOT", cache / "mujoco_menagerie")) / file
    if path.is_file():
        return path
    raise FileNotFoundError(f"{file}: MuJoCo Menagerie is not in MENAGERIE_ROOT, nor kept by robot_descriptions")


def mujoco_urdf(robot: Robot) -> str:
    """The robot's URDF as MuJoCo reads it best: no meshes, a floating joint, fixed links merged.

    MuJoCo refuses ANYmal's camera inertias, which break the triangle inequality.  Their sum with the base does not,
    so inertias are merged over fixed joints before it reads them.
    """
    root = etree.parse(robot.path).getroot()
    for tag in ("visual", "transmission", "gazebo", "self_filter", "mimic"):
        for item in list(root.iter(tag)):
            item.getparent().remove(item)
    for mesh in list(root.iter("mesh")):
        collision = mesh.getparent().getparent()
        collision.getparent().remove(collision)
    _merge_inertias(root, robot)
    if robot.floating:
        base = _root_link(root)
        root.insert(0, etree.fromstring('<link name="world"/>'))
        joint = etree.SubElement(root, "joint", name="ROOT", type="floating")
        etree.SubElement(joint, "parent", link="world")
        etree.SubElement(joint, "child", link=base)
    options = etree.Element("mujoco")
    etree.SubElement(options, "compiler", fusestatic="true", discardvisual="true", inertiafromgeom="false")
    root.insert(0, options)
    return etree.tostring(root).decode()


def _root_link(root: Any) -> str:
    """The link that is no joint's child."""
    children = {joint.find("child").get("link") for joint in root.findall("joint")}
    return next(link.get("name") for link in root.findall("link") if link.get("name") not in children)


def _merge_inertias(root: Any, robot: Robot) -> None:
    """Replace <inertial> by that of the moving body with all that is fixed to it."""
    mechanism = robot.mechanism()
    mechanism.remove_fixed_tree_joints()
    merged = {body.name: body.inertia for body in mechanism.bodies}
    for link in root.findall("link"):
        for old in link.findall("inertial"):
            link.remove(old)
        inertia = merged.get(link.get("name"))
        if inertia is None or inertia.mass == 0:
            continue
        J = inertia.inertia
        entry = etree.SubElement(link, "inertial")
        etree.SubElement(entry, "origin", xyz=" ".join(repr(float(x)) for x in inertia.com), rpy="0 0 0")
        etree.SubElement(entry, "mass", value=repr(float(inertia.mass)))
        axes = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        etree.SubElement(entry, "inertia", {name: repr(float(J[at])) for name, at in axes.items()})
