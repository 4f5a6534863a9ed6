"""Loose copies of bodies and joints, and the maps to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.geometry import Geometry
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.surgery.commit import warn_of_lost_leaders
from rbdyn.mechanism.surgery.maps import Maps
from rbdyn.spatial.frames import CartesianFrame


def copies(bodies: Sequence[RigidBody], joints: Sequence[Joint], prefix: str = "") -> Maps:
    """Loose copies of `bodies` and `joints`, with all their frames."""
    maps = Maps()
    for body in bodies:
        twin = maps.bodies[body] = copy_body(body, prefix)
        maps.frames.update(frame_map(body, twin, prefix))
    names = {joint.name for joint in joints}
    warn_of_lost_leaders(joints, names)
    for joint in joints:
        copied = maps.joints[joint] = joint.copy(prefix + joint.name)
        if joint.mimic is not None:
            leader = joint.mimic.joint
            copied.mimic = replace(joint.mimic, joint=prefix + leader) if leader in names else None
        maps.frames[joint.frame_before] = copied.frame_before
        maps.frames[joint.frame_after] = copied.frame_after
    return maps


def copy_body(body: RigidBody, prefix: str = "") -> RigidBody:
    """A copy whose own name, and those of its frames and shapes, begin with `prefix`."""
    twin = RigidBody(
        prefix + body.name,
        None,
        [_prefixed(item, prefix) for item in body.collision],
        [_prefixed(item, prefix) for item in body.visual],
    )
    twin.take_inertia(body.inertia)
    twin.sensor_sets = tuple(item.moved(name=prefix + item.name) for item in body.sensor_sets)
    for name, (_, pose) in body.frames.items():
        twin.add_frame(prefix + name, pose)
    return twin


def _prefixed(item: Geometry, prefix: str) -> Geometry:
    """A shape with `prefix` before its name and labels."""
    if not prefix:
        return item
    labels = tuple(prefix + label for label in item.pairs)
    return replace(item, name=prefix + item.name if item.name else "", pairs=labels)


def frame_map(body: RigidBody, twin: RigidBody, prefix: str = "") -> Mapping[CartesianFrame, CartesianFrame]:
    """Each frame of `body` -> that of its copy."""
    pairs = {body.frame: twin.frame}
    return pairs | {frame: twin.frames[prefix + name][0] for name, (frame, _) in body.frames.items()}
