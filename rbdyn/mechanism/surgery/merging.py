"""Merging: bodies that do not move against each other become one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rbdyn.mechanism._parameter import Change, change
from rbdyn.mechanism._revision import GONE
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.commit import commit
from rbdyn.mechanism.surgery.filtering import carried
from rbdyn.mechanism.surgery.maps import Maps
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform


def remove_fixed_tree_joints(mechanism: Graph) -> Maps:
    """See `Mechanism.remove_fixed_tree_joints`."""
    before = Before.of(mechanism)
    host_of, pose_in = _fixed_groups(mechanism)
    if not host_of:
        return Maps()._of(mechanism, before)
    groups = {host: [host.inertia] for host in host_of.values()}
    for body, host in host_of.items():
        groups[host].append(body.inertia.transformed(pose_in[body]))
    sums = {host: _welded(group) for host, group in groups.items()}
    edges = {
        j: _rewired(e, host_of, pose_in)
        for j, e in mechanism._edges.items()
        if host_of.get(e.predecessor, e.predecessor) is not host_of.get(e.successor, e.successor)
    }
    merged_names = {name: host_of.get(host, host) for name, host in mechanism._merged_names.items()}
    merged_names |= {body.name: host for body, host in host_of.items()}
    ignored = carried(mechanism._ignored, {body: host_of.get(body, body) for body in mechanism._bodies})
    changes: list[Change] = []
    for host, inertia in sums.items():
        changes += _absorbing(host, [(body, pose_in[body]) for body, its in host_of.items() if its is host])
        changes.append((host.__dict__, "inertia", inertia))
    tree = [j for j in mechanism._tree_joints if j in edges]
    commit(mechanism, tree, [j for j in mechanism._loop_joints if j in edges], edges, changes, merged_names, ignored)
    return Maps(bodies=host_of)._of(mechanism, before)


def _fixed_groups(mechanism: Graph) -> tuple[dict[RigidBody, RigidBody], dict[RigidBody, Transform]]:
    """Each body on a fixed tree joint -> the moving body (or root) that holds it, and its pose there."""
    host: dict[RigidBody, RigidBody] = {}
    pose: dict[RigidBody, Transform] = {}
    for joint in mechanism._tree_joints:
        if joint.joint_type.is_fixed:
            edge = mechanism._edges[joint]
            parent = edge.predecessor
            still = edge.successor_pose.is_identity()
            local = edge.joint_pose if still else edge.joint_pose @ edge.successor_pose
            host[edge.successor] = host.get(parent, parent)
            pose[edge.successor] = pose[parent] @ local if parent in pose else local
    return host, pose


def _rewired(edge: Edge, host: Mapping[RigidBody, RigidBody], pose: Mapping[RigidBody, Transform]) -> Edge:
    """The same edge between the bodies that hold its ends."""
    if edge.predecessor not in host and edge.successor not in host:
        return edge
    start, end = edge.predecessor, edge.successor
    return Edge(
        host.get(start, start),
        host.get(end, end),
        pose[start] @ edge.joint_pose if start in host else edge.joint_pose,
        edge.successor_pose @ pose[end].inverse() if end in host else edge.successor_pose,
    )


def _absorbing(host: RigidBody, bodies: Sequence[tuple[RigidBody, Transform]]) -> list[Change]:
    """Changes that give `host` geometry and frames of `bodies`, each at its pose in it."""
    frames = dict(host.frames)
    for body, pose in bodies:
        if body.name in frames:  # algorithms take this name for the body; so it stays the body's
            key = _free_key(frames, host, host, body.name)
            frames[key] = frames.pop(body.name)
        frames[body.name] = (body.frame, pose)
        for name, (frame, local) in body.frames.items():
            frames[_free_key(frames, host, body, name)] = (frame, pose @ local)
    collision = [item.moved(pose) for body, pose in bodies for item in body.collision]
    visual = [item.moved(pose) for body, pose in bodies for item in body.visual]
    sensor_sets = [item.moved(pose) for body, pose in bodies for item in body.sensor_sets]
    return [
        (host.collision, "_items", [*host.collision, *collision]),
        (host.visual, "_items", [*host.visual, *visual]),
        change(host, "sensor_sets", (*host.sensor_sets, *sensor_sets)),
        *((host.frames, name, GONE) for name in host.frames),
        *((host.frames, name, fixture) for name, fixture in frames.items()),
    ]


def _free_key(taken: Collection[str], host: RigidBody, body: RigidBody, name: str) -> str:
    """`name`, behind that of `body` if `host` has a frame of that name already."""
    while name in taken or name == host.name:
        name = f"{body.name}/{name}"
    return name


def _welded(parts: Sequence[SpatialInertia]) -> SpatialInertia:
    """The inertia of bodies welded together, in their common frame: the parallel-axis theorem, once for all of them."""
    mass = sum(part.mass for part in parts)
    if mass == 0.0:
        return SpatialInertia(0.0, parts[0].com, sum(part.inertia for part in parts))
    m = np.array([part.mass for part in parts])
    com = m @ np.array([part.com for part in parts]) / mass
    d = np.array([part.com for part in parts]) - com
    spread = np.einsum("k,ki,kj->ij", m, d, d)
    return SpatialInertia(mass, com, sum(part.inertia for part in parts) + np.trace(spread) * np.eye(3) - spread)
