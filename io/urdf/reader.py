"""URDF text -> description."""

from __future__ import annotations

from rbdyn.errors import UrdfError
from rbdyn.io.description import RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mimics import checked_mimics
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.urdf.joints import read_joint
from rbdyn.io.urdf.links import read_link, read_palette
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.pins import read_constraints
from rbdyn.io.urdf.vocabulary import check_words


def read_robot(source: str | bytes, file: str, diagnostics: Diagnostics) -> RobotSpec:
    """Read a robot description.

    Parameters
    ----------
    source : str or bytes
        URDF text.
    file : str
        Its name, for messages.
    diagnostics : Diagnostics
        Takes what was assumed or ignored.

    Raises
    ------
    UrdfError
        With file:line, for everything that cannot be read as it stands.
    """
    root = Node(parse_xml(source, file, diagnostics), file)
    if root.tag != "robot":
        raise UrdfError(f"{root.where}: the root element is <{root.tag[:100]}>, needed <robot>: is this a URDF file?")
    where, nominal, pins = read_constraints(root)
    check_words(root, diagnostics)
    if root.has("name"):
        name = root.text("name")
    else:
        name = "robot"
        diagnostics.warn(root.where, "<robot> has no name; 'robot' is taken")
    palette = read_palette(root, diagnostics)
    links = [read_link(node, palette, diagnostics) for node in root.children("link")]
    joints = [read_joint(node, diagnostics) for node in root.children("joint")]
    return RobotSpec(root.where, name, links, checked_mimics(joints, diagnostics), pins, nominal, where)
