"""The words of the dialect, and a check that nothing else in a file goes by unnoticed.

Standard URDF (wiki.ros.org/urdf/XML) plus RaiSim's words: <capsule>, type="spherical", <dynamics rotor_inertia
spring_mount stiffness>, <collision><material><contact name>, <constraints nominal_config><pin>, and type="helical"
with <axis pitch>.
"""

from __future__ import annotations

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.urdf.node import Node

# tag -> (attributes, child tags)
KNOWN: dict[str, tuple[str, str]] = {
    "robot": ("name version", "link joint material constraints"),
    "link": ("name sensor", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "origin": ("xyz rpy quat_xyzw", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry material"),
    "geometry": ("name", "box sphere cylinder capsule mesh"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius height length", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color texture contact"),
    "color": ("rgba", ""),
    "texture": ("filename", ""),
    "contact": ("name", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz pitch", ""),
    "limit": ("lower upper effort velocity", ""),
    "dynamics": ("damping friction rotor_inertia stiffness spring_mount", ""),
    "mimic": ("joint multiplier offset", ""),
    "constraints": ("nominal_config", "pin"),
    "pin": ("body1 body2 anchor", ""),
}
ATTRIBUTES = {tag: frozenset(words[0].split()) for tag, words in KNOWN.items()}
CHILDREN = {tag: frozenset(words[1].split()) for tag, words in KNOWN.items()}

# For other programs; dropping them changes no kinematics or dynamics.
HARMLESS = {
    "robot": frozenset({"transmission", "gazebo", "ros2_control", "sensor", "group", "disable_collisions"}),
    "link": frozenset({"gazebo", "self_filter", "collision_checking"}),
    "joint": frozenset({"safety_controller", "calibration", "hardwareInterface", "gazebo"}),
    "collision": frozenset({"verbose"}),
}
NOTHING: frozenset[str] = frozenset()


def check_words(root: Node, diagnostics: Diagnostics) -> None:
    """Report every element, attribute and text that the reader does not know.  Iterative."""
    pending = [root]
    while pending:
        node = pending.pop()
        known = ATTRIBUTES[node.tag]
        for attribute in node.attributes:
            if attribute not in known and not attribute.startswith("{"):
                near = diagnostics.did_you_mean(attribute, known, 1)
                text = f"unknown attribute {shown(attribute)} of <{node.tag}>{near}; ignored"
                diagnostics.warn(node.where, text, f"attribute {node.tag}/{attribute}")
        if stray := node.stray_text:
            diagnostics.warn(node.where, f"text {shown(stray)} inside <{node.tag}>; ignored", f"text {node.tag}")
        for tag, found in node.by_tag().items():
            if tag in CHILDREN[node.tag]:
                pending.extend(found)
            else:
                text = _complaint(node.tag, tag, diagnostics)
                diagnostics.warn(found[0].where, text, f"tag {node.tag}/{tag}", len(found))


def _complaint(parent: str, tag: str, diagnostics: Diagnostics) -> str:
    """What to say of an element that the reader does not know."""
    if tag.startswith("xacro:"):
        return f"<{tag}> was not expanded; run xacro on the file first"
    if tag in HARMLESS.get(parent, NOTHING):
        return f"<{tag}> in <{parent}> is for other programs; ignored"
    near = diagnostics.did_you_mean(tag, CHILDREN[parent], 1)
    return f"unknown tag <{shown(tag)[1:-1]}> in <{parent}>{near}; ignored"
