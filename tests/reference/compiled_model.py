"""A Model's numbers from Transform and SpatialInertia alone: the slow twin of rbdyn/model/tree.pyx, and its oracle."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.frames import WORLD
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import Array, rotation_to_z
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


def compiled(mechanism: Mechanism) -> Tree:
    """Number the moving bodies of a mechanism and place everything else on them."""
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


def _depth(moving: list[Any], i: int) -> int:
    """How many bodies are between body i and the world."""
    return 1 + _depth(moving, moving[i - 1].parent) if i else 0


def numbers_of(mechanism: Mechanism) -> dict[str, Any]:
    """What `rbdyn.model.insides.numbers_of` says of a Model of the mechanism."""
    tree = compiled(mechanism)
    moving = tree.links[1:]
    kinds = [link.joint.joint_type for link in moving]
    qi = np.cumsum([0, 0, *(kind.num_positions for kind in kinds)])[: len(tree.links)]
    vi = np.cumsum([0, 0, *(kind.num_velocities for kind in kinds)])[: len(tree.links)]
    nvi = [0, *(kind.num_velocities for kind in kinds)]
    I_b = np.array([_inertia(link.inertia) for link in tree.links])
    mass = trace = 0.0
    for row in I_b[1:]:
        mass += row[0]
        trace += row[4] + row[7] + row[9]
    parent_dof = []
    for i, link in enumerate(moving, 1):
        above = vi[link.parent] + nvi[link.parent] - 1 if link.parent else -1
        parent_dof += [above, *range(vi[i], vi[i] + nvi[i] - 1)]
    blocks = [(q + k.normalised.start, k.normalised.stop - k.normalised.start)
              for q, k in zip(qi[1:], kinds, strict=True) if k.normalised is not None]  # fmt: skip
    frames: dict[Any, Any] = {}
    for keys, body, pose in tree.frames:
        for key in keys:
            row = (*pose.rotation.ravel(), *pose.translation)
            frames.setdefault(key, (body, _turn(pose.rotation), bool(pose.translation.any()), row))
    loops = _loop_rows(tree)
    freedoms = [loop.joint.num_velocities for loop in tree.loops]
    nr = sum(n for n, loop in zip(freedoms, tree.loops, strict=True) if loop.joint.rotor_inertia > 0.0)
    return {
        "X_tree": np.array([np.zeros(12), *(_xform(link.tree_pose) for link in moving)]),
        "I_b": I_b,
        "rotor": np.array([[link.joint.rotor_inertia] for link in moving for _ in range(link.joint.num_velocities)]),
        "parameter": np.array([[0.0], *([kind.kernel_parameter] for kind in kinds)]),
        "parent": [0, *(link.parent for link in moving)],
        "order": sorted(range(len(moving) + 1), key=lambda i: _depth(moving, i)),
        "kind": [0, *(kind.kernel_kind for kind in kinds)],
        "representation": [0, *(kind.representation for kind in kinds)],
        "qi": qi.tolist(),
        "vi": vi.tolist(),
        "nvi": nvi,
        "parent_dof": parent_dof,
        "blocks": blocks,
        "sizes": (len(tree.links), tree.nq, tree.nv, sum(6 - n for n in freedoms), nr, len(loops)),
        "mass": mass,
        "trace": trace,
        "gravity": tuple(mechanism.gravity),
        "loops": loops,
        "frames": frames,
    }


def _loop_rows(tree: Tree) -> list[tuple[Any, ...]]:
    rows, row, rotor_row = [], 0, 0
    for loop in tree.loops:
        kind, rotor = loop.joint.joint_type, loop.joint.rotor_inertia
        rows.append((kind.kernel_kind, kind.kernel_parameter, loop.predecessor, loop.successor, row,
                     6 - kind.num_velocities, rotor_row, rotor, *loop.before.rotation.ravel(), *loop.before.translation,
                     *loop.after.rotation.ravel(), *loop.after.translation))  # fmt: skip
        row += 6 - kind.num_velocities
        rotor_row += kind.num_velocities if rotor > 0.0 else 0
    return rows


def _turn(R: Array) -> int:
    """Turn of model/model.pxd."""
    for turn, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0))):
        if np.array_equal(R, rotation_to_z(axis)):
            return turn
    return 3


def _xform(pose: Transform) -> Array:
    return np.concatenate([pose.rotation.T.ravel(), pose.translation])


def _inertia(inertia: SpatialInertia) -> Array:
    """m, m c, and I_o = J - m cx cx, term by term as numbers.pyx and the spatial algebra have it."""
    m, (x, y, z) = inertia.mass, inertia.com
    hx, hy, hz = (0.5 * (m * a) for a in (x, y, z))
    J = inertia.inertia
    shift = _shift(x, y, z, hx, hy, hz)
    upper = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])
    return np.array([m, m * x, m * y, m * z, *(a + b for a, b in zip(upper, shift, strict=True))])


def _shift(x: float, y: float, z: float, hx: float, hy: float, hz: float) -> tuple[float, ...]:
    """2 (r.h) 1 - r h^T - h r^T."""
    d = x * hx + y * hy + z * hz
    return (
        2.0 * (d - x * hx),
        -(x * hy + y * hx),
        -(x * hz + z * hx),
        2.0 * (d - y * hy),
        -(y * hz + z * hy),
        2.0 * (d - z * hz),
    )
