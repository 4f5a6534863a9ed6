"""Rotations: round trips through every representation, and scipy as a second opinion."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn.spatial import rotations as rot

HARD = [  # half turns, tiny turns, gimbal lock and everything close to them
    *(angle * axis for axis in np.eye(3) for angle in (0, 1e-12, 1e-8, 1e-4, np.pi / 2, np.pi - 1e-7, np.pi, -np.pi)),
    np.pi * np.array([0.6, 0.8, 0.0]),
    np.pi * np.array([1.0, 1.0, 1.0]) / np.sqrt(3),
]


MATRICES = [*Rotation.random(50, random_state=0).as_matrix(), *Rotation.from_rotvec(HARD).as_matrix()]


@pytest.mark.parametrize("R", MATRICES)
def test_quaternion_and_back(R):
    q = rot.quat_from_matrix(R)
    assert q[0] >= 0
    assert abs(np.linalg.norm(q) - 1) < 1e-15
    np.testing.assert_allclose(rot.matrix_from_quat(q), R, atol=4e-16 * 4)
    np.testing.assert_array_equal(rot.matrix_from_quat(-q), rot.matrix_from_quat(q))
    np.testing.assert_allclose(np.abs(q @ Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]]), 1, atol=1e-15)


@pytest.mark.parametrize("R", MATRICES)
def test_roll_pitch_yaw_and_back(R):
    rpy = rot.rpy_from_matrix(R)
    assert abs(rpy[1]) <= np.pi / 2 + 1e-15
    np.testing.assert_allclose(rot.matrix_from_rpy(rpy), R, atol=2e-15)
    np.testing.assert_allclose(Rotation.from_euler("xyz", rpy).as_matrix(), R, atol=2e-15)  # fixed axes: URDF's


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 - 1e-14])
def test_gimbal_lock(pitch):
    R = rot.matrix_from_rpy([0.3, pitch, -0.8])
    np.testing.assert_allclose(rot.matrix_from_rpy(rot.rpy_from_matrix(R)), R, atol=1e-11)


def test_rotation_vectors(seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=3) * 10.0 ** rng.integers(-12, 1)
    R = rot.matrix_from_rotvec(v)
    np.testing.assert_allclose(R, Rotation.from_rotvec(v).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)


def test_quaternions_near_unit_length_are_normalised_and_others_refused():
    q = np.array([1.0, -2.0, 3.0, 0.5]) / np.sqrt(14.25)
    for scale in (0.9991, 1.0009):
        np.testing.assert_allclose(rot.matrix_from_quat(scale * q), rot.matrix_from_quat(q), atol=1e-15)
    for bad in (np.zeros(4), [1e-200, 0, 0, 0], [1e300, 0, 0, 0], 1.0011 * q, 0.9989 * q):
        with pytest.raises(rbdyn.Error, match=r"quat must be a quaternion \[w, x, y, z\] of length 1 \(within 0.001\)"):
            rot.matrix_from_quat(bad)


def test_rotation_to_z(seed):
    a = np.random.default_rng(seed).normal(size=3)
    a /= np.linalg.norm(a)
    for axis in (a, *np.eye(3), *-np.eye(3), np.array([1e-9, 0, -1.0]), np.array([0, 1e-9, 1.0])):
        unit = axis / np.linalg.norm(axis)
        R = rot.rotation_to_z(unit)
        np.testing.assert_allclose(R @ unit, [0, 0, 1], atol=1e-15)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
        assert np.linalg.det(R) > 0
    for axis in np.eye(3):
        assert set(rot.rotation_to_z(axis).ravel()) <= {0.0, 1.0}  # exact for coordinate axes


def test_skew_is_the_cross_product():
    a, b = np.random.default_rng(0).normal(size=(2, 3))
    np.testing.assert_allclose(rot.skew(a) @ b, np.cross(a, b), rtol=1e-14)


@pytest.mark.parametrize(
    "bad",
    [1.0, [1.0, 2.0], [[1.0, 2.0, 3.0]], [1, 2, np.nan], [1, 2, np.inf], [True, False, True], [1j, 0, 0], "abc",
     ["1", "2", "3"], [[1], [2, 3], 4], None, [None, 1, 2], b"abc", {0: 1}, np.array(["a"] * 3, object)],
)  # fmt: skip
def test_what_is_no_vector(bad):
    with pytest.raises(rbdyn.Error, match="offset"):
        rot.as_vector(bad, 3, "offset", "[m]")


def test_what_is_a_vector():
    expected = np.array([1.0, 2.0, 3.0])
    for good in ([1, 2, 3], (1.0, 2, 3), expected.astype(">f8"), expected.astype(np.float32), np.arange(9)[1:4]):
        x = rot.as_vector(good, 3, "x")
        np.testing.assert_array_equal(x, expected)
        assert x.dtype == np.float64
        assert x.dtype.isnative
    copy = rot.as_vector(expected, 3, "x")
    copy[0] = 7
    assert expected[0] == 1
