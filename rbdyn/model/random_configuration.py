"""A random configuration of one joint, within its position limits."""

from __future__ import annotations

import math

import numpy as np

from rbdyn.mechanism.joint import Joint
from rbdyn.spatial.rotations import Array


def random_configuration(joint: Joint, rng: np.random.Generator) -> Array:
    """The q of a joint, (num_positions,); `Model.random` says how it is distributed.

    Parameters
    ----------
    joint : Joint
        Whose type and limits.
    rng : numpy.random.Generator
        Source of all chance.
    """
    if joint.position_limits is None or joint.num_positions != 1:
        return joint.joint_type.random(rng)
    lower, upper = joint.position_limits
    if math.isfinite(upper - lower):
        return rng.uniform(lower, upper, 1)
    half = 1.0 if joint.joint_type.num_translations else math.pi
    shift = max(0.0, lower + half) + min(0.0, upper - half)
    return np.clip(joint.joint_type.random(rng) + shift, lower, upper)
