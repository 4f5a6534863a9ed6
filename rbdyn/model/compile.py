"""From the graph to numbers: which body moves with which, and where every frame sits.

Bodies on fixed joints are merged into the body that carries them.  Each moving body gets an internal frame: the
after-frame of its joint, turned so that a one-dof joint's axis is z; the kernels then read columns off instead of
multiplying by an axis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from rbdyn.errors import Error, MechanismError, UnknownNameError, unknown_name
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.editing import editing
from rbdyn.mechanism.frames import WORLD
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform


@dataclass
class Link:
    """A moving body, or the root, as the kernels see it."""

    body: RigidBody
    joint: Joint | None
    parent: int
    tree_pose: Transform  # before-frame, canonical axes, in the parent's internal frame
    inertia: SpatialInertia  # in the internal frame, merged bodies included
    parts: list[tuple[RigidBody, Transform]]  # the bodies that it is made of, and their poses in the internal frame


@dataclass
class Loop:
    """A joint outside the tree, as the kernels see it."""

    joint: Joint
    predecessor: int
    successor: int
    before: Transform  # before-frame, canonical axes, in the predecessor's internal frame
    after: Transform  # after-frame, canonical axes, in the successor's internal frame


class Frame(NamedTuple):
    """A frame that can be asked for."""

    keys: tuple[object, ...]  # what it can be asked for by
    body: int  # that carries it
    pose: Transform  # in that body's internal frame


@dataclass
class Tree:
    """What a Model is filled from."""

    links: list[Link]
    loops: list[Loop]
    frames: list[Frame]
    arrays: dict[str, Array]
    base_joint: Joint
    nq: int = field(init=False)
    nv: int = field(init=False)

    def __post_init__(self) -> None:
        self.nq = sum(link.joint.num_positions for link in self.links if link.joint)
        self.nv = sum(link.joint.num_velocities for link in self.links if link.joint)


def compile_tree(mechanism: Mechanism) -> Tree:
    """Number the moving bodies of a mechanism and place everything else on them; no edit may be under way."""
    with editing(mechanism):
        return _compiled(mechanism)


def _check_type(joint: Joint) -> None:
    """A joint type has its own numbers and nothing else: what kernels rely on stands in its class."""
    kind = joint.joint_type
    if more := sorted(set(vars(kind)) - {f.name for f in fields(kind)}):
        raise MechanismError(
            f"joint {joint.name!r}: its {type(kind).__name__} was given {', '.join(more)} from outside; sizes and the "
            "like belong to the class: make the joint type anew"
        )


def _compiled(mechanism: Mechanism) -> Tree:
    for joint in mechanism.joints:
        _check_type(joint)
    root = mechanism.root_body
    links = [Link(root, None, 0, Transform(), root.inertia, [(root, Transform())])]
    where: dict[RigidBody, tuple[int, Transform]] = {root: (0, Transform())}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        index, pose = where[edge.predecessor]
        before = pose @ edge.joint_pose
        if joint.joint_type.is_fixed:
            here = before @ edge.successor_pose
            where[edge.successor] = (index, here)
            links[index].inertia = links[index].inertia + edge.successor.inertia.transformed(here)
            links[index].parts.append((edge.successor, here))
            continue
        canonical = Transform(rotation=joint.joint_type.canonical_rotation())
        here = canonical @ edge.successor_pose
        where[edge.successor] = (len(links), here)
        inertia, parts = edge.successor.inertia.transformed(here), [(edge.successor, here)]
        links.append(Link(edge.successor, joint, index, before @ canonical.inverse(), inertia, parts))
    loops, frames = _loops(mechanism, where), _frames(mechanism, where)
    return Tree(links, loops, frames, _arrays(links), mechanism.base_joint)


def _loops(mechanism: Mechanism, where: dict[RigidBody, tuple[int, Transform]]) -> list[Loop]:
    """The joints that the tree left over, between the bodies that carry their ends."""
    loops = []
    for joint in mechanism.non_tree_joints:
        edge = mechanism.edge(joint)
        predecessor, before = where[edge.predecessor]
        successor, after = where[edge.successor]
        to_joint = Transform(rotation=joint.joint_type.canonical_rotation()).inverse()
        before, after = before @ edge.joint_pose @ to_joint, after @ edge.successor_pose.inverse() @ to_joint
        loops.append(Loop(joint, predecessor, successor, before, after))
    return loops


def _frames(mechanism: Mechanism, where: dict[RigidBody, tuple[int, Transform]]) -> list[Frame]:
    """Every frame that can be asked for: bodies before named frames before joints.

    Left out are names that say nothing, since frames of several bodies have them.  "world" is the inertial frame, which
    the root stands in, whatever else has that name.
    """
    hosts = Counter(name for body in where for name in body.frames)
    doubtful = {WORLD, *(name for name in hosts if hosts[name] > 1)}
    bodies: list[Frame] = []
    others: list[Frame] = []
    joints: list[Frame] = []
    for body, (index, pose) in where.items():
        bodies.append(Frame((body, *([] if body.name == WORLD else [body.name]), body.frame), index, pose))
        for name, (frame, local) in body.frames.items():
            others.append(Frame((name, frame), index, pose @ local))
    for joint in mechanism.joints:
        edge = mechanism.edge(joint)
        index, pose = where[edge.predecessor]
        joints.append(Frame((joint.frame_before.name, joint.frame_before), index, pose @ edge.joint_pose))
        index, pose = where[edge.successor]
        keys = (joint.name, joint.frame_after.name, joint.frame_after)
        joints.append(Frame(keys, index, pose @ edge.successor_pose.inverse()))
    joints.append(Frame((mechanism.base_joint.name,), 0, Transform()))  # if it stands in no list
    bodies.append(Frame((WORLD,), 0, Transform()))
    return bodies + [f._replace(keys=tuple(key for key in f.keys if key not in doubtful)) for f in others + joints]


def layouts(links: list[Link]) -> tuple[str, str]:
    """What the numbers of q and of v are, in words."""
    joints = [link.joint.joint_type for link in links if link.joint is not None]
    on_root = [link for link in links[1:] if link.parent == 0]
    floating = len(on_root) == 1 and joints[0].is_floating
    base, others = (joints[:1], joints[1:]) if floating else ([], joints)
    plural = "" if len(others) == 1 else "s"
    words = []
    for size in ("num_positions", "num_velocities"):
        first = "".join(f"{getattr(kind, size)} of the floating base" for kind in base)
        count = sum(getattr(kind, size) for kind in others)
        then = f"{count} of {len(others)} joint{plural}" if others else "" if base else "no joints"
        words.append(", then ".join(filter(None, (first, then))))
    return words[0], words[1]


def not_found(mechanism: Mechanism, asked: object, known: Iterable[str]) -> Error:
    """The error for a body or frame that a Model does not have: which one it is, and what to do about it."""
    owner = f"mechanism {mechanism.name!r}"
    hosts = [body.name for body in mechanism.bodies if isinstance(asked, str) and asked in body.frames]
    if len(hosts) > 1:
        on = ", ".join(map(repr, hosts))
        return MechanismError(f"{owner} has {len(hosts)} frames named {asked!r}, on bodies {on}: give the frame itself")
    if hosts or (isinstance(asked, CartesianFrame) and asked in mechanism.frames):
        name = getattr(asked, "name", asked)
        return UnknownNameError(f"frame {name!r} was added to {owner} after this Model was made; make a new Model")
    if isinstance(asked, (RigidBody, CartesianFrame)):
        twin = asked.name in {f.name for f in mechanism.frames}
        hint = f"; {owner} has its own of that name, so ask for {asked.name!r}" if twin else ""
        return UnknownNameError(f"{asked!r} is not in {owner}: it comes from elsewhere{hint}")
    return unknown_name("body or frame", asked, known, owner)


def without_coordinates(mechanism: Mechanism, name: object) -> Error:
    """The error for a joint that has no place in q and v, or is none of the mechanism's."""
    owner = f"mechanism {mechanism.name!r}"
    try:
        joint = mechanism.find_joint(name) if isinstance(name, str) else None
    except UnknownNameError:
        joint = None
    if joint is None:
        return unknown_name("joint", name, (j.name for j in mechanism.tree_joints if j.num_velocities), owner)
    why = "it is fixed" if joint.joint_type.is_fixed else "it closes a loop"
    return Error(f"joint {joint.name!r} of {owner} has no coordinates: {why}")


def _arrays(links: list[Link]) -> dict[str, Array]:
    """Per-joint parameters in the order of q or v, read-only."""
    per_v = ("rotor_inertia", "damping", "friction", "stiffness", "effort_limit", "velocity_limit")
    columns: dict[str, list[float]] = {name: [] for name in (*per_v, "lower", "upper", "spring_reference")}
    for link in links[1:]:
        joint = link.joint
        assert joint is not None
        for name in per_v:
            value = getattr(joint, name)
            columns[name] += [np.inf if value is None else value] * joint.num_velocities
        lower, upper = (joint.num_positions == 1 and joint.position_limits) or (-np.inf, np.inf)
        columns["lower"] += [lower] * joint.num_positions
        columns["upper"] += [upper] * joint.num_positions
        columns["spring_reference"] += joint.spring_reference.tolist()
    arrays = {name: np.array(values, dtype=np.float64) for name, values in columns.items()}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays
