"""The words of SDF 1.4 to 1.12, and a check that nothing of a model goes by unnoticed.

Source: sdformat.org/spec; <contact> and `concave` are Bullet's.  What is not read is not looked into.
"""

from __future__ import annotations

from typing import Any

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.urdf.node import local_name

# tag -> (attributes, child tags) of what is read
READ: dict[str, tuple[str, str]] = {
    "sdf": ("version", "model world"),
    "model": ("name canonical_link placement_frame", "pose static self_collide link joint frame"),
    "frame": ("name attached_to", "pose"),
    "pose": ("relative_to frame rotation_format degrees", ""),
    "link": ("name", "pose self_collide inertial collision visual"),
    "inertial": ("auto", "pose mass inertia density"),
    "inertia": ("", "ixx ixy ixz iyy iyz izz"),
    "collision": ("name", "pose geometry density"),
    "visual": ("name", "pose geometry material"),
    "geometry": ("", "empty box sphere cylinder capsule cone ellipsoid plane mesh"),
    "box": ("", "size"),
    "sphere": ("", "radius"),
    "cylinder": ("", "radius length"),
    "capsule": ("", "radius length"),
    "cone": ("", "radius length"),
    "ellipsoid": ("", "radii"),
    "plane": ("", "normal"),
    "mesh": ("", "uri scale"),
    "material": ("", "diffuse"),
    "joint": ("name type", "pose parent child axis axis2 screw_thread_pitch thread_pitch"),
    "axis": ("", "xyz limit dynamics mimic use_parent_model_frame"),
    "axis2": ("", "xyz limit dynamics mimic use_parent_model_frame"),
    "xyz": ("expressed_in", ""),
    "limit": ("", "lower upper effort velocity"),
    "dynamics": ("", "damping friction spring_stiffness spring_reference"),
    "mimic": ("joint axis", "multiplier offset reference"),
}
# tag -> child tags that SDF knows and this reader does not read
NOT_READ: dict[str, str] = {
    "sdf": "actor light",
    "model": "allow_auto_disable enable_wind gripper plugin",
    "link": "gravity enable_wind kinematic must_be_base_link velocity_decay sensor light projector "
    "audio_sink audio_source battery particle_emitter frame contact",
    "inertial": "frame fluid_added_mass auto_inertia_params",
    "collision": "frame surface max_contacts laser_retro auto_inertia_params",
    "visual": "frame cast_shadows laser_retro transparency visibility_flags meta plugin",
    "geometry": "heightmap image polyline",
    "plane": "size",
    "mesh": "submesh convex_decomposition",
    "material": "script shader pbr ambient specular shininess emissive lighting double_sided render_order",
    "joint": "frame physics sensor gearbox_ratio gearbox_reference_body",
    "axis": "initial_position",
    "axis2": "initial_position",
    "limit": "stiffness dissipation",
}
NOT_READ_ATTRIBUTES = {"mesh": "optimization", "collision": "concave"}
# (tag, child tag) -> texts that say what holds anyway
AS_USUAL = {
    ("model", "allow_auto_disable"): ("true", "1"),
    ("model", "enable_wind"): ("false", "0"),
    ("link", "gravity"): ("true", "1"),
    ("link", "enable_wind"): ("false", "0"),
    ("link", "kinematic"): ("false", "0"),
    ("link", "must_be_base_link"): ("false", "0"),
}
# (tag, child tag) -> what to do instead
INSTEAD = {
    ("collision", "surface"): "friction and bounce belong to pairs of materials here, set_material_pair",
    ("link", "contact"): "it is Bullet's; friction and bounce belong to pairs of materials here, set_material_pair",
    ("link", "gravity"): "gravity acts on all links",
    ("axis", "initial_position"): "the robot is read in the pose of its links",
    ("limit", "stiffness"): "limit_softness of the joint is for that",
    ("limit", "dissipation"): "limit_softness of the joint is for that",
    ("plane", "size"): "planes are infinite",
    ("mesh", "submesh"): "the whole mesh is taken",
}
MOST_UNKNOWN = 1000  # tags of one element that are reported one by one

Words = dict[str, frozenset[str]]


def _split(words: dict[str, str]) -> Words:
    return {tag: frozenset(some.split()) for tag, some in words.items()}


ATTRIBUTES = _split({tag: words[0] for tag, words in READ.items()})
CHILDREN = _split({tag: words[1] for tag, words in READ.items()})
UNREAD = _split(NOT_READ)
UNREAD_ATTRIBUTES = _split(NOT_READ_ATTRIBUTES)
NOTHING: frozenset[str] = frozenset()


def check_words(root: SdfNode, model: SdfNode, diagnostics: Diagnostics) -> None:
    """Report every element, attribute and text that is not read, of <sdf> and of one model in it.  Iterative."""
    checker = _Checker(root.file, diagnostics)
    checker.look_at(root.element, "sdf")
    pending = [(model.element, "model")]
    while pending:
        element, tag = pending.pop()
        pending += reversed(checker.look_at(element, tag))  # in the order of the file


def _of_name_space(element: Any) -> str:
    """The tag with its prefix, or as it is if it has none: it is no word of SDF."""
    name = local_name(element)
    return name if ":" in name else str(element.tag)


class _Checker:
    """Looks at one element after the other."""

    def __init__(self, file: str, diagnostics: Diagnostics) -> None:
        self._file, self._diagnostics = file, diagnostics

    def look_at(self, element: Any, tag: str) -> list[tuple[Any, str]]:
        """Report what is not read of an element; the elements inside that are."""
        attributes, children = ATTRIBUTES.get(tag, NOTHING), CHILDREN.get(tag, NOTHING)
        if not attributes.issuperset(element.keys()):
            self._report_attributes(element, tag, attributes)
        inside: list[tuple[Any, str]] = []
        others: dict[str, tuple[Any, int]] = {}
        stray = [element.text] if children and element.text and element.text.strip() else []
        for child in element:
            name = child.tag if str(child.tag)[0] != "{" else _of_name_space(child)
            if name in children:
                if name in CHILDREN or len(child) or child.keys():  # a mere number has nothing to report
                    inside.append((child, name))
            elif (child.text or "").strip().lower() not in AS_USUAL.get((tag, name), ()):
                first, count = others.get(name, (child, 0))
                others[name] = first, count + 1
            if child.tail and child.tail.strip():
                stray.append(child.tail)
        if stray:
            said = shown(" ".join(part.strip() for part in stray))
            self._warn(element, f"text {said} inside <{tag}> is not read; left out", f"text {tag}")
        if others:
            self._report_elements(tag, others, children)
        return inside

    def _warn(self, element: Any, text: str, kind: str, count: int = 1) -> None:
        self._diagnostics.warn(f"{self._file}:{element.sourceline}", text, kind, count)

    def _report_attributes(self, element: Any, tag: str, known: frozenset[str]) -> None:
        for attribute in element.keys():  # noqa: SIM118 (an element is no dict)
            if attribute in known:
                continue
            if attribute.startswith("{") or attribute in UNREAD_ATTRIBUTES.get(tag, NOTHING):
                text = f"attribute {shown(attribute)} of <{tag}> is not read; left out"
            else:
                near = self._diagnostics.did_you_mean(attribute, known, 1)
                text = f"unknown attribute {shown(attribute)} of <{tag}>{near}; left out"
            self._warn(element, text, f"attribute {tag}/{attribute}")

    def _report_elements(self, tag: str, others: dict[str, tuple[Any, int]], known: frozenset[str]) -> None:
        for k, (name, (first, count)) in enumerate(others.items()):
            if k >= MOST_UNKNOWN:
                self._warn(first, f"<{tag}> holds {len(others)} tags that are not read; left out", "unknown tags")
                return
            self._warn(first, self._complaint(tag, name, known), f"tag {tag}/{name}", count)

    def _complaint(self, tag: str, name: str, known: frozenset[str]) -> str:
        """What to say of an element that is not read."""
        if name in UNREAD.get(tag, NOTHING):
            instead = INSTEAD.get((tag, name))
            return f"<{name}> in <{tag}> is not read; left out" + (f": {instead}" if instead else "")
        if ":" in name and name[0] != "{":
            return f"<{shown(name)[1:-1]}> in <{tag}> is for other programs; left out"
        near = self._diagnostics.did_you_mean(name, known | UNREAD.get(tag, NOTHING), 1)
        return f"unknown tag <{shown(name)[1:-1]}> in <{tag}>{near}; left out"
