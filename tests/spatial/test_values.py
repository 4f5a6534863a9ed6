"""Transform, SpatialInertia and the frame-checked values: group laws, closed forms, refusals."""

import copy
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import CartesianFrame, FrameVector, SpatialAcceleration, SpatialInertia, Transform, Twist, Wrench
from rbdyn.testing.random_mechanisms import random_inertia, random_transform


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


# ---- Transform ----------------------------------------------------------------------------------------------------


def test_transforms_are_a_group_of_matrices(rng):
    A, B, C = (random_transform(rng) for _ in range(3))
    np.testing.assert_allclose((A @ B).matrix, A.matrix @ B.matrix, atol=1e-15)
    np.testing.assert_allclose(((A @ B) @ C).matrix, (A @ (B @ C)).matrix, atol=2e-15)
    np.testing.assert_allclose((A @ A.inverse()).matrix, np.eye(4), atol=1e-15)
    np.testing.assert_allclose((A @ B).inverse().matrix, (B.inverse() @ A.inverse()).matrix, atol=2e-15)
    assert Transform() @ A == A
    assert not A.is_identity()
    assert Transform().is_identity()


def test_transforms_act_on_points(rng):
    A, B, points = random_transform(rng), random_transform(rng), rng.normal(size=(7, 3))
    moved = A @ points
    assert moved.shape == (7, 3)
    for before, after in zip(points, moved, strict=True):
        np.testing.assert_allclose(A @ before, after, atol=1e-15)
        np.testing.assert_allclose(A.matrix @ [*before, 1], [*after, 1], atol=1e-15)
    np.testing.assert_allclose(A @ (B @ points), (A @ B) @ points, atol=2e-15)
    np.testing.assert_allclose(A.inverse() @ moved, points, atol=2e-15)


def test_all_ways_to_make_a_transform_agree(rng):
    A = random_transform(rng)
    for twin in (
        Transform(rotation=A.rotation, translation=A.translation),
        Transform(quat=A.quat, translation=A.translation),
        Transform(quat=-1.0005 * A.quat, translation=A.translation),
        Transform(rpy=A.rpy, translation=A.translation),
        Transform.from_matrix(A.matrix),
        pickle.loads(pickle.dumps(A)),
        copy.deepcopy(A),
    ):
        np.testing.assert_allclose(twin.matrix, A.matrix, atol=2e-15)
    assert pickle.loads(pickle.dumps(A)) == A
    assert hash(pickle.loads(pickle.dumps(A))) == hash(A)


def test_a_long_product_stays_a_rotation():
    """A thousand factors: no product is ever refused as not orthonormal."""
    step, T = random_transform(np.random.default_rng(0)), Transform()
    for _ in range(1000):
        T = T @ step
    np.testing.assert_allclose(T.rotation.T @ T.rotation, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "bad",
    [
        {"rotation": np.eye(3), "quat": [1, 0, 0, 0]},
        {"quat": [1, 0, 0, 0], "rpy": [0, 0, 0]},
        {"rotation": np.eye(4)},
        {"rotation": 2 * np.eye(3)},
        {"rotation": np.diag([1, 1, -1])},
        {"rotation": np.full((3, 3), np.nan)},
        {"rotation": "eye"},
        {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0]]},
        {"rotation": np.eye(3, dtype=bool)},
        {"rotation": np.eye(3, dtype=complex)},
        {"quat": [0, 0, 0, 0]},
        {"quat": [1, 0, 0]},
        {"rpy": [0, 0]},
        {"rpy": [0, 0, np.inf]},
        {"translation": [0, 0]},
        {"translation": [0, 0, np.nan]},
        {"translation": None},
    ],
)
def test_what_is_no_transform(bad):
    with pytest.raises(rbdyn.Error, match=next(reversed(bad))):
        Transform(**bad)


@pytest.mark.parametrize("bad", [np.eye(3), np.ones((4, 4)), np.zeros((4, 4)), np.eye(4)[None]])
def test_what_is_no_homogeneous_matrix(bad):
    with pytest.raises(rbdyn.Error):
        Transform.from_matrix(bad)


@pytest.mark.parametrize("bad", [[1, 2], [[1, 2]], 3.0, np.zeros((2, 4))])
def test_what_a_transform_does_not_act_on(bad):
    with pytest.raises(rbdyn.Error, match="shape"):
        Transform() @ bad


def test_transforms_do_not_change():
    T = Transform(translation=[1, 2, 3])
    for name in ("rotation", "translation"):
        with pytest.raises(AttributeError):
            setattr(T, name, np.zeros(3))
        with pytest.raises(ValueError, match="read-only"):
            getattr(T, name)[0] = 5
    assert "1.0, 2.0, 3.0" in repr(T)


# ---- SpatialInertia -----------------------------------------------------------------------------------------------


def point_masses(rng, n=6):
    """Masses and places, and the inertia of them all."""
    masses, places = rng.uniform(0.1, 1, n), rng.normal(size=(n, 3))
    total = SpatialInertia.zero()
    for m, p in zip(masses, places, strict=True):
        total = total + SpatialInertia(m, p)
    return masses, places, total


def test_sums_of_point_masses(rng):
    """Mass, centre and moments by their definitions."""
    masses, places, total = point_masses(rng)
    com = masses @ places / masses.sum()
    J = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places, strict=True))
    arm = places - com
    J_com = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arm, strict=True))
    np.testing.assert_allclose(total.mass, masses.sum(), rtol=1e-15)
    np.testing.assert_allclose(total.com, com, atol=1e-14)
    np.testing.assert_allclose(total.inertia_at_origin, J, atol=1e-13)
    np.testing.assert_allclose(total.inertia, J_com, atol=1e-13)
    assert total.defect() == ""


def test_spatial_inertia_is_the_kinetic_energy(rng):
    """Half x^T I x is the energy of the points on a body with twist x; angular part first."""
    masses, places, total = point_masses(rng)
    w, v = rng.normal(size=(2, 3))
    energy = 0.5 * masses @ np.sum((v + np.cross(w, places)) ** 2, axis=1)
    x = np.append(w, v)
    np.testing.assert_allclose(0.5 * x @ total.matrix @ x, energy, rtol=1e-13)
    np.testing.assert_allclose(total.matrix, total.matrix.T, rtol=1e-14)


def test_inertias_move_with_the_frame(rng):
    masses, places, total = point_masses(rng)
    T, U = random_transform(rng), random_transform(rng)
    moved = SpatialInertia.zero()
    for m, p in zip(masses, T @ places, strict=True):
        moved = moved + SpatialInertia(m, p)
    for a, b in ((total.transformed(T), moved), (total.transformed(T).transformed(U), total.transformed(U @ T))):
        np.testing.assert_allclose(a.com, b.com, atol=1e-13)
        np.testing.assert_allclose(a.inertia, b.inertia, atol=1e-12)


def test_random_inertias_are_physical(rng):
    inertia = random_inertia(rng)
    assert inertia.defect() == ""
    assert np.linalg.eigvalsh(inertia.matrix)[0] > 0


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        (SpatialInertia(1.0, inertia=np.diag([1, 1, -1e-3])), "negative"),
        (SpatialInertia(1.0, inertia=np.diag([1, 1, 3.0])), "triangle"),
        (SpatialInertia(0.0, inertia=np.eye(3)), "without mass"),
        (SpatialInertia(1.0), ""),
        (SpatialInertia(0.0), ""),
        (SpatialInertia(1.0, inertia=np.diag([1, 1, 2.0])), ""),
    ],
)
def test_defects(inertia, words):
    assert words in inertia.defect()
    assert bool(words) == bool(inertia.defect())


@pytest.mark.parametrize(
    "bad",
    [
        {"mass": -1.0},
        {"mass": np.nan},
        {"mass": np.inf},
        {"mass": "1"},
        {"mass": True},
        {"mass": 1j},
        {"mass": None},
        {"mass": [1.0]},
        {"mass": 1.0, "com": [0, 0]},
        {"mass": 1.0, "com": [0, 0, np.nan]},
        {"mass": 1.0, "inertia": np.eye(2)},
        {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]},
        {"mass": 1.0, "inertia": np.full((3, 3), np.inf)},
        {"mass": 1.0, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]},
    ],
)
def test_what_is_no_inertia(bad):
    with pytest.raises(rbdyn.Error, match=next(reversed(bad))):
        SpatialInertia(**bad)


def test_inertias_are_values():
    a = random_inertia(np.random.default_rng(0))
    twin = pickle.loads(pickle.dumps(a))
    assert twin == a
    assert hash(twin) == hash(a)
    assert a != random_inertia(np.random.default_rng(1))
    np.testing.assert_allclose((a + SpatialInertia.zero()).matrix, a.matrix, rtol=1e-13)
    for name in ("mass", "com", "inertia"):
        with pytest.raises(AttributeError):
            setattr(a, name, 0.0)
    with pytest.raises(TypeError):
        a + 1
    assert SpatialInertia.zero() + SpatialInertia.zero() == SpatialInertia.zero()
    assert "mass=2" in repr(SpatialInertia(2.0))


# ---- values that know their frame ---------------------------------------------------------------------------------

A, B, C, D = (CartesianFrame(name) for name in "ABCD")


def twist(body, base, frame, seed=0):
    return Twist(body, base, frame, *np.random.default_rng(seed).normal(size=(2, 3)))


def acceleration(body, base, frame, seed=0):
    return SpatialAcceleration(body, base, frame, *np.random.default_rng(seed).normal(size=(2, 3)))


def wrench(frame, seed=0):
    return Wrench(frame, *np.random.default_rng(seed).normal(size=(2, 3)))


MIXED = {
    "vector + vector": lambda: FrameVector(A, [1, 2, 3]) + FrameVector(B, [1, 2, 3]),
    "vector - vector": lambda: FrameVector(A, [1, 2, 3]) - FrameVector(B, [1, 2, 3]),
    "dot": lambda: FrameVector(A, [1, 2, 3]).dot(FrameVector(B, [1, 2, 3])),
    "cross": lambda: FrameVector(A, [1, 2, 3]).cross(FrameVector(B, [1, 2, 3])),
    "same name": lambda: FrameVector(A, [1, 2, 3]) + FrameVector(CartesianFrame("A"), [1, 2, 3]),
    "twists in two frames": lambda: twist(B, A, A) + twist(C, B, B),
    "twists not in a chain": lambda: twist(B, A, A) + twist(D, C, A),
    "twists with one base": lambda: twist(B, A, A) + twist(C, A, A),
    "accelerations in two frames": lambda: acceleration(B, A, A) + acceleration(C, B, B),
    "accelerations not in a chain": lambda: acceleration(B, A, A) + acceleration(D, C, A),
    "wrenches": lambda: wrench(A) + wrench(B),
    "power": lambda: wrench(A).dot(twist(B, A, B)),
}


@pytest.mark.parametrize("mixed", MIXED)
def test_mixing_frames_raises(mixed):
    with pytest.raises(rbdyn.FrameMismatchError) as caught:
        MIXED[mixed]()
    assert "'A'" in str(caught.value)


def test_what_is_in_one_frame_combines():
    v, w = FrameVector(A, [1, 2, 3]), FrameVector(A, [4, -5, 6])
    assert (v + w).xyz.tolist() == [5, -3, 9]
    assert (v - w).xyz.tolist() == [-3, 7, -3]
    assert v.dot(w) == 12
    assert v.cross(w).xyz.tolist() == [27, 6, -13]
    assert (v + w).frame is A
    x, y = twist(B, A, D, 1), twist(C, B, D, 2)
    for total in (x + y, y + x):
        assert (total.body, total.base, total.frame) == (C, A, D)
        np.testing.assert_array_equal(total.vector, x.vector + y.vector)
    assert ((-x).body, (-x).base) == (A, B)
    a, b = acceleration(B, A, D, 1), acceleration(C, B, D, 2)
    assert ((a + b).body, (a + b).base) == (C, A)
    np.testing.assert_array_equal((a + b).vector, a.vector + b.vector)
    np.testing.assert_array_equal((wrench(A, 1) + -wrench(A, 1)).vector, np.zeros(6))
    assert "'B' relative to 'A', in 'D'" in repr(x)


def test_twists_and_wrenches_move_with_the_frame(rng):
    """Velocities of points and the power stay; moments follow the arm."""
    T, U, seed = random_transform(rng), random_transform(rng), int(rng.integers(1000))
    x, f = twist(B, A, C, seed), wrench(C, seed + 1)
    moved = x.transformed(T, D)
    assert (moved.body, moved.base, moved.frame) == (B, A, D)
    point = rng.normal(size=3)
    velocity = x.linear + np.cross(x.angular, point)
    np.testing.assert_allclose(moved.linear + np.cross(moved.angular, T @ point), T.rotation @ velocity, atol=1e-14)
    assert abs(f.dot(x)) > 1e-3
    np.testing.assert_allclose(f.transformed(T, D).dot(moved), f.dot(x), rtol=1e-12)
    push, arm = rng.normal(size=(2, 3))
    at_point = Wrench(A, np.zeros(3), push).transformed(Transform(translation=arm), B)
    np.testing.assert_allclose(at_point.angular, np.cross(arm, push), atol=1e-15)
    for value in (x, f):
        twice, once = value.transformed(T, D).transformed(U, A), value.transformed(U @ T, A)
        np.testing.assert_allclose(twice.vector, once.vector, atol=1e-14)


@pytest.mark.parametrize("bad", [[1, 2], [1, 2, np.nan], "abc", None, [True, False, True]])
def test_bad_coordinates(bad):
    for make, name in (
        (lambda: FrameVector(A, bad), "xyz"),
        (lambda: Wrench(A, bad, [0, 0, 0]), "angular"),
        (lambda: Twist(A, B, C, [0, 0, 0], bad), "linear"),
        (lambda: SpatialAcceleration(A, B, C, bad, [0, 0, 0]), "angular"),
    ):
        with pytest.raises(rbdyn.Error, match=name):
            make()


def test_frames_are_told_apart_by_identity():
    assert CartesianFrame("x") != CartesianFrame("x")
    assert CartesianFrame().name != CartesianFrame().name
    assert "'x'" in repr(CartesianFrame("x"))
