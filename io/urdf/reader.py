"""URDF text -> description."""

from __future__ import annotations

from rbdyn.errors import UrdfError, unknown_name
from rbdyn.io.description import JointSpec, RobotSpec
from rbdyn.io.notes import Notes
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.urdf.joints import read_joint
from rbdyn.io.urdf.links import read_link, read_palette
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.vocabulary import check_words


def read_robot(source: str | bytes, file: str, notes: Notes) -> RobotSpec:
    """Read a robot description.

    Parameters
    ----------
    source : str or bytes
        URDF text.
    file : str
        Its name, for messages.
    notes : Notes
        Takes what was assumed or ignored.

    Raises
    ------
    UrdfError
        With file:line, for everything that cannot be read as it stands.
    """
    root = Node(parse_xml(source, file), file)
    if root.tag != "robot":
        raise UrdfError(f"{root.where}: the root element is <{root.tag[:100]}>, needed <robot>: is this a URDF file?")
    check_words(root, notes)
    constraints = root.child("constraints")
    if constraints is not None and constraints.children():
        first = constraints.children()[0]
        raise first.error("<constraints> (closed loops) are not supported yet; without them the robot would fall apart")
    if root.has("name"):
        name = root.text("name")
    else:
        name = "robot"
        notes.warn(root.where, "<robot> has no name; 'robot' is taken")
    palette = read_palette(root)
    links = [read_link(node, palette, notes) for node in root.children("link")]
    joints = [read_joint(node, notes) for node in root.children("joint")]
    return RobotSpec(root.where, name, links, checked_mimics(joints, notes))


def checked_mimics(joints: list[JointSpec], notes: Notes) -> list[JointSpec]:
    """The same joints; UrdfError if one follows itself, directly or through others, or has not one coordinate.

    A leader that does not exist costs a warning and the <mimic>: such files are common, and load everywhere.
    """
    by_name = {spec.joint.name: spec for spec in joints}
    for spec in joints:
        mimic = spec.joint.mimic
        if mimic is None:
            continue
        place = f"<mimic> of joint {spec.joint.name!r}"
        leader = by_name.get(mimic.joint)
        if leader is None:
            notes.warn(spec.where, f"{place}: {unknown_name('joint', mimic.joint, by_name)}; ignored")
            spec.joint.mimic = None
            continue
        for follower in (spec, leader):
            if follower.joint.num_positions != 1:
                kind = follower.joint.joint_type.kind
                text = f"joint {follower.joint.name!r} is {kind}; only joints of one coordinate can follow and lead"
                raise UrdfError(f"{spec.where}: {place}: {text}")
    _check_circles(by_name)
    return joints


def _check_circles(by_name: dict[str, JointSpec]) -> None:
    """UrdfError if joints follow one another in a circle."""
    cleared: set[str] = set()
    for start in by_name:
        trail: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in cleared:
            if name in trail:
                circle = " -> ".join([*list(trail)[:10], name])
                raise UrdfError(f"{by_name[start].where}: <mimic> of joint {start!r}: joints follow in a circle: {circle}")
            trail[name] = None
            mimic = by_name[name].joint.mimic
            name = None if mimic is None else mimic.joint
        cleared.update(trail)
