"""Where the bodies of a mechanism are at a configuration, composed joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.transform import Transform


def poses_at(mechanism: Mechanism, q: Sequence[float]) -> dict[str, Transform]:
    """World poses of all bodies by name, those on fixed joints too; `q` is in the order of the tree joints."""
    poses, at = {mechanism.root_body.name: Transform()}, 0
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        own = joint.joint_type.pose(q[at : at + joint.num_positions])
        poses[edge.successor.name] = poses[edge.predecessor.name] @ edge.joint_pose @ own @ edge.successor_pose
        at += joint.num_positions
    return poses
