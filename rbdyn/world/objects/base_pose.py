"""Where a floating base is, as numbers of q."""

from __future__ import annotations

import numpy as np

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform


def q_with_base(state: State, position: Array | None, orientation: Array | None) -> Array:
    """q with the base's body at another world position (3,), or with another orientation (4,), or both."""
    model, q = state.model, np.array(state.q)
    base, joint = model.body_names[0], model.mechanism.find_joint(model.joint_names[0])
    n = joint.num_positions
    before = Transform.from_matrix(body_pose(state, joint.frame_before))
    after = Transform.from_matrix(model.internal_pose(base)).inverse()
    here = Transform.from_matrix(body_pose(state, base))
    there = Transform(
        rotation=here.rotation if orientation is None else None,
        quat=orientation,
        translation=here.translation if position is None else position,
    )
    new = joint.joint_type.configuration(before.inverse() @ there @ after)
    if before.is_identity() and after.is_identity():  # what is not given stays to the bit
        new[:3] = q[:3] if position is None else position
        new[3:] = q[3:n] if orientation is None else new[3:]
    q[:n] = new
    return q
