"""The words of the dialect, and a check that nothing else in a file goes by unnoticed.

Standard URDF (wiki.ros.org/urdf/XML) plus RaiSim's words: <capsule>, type="spherical", <dynamics rotor_inertia
spring_mount stiffness>, <collision><material><contact name>, <constraints nominal_config><pin>, <link sensor model
serial_number>; Bullet's <plane normal>; and type="helical" with <axis pitch>.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.urdf.node import Node, local_name

# tag -> (attributes, child tags)
KNOWN: dict[str, tuple[str, str]] = {
    "robot": ("name version", "link joint material constraints disable_collisions"),
    "link": ("name sensor model serial_number", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "origin": ("xyz rpy quat_xyzw", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry material"),
    "geometry": ("name", "box sphere cylinder capsule mesh plane"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius height length", ""),
    "mesh": ("filename scale", ""),
    "plane": ("normal", ""),
    "material": ("name", "color texture contact"),
    "color": ("rgba", ""),
    "texture": ("filename", ""),
    "contact": ("name", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic safety_controller calibration"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz pitch", ""),
    "limit": ("lower upper effort velocity", ""),
    "dynamics": ("damping friction rotor_inertia stiffness spring_mount", ""),
    "mimic": ("joint multiplier offset", ""),
    "safety_controller": ("soft_lower_limit soft_upper_limit k_position k_velocity", ""),
    "calibration": ("reference_position rising falling", ""),
    "constraints": ("nominal_config", "pin"),
    "disable_collisions": ("link1 link2 reason", ""),
    "pin": ("body1 body2 anchor", ""),
}
# of the files that <link sensor> names
SENSOR_SET = {
    tag: KNOWN[tag]
    for tag in (
        *("inertial", "mass", "inertia", "origin", "visual", "collision", "geometry", "box", "sphere", "cylinder"),
        *("capsule", "mesh", "plane", "material", "color", "texture", "contact"),
    )
} | {
    "sensor_set": ("name", "origin link"),
    "link": ("", "inertial visual collision sensor"),
    "sensor": ("name type update_rate", "origin camera data limit model yaw pitch spin range noise"),
    "camera": ("horizontal_fov", "image clip noise"),
    "image": ("width height", ""),
    "clip": ("near far", ""),
    "noise": ("type mean stddev", ""),
    "data": ("type", ""),
    "limit": ("acc_limit ang_vel_limit", ""),
    "model": ("name", ""),
    "yaw": ("samples", ""),
    "pitch": ("samples min_angle max_angle", ""),
    "spin": ("direction rate", ""),
    "range": ("min max", ""),
}

Words = dict[str, tuple[frozenset[str], frozenset[str]]]


def _split(known: dict[str, tuple[str, str]]) -> Words:
    return {tag: (frozenset(words[0].split()), frozenset(words[1].split())) for tag, words in known.items()}


ROBOT_WORDS, SENSOR_WORDS = _split(KNOWN), _split(SENSOR_SET)

# For other programs; dropping them changes no kinematics or dynamics.
HARMLESS = {
    "robot": frozenset({"transmission", "gazebo", "ros2_control", "sensor", "group"}),
    "link": frozenset({"gazebo", "self_filter", "collision_checking"}),
    "joint": frozenset({"hardwareInterface", "gazebo"}),
    "collision": frozenset({"verbose"}),
}
MOST_UNKNOWN = 1000  # tags of one element that are reported one by one
NOTHING: frozenset[str] = frozenset()
ELSEWHERE = {  # what has its place elsewhere here
    (
        "link",
        "contact",
    ): "is Bullet's; here friction and bounce belong to pairs of materials, set_material_pair; ignored",
    ("joint", "joint_properties"): "is of old files; damping and friction stand in <dynamics>; ignored",
}
MOST = {"link": 10_000, "joint": 10_000, "pin": 10_000, "material": 20_000, "collision": 20_000, "visual": 20_000}


def check_counts(root: Node) -> None:
    """UrdfError if there is more of something than robots have: each costs some microseconds to read."""
    if next(islice(root.element.iter(), min(MOST.values()), None), None) is None:
        return
    for tag, most in MOST.items():
        for k, element in enumerate(root.descendants(tag)):
            if k >= most:
                raise element.error(f"a robot of more than {most} <{tag}>")


def check_words(root: Node, diagnostics: Diagnostics, words: Words = ROBOT_WORDS) -> None:
    """Report every element, attribute and text that the reader does not know.  Iterative."""
    pending = [(root.element, root.tag)]
    while pending:
        element, tag = pending.pop()
        known, children = words[tag]
        if not known.issuperset(element.keys()):
            _check_attributes(element, tag, known, root.file, diagnostics)
        text = element.text
        stray = [text] if text and text.strip() else []
        others: dict[str, tuple[Any, int]] = {}
        for child in element:
            name = child.tag
            if name not in children:
                name = local_name(child)
            if name in children:
                pending.append((child, name))
            else:
                first, count = others.get(name, (child, 0))
                others[name] = first, count + 1
            tail = child.tail
            if tail and tail.strip():
                stray.append(tail)
        if stray:
            said = shown(" ".join(part.strip() for part in stray))
            where = f"{root.file}:{element.sourceline}"
            diagnostics.warn(where, f"text {said} inside <{tag}>; ignored", f"text {tag}")
        if others:
            _report_elements(tag, others, children, root.file, diagnostics)


def _check_attributes(element: Any, tag: str, known: frozenset[str], file: str, diagnostics: Diagnostics) -> None:
    for attribute in element.keys():  # noqa: SIM118 (an element is no dict)
        if attribute not in known and not attribute.startswith("{"):
            near = diagnostics.did_you_mean(attribute, known, 1)
            text = f"unknown attribute {shown(attribute)} of <{tag}>{near}; ignored"
            diagnostics.warn(f"{file}:{element.sourceline}", text, f"attribute {tag}/{attribute}")


def _report_elements(
    tag: str, others: dict[str, tuple[Any, int]], known: frozenset[str], file: str, diagnostics: Diagnostics
) -> None:
    for k, (name, (first, count)) in enumerate(others.items()):
        where = f"{file}:{first.sourceline}"
        if k >= MOST_UNKNOWN:
            diagnostics.warn(where, f"<{tag}> holds {len(others)} unknown tags; ignored", "unknown tags")
            break
        diagnostics.warn(where, _complaint(tag, name, known, diagnostics), f"tag {tag}/{name}", count)


def _complaint(parent: str, tag: str, known: frozenset[str], diagnostics: Diagnostics) -> str:
    """What to say of an element that the reader does not know."""
    if tag.startswith("xacro:"):
        return f"<{tag}> was not expanded; read the file with load_xacro"
    if tag in HARMLESS.get(parent, NOTHING):
        return f"<{tag}> in <{parent}> is for other programs; ignored"
    if (parent, tag) in ELSEWHERE:
        return f"<{tag}> in <{parent}> {ELSEWHERE[parent, tag]}"
    near = diagnostics.did_you_mean(tag, known, 1)
    return f"unknown tag <{shown(tag)[1:-1]}> in <{parent}>{near}; ignored"
