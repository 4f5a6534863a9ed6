"""What a joint type says of its own motion: pose, motion subspace, and the configuration of a pose."""

import numpy as np
import pytest
from reference.compare import nontrivial

import rbdyn
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.spatial import Transform
from rbdyn.spatial.rotations import matrix_from_rotvec
from rbdyn.testing.random_mechanisms import random_transform

TYPES = [
    Fixed(),
    Revolute((0.6, 0.0, 0.8)),
    SinCosRevolute((0.0, -0.6, 0.8)),
    Prismatic((0.0, 1.0, 0.0)),
    Planar((0.0, 1.0, 0.0), (0.6, 0.0, 0.8)),
    Spherical(),
    Floating(),
    SPQuatFloating(),
    Helical((0.6, 0.0, 0.8), 0.3),
    Helical((0.0, 1.0, 0.0), -2.0),
]
every_type = pytest.mark.parametrize("kind", TYPES, ids=lambda k: k.kind)


@every_type
def test_neutral_is_where_the_frames_coincide(kind):
    np.testing.assert_array_equal(kind.pose(kind.neutral()).matrix, np.eye(4))


@every_type
def test_configuration_undoes_pose(kind):
    rng = np.random.default_rng(1)
    for _ in range(50):
        pose = kind.pose(kind.random(rng))
        q = kind.configuration(pose)
        assert q.shape == (kind.num_positions,)
        np.testing.assert_allclose(kind.pose(q).matrix, pose.matrix, atol=1e-14)


@every_type
def test_configuration_is_the_nearest_of_all(kind):
    """No neighbour in q has a pose nearer to one that the joint cannot reach."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        target = random_transform(rng)
        best = kind.configuration(target)
        if not kind.num_positions:
            continue

        def cost(q, kind=kind, target=target):
            pose = kind.pose(q)
            turn = -np.trace(pose.rotation.T @ target.rotation)
            return np.array([np.sum((pose.translation - target.translation) ** 2), turn])

        for _ in range(20):
            q = best + 1e-3 * rng.normal(size=best.size)
            if isinstance(kind, (Spherical, Floating)):
                q[-4:] /= np.linalg.norm(q[-4:])
            first = 1 if isinstance(kind, Helical) else 0  # a screw's rotation comes first, then its whole turns
            assert (cost(q) >= cost(best) - 1e-9)[first:].all()
        if isinstance(kind, Helical):
            for turn in (-1, 1):
                assert cost(best + 2 * np.pi * turn)[0] >= cost(best)[0]


@every_type
def test_motion_subspace_is_the_rate_of_the_pose(kind):
    """H^-1 dH/dt = [S v] along a curve with dq/dt = v, by central differences."""
    rng = np.random.default_rng(3)
    q, v, h = kind.random(rng), rng.normal(size=kind.num_velocities), 1e-5
    S = kind.motion_subspace(q)
    assert S.shape == (6, kind.num_velocities)
    if not isinstance(kind, Helical):  # whose twist is as long as its pitch says
        np.testing.assert_allclose(S.T @ S, np.eye(kind.num_velocities), atol=1e-15)
    w = rng.normal(size=kind.num_velocities)
    np.testing.assert_allclose(kind.velocity(q, S @ w), w, atol=1e-15)
    if not kind.num_velocities:
        return

    def moved(t):
        """The pose after moving at v for t, in the convention of the table of rbdyn.mechanism.joints."""
        H = kind.pose(q)
        if isinstance(kind, (Floating, SPQuatFloating)):
            return Transform(matrix_from_rotvec(t * v[3:]) @ H.rotation, translation=H.translation + t * v[:3])
        if isinstance(kind, Spherical):
            return Transform(matrix_from_rotvec(t * v) @ H.rotation)
        if isinstance(kind, SinCosRevolute):
            angle = np.arctan2(*q) + t * v[0]
            return kind.pose([np.sin(angle), np.cos(angle)])
        return kind.pose(q + t * v)

    rate = kind.pose(q).inverse().matrix @ (moved(h).matrix - moved(-h).matrix) / (2 * h)
    twist = np.array([rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]])
    nontrivial(twist)
    np.testing.assert_allclose(S @ v, twist, atol=1e-8)


def test_half_turns_and_more():
    """p stays within length 1; the sine and cosine come on the circle; half a turn is no special case."""
    kind = SPQuatFloating()
    for axis in np.eye(3):
        for angle in (np.pi, np.pi - 1e-9, np.pi + 1e-9, 1.9 * np.pi):
            pose = Transform(matrix_from_rotvec(angle * axis), translation=(1, 2, 3))
            q = kind.configuration(pose)
            assert np.linalg.norm(q[3:]) <= 1 + 1e-15
            np.testing.assert_allclose(kind.pose(q).matrix, pose.matrix, atol=1e-14)
    rng = np.random.default_rng(4)
    assert max(np.linalg.norm(kind.random(rng)[3:]) for _ in range(500)) > 0.97
    assert all(abs(np.linalg.norm(SinCosRevolute().random(rng)) - 1) < 1e-15 for _ in range(50))


@every_type
@pytest.mark.parametrize("method", ["pose", "motion_subspace"])
def test_bad_configurations(kind, method):
    for bad in ([np.nan] * kind.num_positions or [0.0], "q", None, np.zeros(kind.num_positions + 1)):
        with pytest.raises(rbdyn.Error, match="q must"):
            getattr(kind, method)(bad)
