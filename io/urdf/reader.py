"""URDF texts -> description."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rbdyn.errors import UrdfError
from rbdyn.io.description import LinkSpec, RobotSpec
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mimics import checked_mimics
from rbdyn.io.numbers import shown
from rbdyn.io.rules import Color
from rbdyn.io.sensor_sets import SensorSet
from rbdyn.io.urdf.joints import read_joint
from rbdyn.io.urdf.links import read_link, read_palette
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.pins import read_constraints
from rbdyn.io.urdf.sensors import SensorFile
from rbdyn.io.urdf.vocabulary import check_counts, check_words

SensorReader = Callable[[Node, str, Mapping[str, Color | None]], SensorFile | None]


def read_robot(roots: Sequence[Node], diagnostics: Diagnostics, sensors: SensorReader) -> RobotSpec:
    """Read a robot description.

    Parameters
    ----------
    roots : sequence of Node
        The root element of the robot, and those of its modules.
    diagnostics : Diagnostics
        Takes what was assumed or ignored.
    sensors : function of (link, file name, colours of materials)
        Reads the sensor set of a link; None if it is not to be had.

    Raises
    ------
    UrdfError
        With file:line, for everything that cannot be read as it stands.
    """
    root = roots[0]
    for one in roots:
        if one.tag != "robot":
            text = f"the root element is <{one.tag[:100]}>, needed <robot>: is this a URDF file?"
            raise UrdfError(f"{one.where}: {text}")
        check_counts(one)
    where, nominal, pins = read_constraints(roots)
    for one in roots:
        check_words(one, diagnostics)
    given = root.get("name")
    if given is None or not given.strip():
        name = "robot" if root.file.startswith("<") else Path(root.file).stem  # "<text>" is no file
        diagnostics.warn(root.where, f"<robot> has no name; {shown(name)} is taken")
    else:
        name = root.text("name")
    palette = read_palette(roots, diagnostics)
    links = [_link(node, palette, diagnostics, sensors) for one in roots for node in one.children("link")]
    joints = [read_joint(node, diagnostics) for one in roots for node in one.children("joint")]
    return RobotSpec(root.where, name, links, checked_mimics(joints, diagnostics), pins, nominal, where)


def _link(node: Node, palette: Mapping[str, Color | None], diagnostics: Diagnostics, sensors: SensorReader) -> LinkSpec:
    """A link, with what its sensor set gives to it."""
    link = read_link(node, palette, diagnostics)
    if not node.has("sensor"):
        for name in ("model", "serial_number"):
            if node.has(name):
                text = f"{name} of link {link.name!r} belongs to a sensor set, and it names none; ignored"
                diagnostics.warn(node.where, text, f"{name} without sensor")
        return link
    file = node.text("sensor")
    found = sensors(node, file, palette)
    model, number = node.get("model") or "", node.get("serial_number") or ""
    if found is None:
        link.sensor_sets.append(SensorSet(link.name, file=file, model=model, serial_number=number))
        return link
    inertia = link.inertia
    if found.inertia is not None and inertia is None:
        inertia = found.inertia
    elif found.inertia is not None:
        text = f"link {link.name!r} has an <inertial> of its own; that of its sensor set is ignored"
        diagnostics.warn(found.inertia_where, text)
    return LinkSpec(
        link.where,
        link.name,
        inertia,
        [*link.collision, *found.collision],
        [*link.visual, *found.visual],
        [SensorSet(link.name, found.kind, file, model, number, found.sensors)],
    )
