"""A random configuration of one joint, within its position limits."""

from __future__ import annotations

import math

import numpy as np

from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Spherical
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
    if isinstance(joint.joint_type, Spherical):
        return _random_ball(joint, rng)
    if joint.position_limits is None:
        return joint.joint_type.random(rng)
    limits = joint.limits_of_each
    if len(limits) == 1 and math.isfinite(limits[0][1] - limits[0][0]):
        return joint.joint_type.from_coordinates(rng.uniform(*limits[0], 1))
    q = joint.joint_type.random(rng)
    for k, (lower, upper) in enumerate(limits):
        half = 1.0 if k < joint.joint_type.num_translations else math.pi
        if math.isfinite(upper - lower):
            q[k] = rng.uniform(lower, upper)
        else:
            q[k] = np.clip(q[k] + max(0.0, lower + half) + min(0.0, upper - half), lower, upper)
    return q


TRIES = 1000


def _random_ball(joint: Joint, rng: np.random.Generator) -> Array:
    """A rotation within the largest angle, the cone and the twist, each uniform if it is alone."""
    angle = joint.position_limits[1] if joint.position_limits else math.pi
    if joint.cone_limit is None and joint.twist_limits is None:
        return joint.joint_type.random(rng) if angle >= math.pi else _within_angle(rng, angle)
    lower, upper = joint.twist_limits or (-math.pi, math.pi)
    for _ in range(TRIES):
        twist = 0.5 * rng.uniform(lower, upper)
        q = _times(_swing(joint, rng), np.append(math.cos(twist), math.sin(twist) * joint.twist_axis))
        if 2.0 * math.acos(min(1.0, abs(q[0]))) <= angle:
            return q
    rest = 0.5 * min(max(0.0, lower), upper)  # the least angle there is
    return np.append(math.cos(rest), math.sin(rest) * joint.twist_axis)


def _within_angle(rng: np.random.Generator, angle: float) -> Array:
    """A rotation by no more than an angle, uniform: its density falls as (1 - cos) of the angle does."""
    axis = rng.normal(size=3)
    while True:
        turn = angle * rng.uniform() ** (1.0 / 3.0)
        if rng.uniform() * turn * turn <= 4.0 * math.sin(0.5 * turn) ** 2:
            break
    return np.append(math.cos(0.5 * turn), math.sin(0.5 * turn) * axis / math.sqrt(axis @ axis))


def _swing(joint: Joint, rng: np.random.Generator) -> Array:
    """The shortest turn of the twist axis to a direction within the cone, uniform over the sphere."""
    a = joint.twist_axis
    cosine = 1.0 - rng.uniform() * (1.0 - math.cos(math.pi if joint.cone_limit is None else joint.cone_limit))
    across = np.cross(a, rng.normal(size=3))
    half = math.sqrt(max(0.0, 0.5 * (1.0 + cosine)))
    return np.append(half, math.sqrt(max(0.0, 0.5 * (1.0 - cosine))) * across / math.sqrt(across @ across))


def _times(p: Array, q: Array) -> Array:
    """The product of two quaternions [w, x, y, z], with w >= 0."""
    r = np.append(p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))
    return r if r[0] >= 0.0 else -r
