"""<wire>, <joint>, <coupling> and <ignore_collision>: what is between objects."""

from __future__ import annotations

from typing import Any

from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.xml_text import element
from rbdyn.io.numbers import shown
from rbdyn.io.worlds.item import Item
from rbdyn.io.worlds.mechanisms import read_joint, write_joint_words
from rbdyn.io.worlds.shapes import pose_words, read_pose
from rbdyn.world import ArticulatedSystem, World

TAGS = ("wire", "joint", "weld", "coupling", "ignore_collision")
TYPES = ("stiff", "compliant", "spring", "custom")
STRETCH = {  # RaiSim's words, besides this project's
    "STRETCH_RESISTANT_ONLY": "stretch_resistant",
    "COMPRESSION_RESISTANT_ONLY": "compression_resistant",
    "BOTH": "both",
}
DRIVE = ("p", "d", "target", "velocity", "force")
ZERO = (0.0, 0.0, 0.0)


# ---- reading -------------------------------------------------------------------------------------


def read_constraint(item: Item, world: World, diagnostics: Diagnostics) -> None:
    """Add it to the World."""
    readers = {"wire": _read_wire, "joint": _read_joint, "weld": _read_joint, "coupling": _read_coupling,
               "ignore_collision": _read_ignored}  # fmt: skip
    try:
        readers[item.tag](item, world, diagnostics)
    except Error as error:
        raise error if ": <" in str(error) else item.error(error) from None


def _read_end(item: Item, world: World, diagnostics: Diagnostics) -> tuple[Any, tuple[float, ...]]:
    """An end and the point on it: <object1 name body pos>, with RaiSim's local_index or a robot's frame by name."""
    name = item.get("name")
    called = "world" in [obj.name for obj in world.objects]
    if name in (None, "") or (name == "world" and not called):
        point = item.vector("pos", 3, ZERO)
        item.check(diagnostics)
        return None, point
    obj: Any = world.find(name)
    body, frame, index = item.get("body"), item.get("frame"), item.get("local_index")
    point = item.vector("pos", 3, ZERO)
    item.check(diagnostics)
    given = [word for word in ("body", "frame", "local_index") if item.get(word) is not None]
    if not isinstance(obj, ArticulatedSystem):
        if given and given != ["local_index"]:  # RaiSim's files give single bodies the index 0
            raise item.error(f"{' and '.join(given)}: {name!r} is a single body, which has none")
        if index is not None and item.whole("local_index") != 0:
            raise item.error(f"local_index={index}: {name!r} is a single body, which has body 0 alone")
        return obj, point
    if len(given) > 1:
        raise item.error(f"give one of {', '.join(given)}")
    if frame is not None:
        place = obj.frame(frame)
        owner = obj.mechanism.frame_to_body(frame)
        return (obj, owner.name), tuple(obj.mechanism.frame_definition(place.name) @ point)
    if body is None:
        names = obj.body_names
        k = item.whole("local_index", 0) if index is not None else 0
        if not 0 <= k < len(names):
            raise item.error(f"local_index={k}: robot {name!r} has bodies 0 to {len(names) - 1}")
        body = names[k]
    return (obj, body), point


def _read_wire(item: Item, world: World, diagnostics: Diagnostics) -> None:
    kind = item.text("type", "stiff").lower()
    if kind not in TYPES:
        raise item.error(f"type={shown(kind)}; choices: {', '.join(TYPES)}")
    if kind == "custom":
        raise item.error("type='custom': the law of such a wire is a function, which no file holds; add it in Python")
    numbered = ("object1", "object2", "object3")
    tags = [child.tag for child in item.children("point", *numbered)]
    if len(set(tags)) < len(tags) and set(tags) != {"point"}:
        named = ", ".join(f"<{tag}>" for tag in tags)
        raise item.error(f"its ends are {named}: give <object1> and <object2>, or <point>s")
    if "point" in tags and set(tags) != {"point"}:
        raise item.error("give <object1> and <object2>, or <point>s, not both")
    ends = [_read_end(child, world, diagnostics) for child in item.children("point", *numbered)]
    if len(ends) < 2:
        raise item.error("a wire needs <object1> and <object2>, or two <point>s and more")
    length = None if item.get("length") is None else item.number("length")
    words: dict[str, Any] = {"name": item.get("name"), "point_a": ends[0][1], "point_b": ends[-1][1]}
    stretch = item.get("stretch_type")
    if stretch is not None and kind != "spring":
        words["stretch_type"] = STRETCH.get(stretch.upper(), stretch)
    if kind != "spring":
        words |= {"via": ends[1:-1], "ratios": item.numbers("ratios")}
    if kind != "stiff":
        words |= {"stiffness": item.number("stiffness"), "damping": item.number("damping", 0.0)}
    elif item.get("restitution") is not None:
        words["restitution"] = item.number("restitution")
    add = {"stiff": world.add_stiff_wire, "compliant": world.add_compliant_wire, "spring": world.add_spring}[kind]
    if kind == "spring":
        stiffness, damping = words.pop("stiffness"), words.pop("damping")
        wire = world.add_spring(ends[0][0], ends[-1][0], stiffness, damping, length, **words)
    else:
        wire = add(ends[0][0], ends[-1][0], length, **words)  # type: ignore[operator]
    if item.get("speed") is not None and item.number("speed"):
        wire.speed = item.number("speed")
    item.check(diagnostics, "point", *numbered)


def _read_joint(item: Item, world: World, diagnostics: Diagnostics) -> None:
    """<joint> or <weld> between <object1> and <object2>, each with the pose of its frame there."""
    held = []
    for tag in ("object1", "object2"):
        node = item.child(tag)
        if node is None:
            raise item.error(f"<{tag}> is missing")
        pose = read_pose(node)
        end, _ = _read_end(node, world, Diagnostics())
        held.append((end, pose))
    (a, before), (b, after) = held
    name = item.get("name")
    if item.tag == "weld":
        made = world.add_weld(a, b, before, pose_b=after, name=name)
    else:
        node = item.child("of")
        if node is None:
            raise item.error("<of name type ...> is missing: what kind of joint it is")
        joint, _, _ = read_joint(node, diagnostics)
        node.check(diagnostics, "mimic", "annotation")
        made = world.add_joint(a, b, joint, before, after, name=name)
    soft, damped = item.numbers("softness"), item.numbers("softness_damping")
    if soft is not None:
        made.set_softness(tuple(soft), tuple(damped or (0.0, 0.0)))  # type: ignore[arg-type]
    drive = item.child("drive")
    if drive is not None:
        values: dict[str, Any] = {word: drive.number(word) for word in DRIVE if drive.get(word) is not None}
        if drive.get("effort_limits") is not None:
            values["effort_limits"] = drive.numbers("effort_limits")
        made.set_drive(**values)
        drive.check(diagnostics)
    item.check(diagnostics, "object1", "object2", "of", "drive")


def _read_coupling(item: Item, world: World, diagnostics: Diagnostics) -> None:
    terms: dict[Any, float] = {}
    for node in item.children("term"):
        robot = world.find(node.text("robot"))
        terms[(robot, node.text("joint"))] = node.number("coefficient")
        node.check(diagnostics)
    offset = None if item.get("offset") is None else item.number("offset")
    made = world.add_coupling(terms, offset, name=item.get("name"))
    if item.get("softness") is not None:
        made.set_softness(*item.vector("softness", 2))
    item.check(diagnostics, "term")


def _read_ignored(item: Item, world: World, diagnostics: Diagnostics) -> None:
    ends = [_read_end(child, world, diagnostics)[0] for child in item.children("object1", "object2")]
    if len(ends) != 2:
        raise item.error("needed <object1> and <object2>")
    world.ignore_collision(*ends)
    item.check(diagnostics, "object1", "object2")


# ---- writing -------------------------------------------------------------------------------------


def write_constraints(root: Any, world: World, losses: Losses) -> None:
    """All wires, joints, welds and couplings."""
    for one in world.constraints:
        kind = type(one).__name__
        if kind == "Wire":
            _write_wire(root, one, losses)
        elif kind == "BodyJoint":
            _write_joint(root, one)
        else:
            _write_coupling(root, one)


def _end_words(end: Any, world: World) -> dict[str, Any]:
    if end is None:  # a robot may be called "world"
        return {"name": "" if "world" in [obj.name for obj in world.objects] else "world"}
    return {"name": end[0].name, "body": end[1]} if isinstance(end, tuple) else {"name": end.name}


def _write_wire(root: Any, wire: Any, losses: Losses) -> None:
    if wire.wire_type == "custom":
        losses.add("the law of a custom wire: left out", wire.name)
        return
    soft = wire.wire_type != "stiff"
    node = element(
        root,
        "wire",
        name=wire.name,
        type=wire.wire_type,
        length=float(wire.length),
        stiffness=float(wire.stiffness) if soft else None,
        damping=(float(wire.damping) or None) if soft else None,
        stretch_type=None if wire.wire_type == "spring" else wire.stretch_type,
        restitution=float(wire.restitution) or None,
        speed=float(wire.speed) or None if not soft else None,
        ratios=None if (wire.ratios == 1.0).all() else wire.ratios,
    )
    ends, mounts = wire.ends, wire.mounts
    for k, (end, point) in enumerate(zip(ends, mounts, strict=True)):
        tag = f"object{k + 1}" if len(ends) == 2 else "point"
        element(node, tag, **_end_words(end, wire.world), pos=point)


def _write_joint(root: Any, one: Any) -> None:
    soft, damped = one.softness, one.softness_damping
    node = element(root, "weld" if one.joint is None else "joint", name=one.name,
                   softness=soft if any(soft) else None, softness_damping=damped if any(damped) else None)  # fmt: skip
    for tag, end, pose in zip(("object1", "object2"), one.ends, one.poses, strict=True):
        element(node, tag, **_end_words(end, one.world), **pose_words(pose))
    if one.joint is not None:
        write_joint_words(node, "of", one.joint)
        if one.joint.num_velocities == 1:
            drive = one.drive
            words = {word: float(drive[word]) for word in DRIVE if word in drive}
            if any(words.values()) or "effort_limits" in drive:
                element(node, "drive", **words, effort_limits=drive.get("effort_limits"))


def _write_coupling(root: Any, one: Any) -> None:
    soft = one.softness
    node = element(root, "coupling", name=one.name, offset=float(one.offset), softness=soft if any(soft) else None)
    for (robot, joint), value in one.coefficients.items():
        element(node, "term", robot=robot.name, joint=joint, coefficient=float(value))


def write_ignored(root: Any, pairs: list[list[tuple[str, str | None]]]) -> None:
    """Pairs of objects, or of bodies of robots, that do not collide."""
    for pair in sorted(pairs, key=repr):
        node = element(root, "ignore_collision")
        for tag, (name, body) in zip(("object1", "object2"), pair, strict=True):
            element(node, tag, name=name, body=body)
