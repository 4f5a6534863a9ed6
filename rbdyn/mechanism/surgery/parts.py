"""Mechanisms made of copies: a part of another one, or all of it in maximal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from numpy.typing import ArrayLike

from rbdyn.arguments import shown
from rbdyn.errors import Error, MechanismError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import TYPES, JointType
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.copying import copies
from rbdyn.mechanism.surgery.filtering import hand_on
from rbdyn.mechanism.surgery.growing import attach, free_name
from rbdyn.mechanism.surgery.maps import Maps
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

M = TypeVar("M", bound=Graph)


def submechanism(
    mechanism: Graph, body: RigidBody | str, gravity: str | ArrayLike, make: Callable[[RigidBody, ArrayLike], M]
) -> tuple[M, Maps]:
    """See `Mechanism.submechanism`."""
    body = mechanism._body(body)
    vector = _turned(mechanism.gravity, gravity)
    before = Before.of(mechanism)
    below = mechanism._below(body)
    inside = set(below)
    joints = [j for j, e in mechanism._ordered_edges() if e.predecessor in inside and e.successor in inside]
    maps = copies(below, joints)
    part = make(maps.bodies[body], vector)
    _attach_all(part, mechanism, joints, maps)
    hand_on(mechanism, part, maps)
    part._merged_names = {n: maps.bodies[host] for n, host in mechanism._merged_names.items() if host in inside}
    return part, maps._of(part, before.taken_over_by({maps.joints[j]: j for j in before.tree if j in maps.joints}))


def maximal_coordinates(
    mechanism: Graph, floating_type: JointType, make: Callable[[RigidBody, ArrayLike], M]
) -> tuple[M, Maps]:
    """See `Mechanism.maximal_coordinates`."""
    if type(floating_type) not in TYPES or not floating_type.is_floating:
        choices = " or ".join(f"{t.__name__}()" for t in TYPES if t.num_velocities == 6)
        raise MechanismError(f"floating_type must be {choices}, got {shown(floating_type)}")
    before = Before.of(mechanism)
    maps = copies(mechanism.bodies, mechanism.joints)
    flat = make(maps.bodies[mechanism.root_body], mechanism.gravity)
    taken = set(mechanism._joint_names)
    for body in mechanism._bodies[1:]:
        name = free_name(body.name, taken)
        taken.add(name)
        attach(flat, flat.root_body, maps.bodies[body], Joint(name, floating_type))
    _attach_all(flat, mechanism, mechanism.joints, maps)
    hand_on(mechanism, flat, maps)
    flat._merged_names = {name: maps.bodies[host] for name, host in mechanism._merged_names.items()}
    bodies = {new: old for old, new in maps.bodies.items()}
    return flat, maps._of(flat, before.taken_over_by({}, bodies))


def _attach_all(part: Graph, mechanism: Graph, joints: Sequence[Joint], maps: Maps) -> None:
    """Attach the copies of `joints` between the copies of their bodies."""
    for joint in joints:
        edge = mechanism._edges[joint]
        ends = maps.bodies[edge.predecessor], maps.bodies[edge.successor]
        attach(part, *ends, maps.joints[joint], edge.joint_pose, edge.successor_pose)


def _turned(vector: Array, gravity: str | ArrayLike) -> Array:
    """`vector` itself for "copy", turned by `gravity` for a rotation."""
    if isinstance(gravity, str) and gravity == "copy":
        return vector
    if gravity is None or isinstance(gravity, str):
        raise MechanismError(f'gravity must be "copy" or a (3, 3) rotation, got {shown(gravity)}')
    try:
        return Transform(rotation=gravity).rotation @ vector
    except (Error, TypeError) as error:
        raise MechanismError(f'gravity must be "copy" or a (3, 3) rotation: {error}') from None
