"""Links that stand in one another before anything has moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rbdyn.cli.check.bodies import box_of
from rbdyn.collision import distance
from rbdyn.collision.shapes import Mesh, Shape
from rbdyn.errors import CollisionError, MeshError
from rbdyn.io.poses import poses_at
from rbdyn.mechanism import Geometry, Mechanism
from rbdyn.mechanism.neighbours import carriers, never_meet
from rbdyn.mechanism.surgery.filtering import silent_pairs
from rbdyn.model import Model
from rbdyn.spatial.transform import Transform

DEPTH = 1e-3  # m: less is a matter of rounding
MOST_SHAPES, MOST_PAIRS = 1000, 20_000


@dataclass(frozen=True)
class Placed:
    """A shape in the world."""

    link: str
    group: str  # the link that carries it: those on fixed joints move as one
    shape: Shape
    pose: np.ndarray
    low: np.ndarray
    high: np.ndarray
    filter: tuple[int, int]  # group and mask

    def meets(self, other: Placed) -> bool:
        """Whether the two may collide at all."""
        return bool(self.filter[0] & other.filter[1]) and bool(other.filter[0] & self.filter[1])


def overlaps(mechanism: Mechanism) -> Iterator[str]:
    """Pairs of links that overlap at the neutral pose and are not joined; meshes as their convex hulls."""
    q, pose_name = _configuration(mechanism)
    shapes = _placed(mechanism, poses_at(mechanism, q))
    if len(shapes) > MOST_SHAPES:
        yield f"overlaps of links were not looked for: {len(shapes)} shapes, at most {MOST_SHAPES}"
        return
    joined = _joined(mechanism)
    deepest: dict[tuple[str, str], float] = {}
    for count, (a, b) in enumerate(_close(shapes, joined)):
        if count >= MOST_PAIRS:
            yield f"overlaps of links were looked for in {MOST_PAIRS} pairs of shapes only"
            break
        try:
            depth = -float(distance(a.shape, a.pose, b.shape, b.pose).distance)
        except CollisionError:
            continue
        if depth > DEPTH:
            pair = (a.link, b.link)
            deepest[pair] = max(depth, deepest.get(pair, 0.0))
    for (a_name, b_name), depth in sorted(deepest.items(), key=lambda item: -item[1]):
        yield f"links {a_name!r} and {b_name!r} overlap by {1000 * depth:.3g} mm at the {pose_name}"


def _configuration(mechanism: Mechanism) -> tuple[Sequence[float], str]:
    """The nominal configuration, or the neutral one within the limits."""
    if mechanism.nominal_configuration is not None:
        return mechanism.nominal_configuration, "nominal configuration"
    model = Model(mechanism)
    q = model.neutral()
    for joint in mechanism.tree_joints:
        kind = joint.joint_type
        if joint.position_limits is not None and kind.has_limits:
            part = slice(k := model.joint_q_index(joint.name), k + joint.num_positions)
            lower, upper = np.transpose(joint.limits_of_each)
            q[part] = kind.from_coordinates(np.clip(kind.coordinates(q[part], joint.limits_of_each), lower, upper))
    return q.tolist(), "neutral pose"


def _placed(mechanism: Mechanism, poses: dict[str, Transform]) -> list[Placed]:
    carrier = carriers(mechanism)
    hulls: dict[int, Shape] = {}
    found = []
    for body in mechanism.bodies:
        for item in body.collision:
            shape = hulls.setdefault(id(item.shape), _hull(item.shape)) if isinstance(item.shape, Mesh) else item.shape
            pose = poses[body.name] @ item.pose
            box = box_of([Geometry(shape, pose)])
            if box is not None:
                found.append(Placed(body.name, carrier[body].name, shape, pose.matrix, *box, (item.group, item.mask)))
    return found


def _hull(mesh: Mesh) -> Shape:
    try:
        return mesh.convex_hull()
    except (MeshError, CollisionError):
        return mesh


def _joined(mechanism: Mechanism) -> set[frozenset[str]]:
    """Links that are neighbours, or that the robot keeps from colliding."""
    return {frozenset(body.name for body in pair) for pair in never_meet(mechanism) | silent_pairs(mechanism)}


def _close(shapes: list[Placed], joined: set[frozenset[str]]) -> Iterator[tuple[Placed, Placed]]:
    """Pairs of shapes whose boxes overlap, of those that may collide."""
    if not shapes:
        return
    low, high = np.array([s.low for s in shapes]), np.array([s.high for s in shapes])
    for i, one in enumerate(shapes):
        near = ((low[i + 1 :] <= high[i]) & (high[i + 1 :] >= low[i])).all(axis=1)
        for j in np.flatnonzero(near) + i + 1:
            other = shapes[j]
            apart = one.group == other.group or frozenset((one.link, other.link)) in joined
            if not apart and one.meets(other):
                yield one, other
