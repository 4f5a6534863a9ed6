"""Shapes that move: where they meet within the step, against closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdyn.collision import (
    Box,
    Capsule,
    CollisionBackend,
    ConvexHull,
    Cylinder,
    HalfSpace,
    NativeBackend,
    Sphere,
    native_contacts,
)
from rbdyn.errors import CollisionError

MARGIN = 1e-4


def at(x, y, z, turn=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
    pose[:3, 3] = x, y, z
    return pose


def scene(*shapes, backend=NativeBackend):
    found = backend(margin=MARGIN)
    for body, shape in enumerate(shapes):
        found.add_shape(shape, body, dynamic=body > 0)
    return found


def moves(*rows):
    return np.array([(0.0,) * 6, *rows])


def test_a_ball_meets_the_ground_where_its_way_ends():
    """Gap 0.3 m, way 1 m along (0.6, 0, -0.8): the row lets it go 0.3 m down, the point is 0.225 m ahead."""
    backend = scene(HalfSpace(), Sphere(0.1))
    (c,) = backend.query([at(0, 0, 0), at(2, 0, 0.4)], moves((0, 0, 0, 0.6, 0, -0.8)))
    assert c["depth"] == pytest.approx(-0.3, abs=1e-12)
    assert c["position"] == pytest.approx([2.225, 0, 0], abs=1e-6)
    assert c["normal"] == pytest.approx([0, 0, -1])
    assert c["to_b"] == pytest.approx([-0.225, 0, 0.3], abs=1e-6)
    assert c["to_a"] == pytest.approx(np.zeros(3))


@pytest.mark.parametrize(
    "target", [Box((1.0, 1.0, 0.01)), ConvexHull((np.array([*np.ndindex(2, 2, 2)]) - 0.5) * (1, 1, 0.01))]
)
@pytest.mark.parametrize("shape", [Sphere(0.02), Box((0.04, 0.04, 0.04)), Capsule(0.02, 0.3)])
def test_a_plate_stops_what_would_be_through(shape, target):
    backend = scene(target, shape)
    lie = (np.pi / 2, 0, 0) if isinstance(shape, Capsule) else (0, 0, 0)
    found = backend.query([at(0, 0, -0.005), at(0.1, 0.05, 0.12, lie)], moves((0, 0, 0, 0.01, 0.02, -0.5)))
    assert len(found) >= (4 if isinstance(shape, Box) else 1)
    assert found["depth"] == pytest.approx(-0.1, abs=1e-9)
    assert found["normal"] == pytest.approx(np.tile([0, 0, -1.0], (len(found), 1)))


def test_two_balls_that_cross():
    """Relative way 1 m along x with offset 0.06 and radii 0.1 together: they meet at x = -0.08, aslant."""
    backend = scene(HalfSpace(), Sphere(0.03), Sphere(0.07))
    poses = [at(0, 0, -9), at(-0.5, 0.06, 0), at(0, 0, 0)]
    (c,) = backend.query(poses, moves((0, 0, 0, 0.7, 0, 0), (0, 0, 0, -0.3, 0, 0)))
    n = np.array([-0.8, 0.6, 0])
    assert c["normal"] == pytest.approx(n, abs=1e-3)
    assert c["depth"] == pytest.approx(-0.42 * 0.8, abs=1e-3)         # 0.42 m of the way, along the normal
    assert c["position"] == pytest.approx([-0.126 + 0.07 * -0.8, 0.042, 0], abs=1e-3)
    assert c["to_a"] == pytest.approx([-0.42 * 0.7, 0, 0], abs=1e-3)  # each has the moment arm of that time
    assert c["to_b"] == pytest.approx([0.42 * 0.3, 0, 0], abs=1e-3)
    assert c["time"] == pytest.approx(0.42, abs=1e-3) and abs(c["depth_then"]) < MARGIN


def test_the_time_is_told_of_what_meets_later():
    """Of what is near now it is -1; what comes by more than half a radius in the step is fast."""
    backend = scene(HalfSpace(), Sphere(0.1))
    cases = ((0.06, 0.03, 0.5, 1), (0.04, 0.03, 0.75, 0), (0.06, 0.07, None, 0), (0.0, 0.0, -1.0, 0))
    for way, gap, time, fast in cases:
        found = backend.query([at(0, 0, 0), at(0, 0, 0.1 + gap)], moves((0, 0, 0, 0, 0, -way)))
        assert found["time"].tolist() == ([] if time is None else [pytest.approx(time, abs=1e-3)])
        assert found["fast"].tolist() == ([] if time is None else [fast])


@pytest.mark.parametrize("turn", [0.3, 1.2])
def test_a_rod_that_turns_into_the_ground(turn):
    """Half length 0.5, height 0.1 above the ground: it meets at asin(0.2), whatever its turn in the step."""
    backend = scene(HalfSpace(), Capsule(0.01, 1.0))
    lie = (0, np.pi / 2, 0)
    (c, *_) = backend.query([at(0, 0, 0), at(0, 0, 0.11, lie)], moves((0, turn, 0, 0, 0, 0)))
    angle = np.arcsin(0.2)
    assert c["position"] == pytest.approx([0.5 * np.cos(angle), 0, 0], abs=1e-3)
    assert c["depth"] == pytest.approx(-angle * 0.5 * np.cos(angle), abs=1e-3)     # what the row asks of the way then
    assert not len(backend.query([at(0, 0, 0), at(0, 0, 0.11, lie)], moves((0, 0.19, 0, 0, 0, 0))))


@pytest.mark.parametrize("other", [HalfSpace(), Box((2.0, 2.0, 0.2))])
def test_a_rod_that_swings_through(other):
    """Half length 0.5, 0.8 rad from upright before and after: down to 0.348 m at both ends of the step, 0.5 between."""
    rod, turn, low = Capsule(0.01, 1.0), (0, 1.6, 0, 0, 0, 0), 0.1 if isinstance(other, Box) else 0.0
    backend = scene(other, rod)
    (c, *_) = backend.query([at(0, 0, -low), at(0, 0, 0.4, (0, -0.8, 0))], moves(turn))
    angle = np.arccos(0.39 / 0.5)
    assert c["position"] == pytest.approx([0.5 * np.sin(angle), 0, 0], abs=2e-3)
    assert not len(backend.query([at(0, 0, -low), at(0, 0, 0.52, (0, -0.8, 0))], moves(turn)))


def test_what_passes_by_is_no_contact(seed):
    """Convex shapes that move along a plane between them never touch, however near they pass."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        shapes = [Sphere(0.1), Box((0.2, 0.3, 0.1)), Capsule(0.05, 0.3), ConvexHull(rng.normal(size=(9, 3)) * 0.1)]
        a, b = rng.integers(4, size=2)
        R, S = Rotation.random(2, random_state=int(rng.integers(2**31)))
        low = (R.as_matrix() @ shapes[b].farthest(-R.as_matrix()[2]))[2]
        high = (S.as_matrix() @ shapes[a].farthest(S.as_matrix()[2]))[2]
        way = np.array([*rng.uniform(-2, 2, 2), 0.0])
        poses = [at(0, 0, 0, S.as_rotvec()), at(*(-0.5 * way[:2]), high - low + 1.5 * MARGIN, R.as_rotvec())]
        found = scene(shapes[a], shapes[b]).query(poses, moves((0, 0, 0, *way)))
        assert not len(found), (shapes[a], shapes[b], found, way)


def test_without_motions_and_at_rest_nothing_changes(seed):
    rng = np.random.default_rng(seed)
    backend = scene(HalfSpace(), Box((0.2, 0.3, 0.1)), Box((0.2, 0.3, 0.1)), Sphere(0.1))
    turns = 0.3 * rng.normal(size=(2, 3))
    poses = [at(0, 0, 0), at(0, 0, 0.06, turns[0]), at(0.02, 0, 0.14, 0.3 * turns[1]), at(0.2, 0, 0.1)]
    still = backend.query(poses)
    assert len(still) > 3
    np.testing.assert_array_equal(backend.query(poses, np.zeros((4, 6))), still)
    np.testing.assert_array_equal(backend.query(poses, np.full((4, 6), 1e-7)), still)


def test_a_backend_in_python_sees_the_motions_and_may_leave_them_alone():
    class Own(CollisionBackend):
        def detect(self, scene):
            self.seen, self.pairs = scene.motions, scene.pairs()
            for pair in self.pairs:
                for contact in native_contacts(scene, *pair):
                    scene.add_contact(*pair, *contact)

    backend = scene(HalfSpace(), Sphere(0.1), backend=Own)
    rows = moves((0, 0, 0.1, 0.6, 0, -0.8))
    backend.query([at(0, 0, 0), at(2, 0, 0.4)], rows)
    np.testing.assert_array_equal(backend.seen, rows)
    assert backend.pairs == [(0, 1)]
    assert not len(backend.query([at(0, 0, 0), at(2, 0, 0.4)]))
    np.testing.assert_array_equal(backend.seen, np.zeros((2, 6)))


def test_fcl_backend_has_what_moves_followed():
    """A ball of 20 mm that comes by 0.5 m, past a plate of 10 mm: what NativeBackend finds, to_b and time included."""
    fcl = pytest.importorskip("rbdyn.collision.backends.fcl")
    poses, motions = [at(0, 0, -0.005), at(0.1, 0.05, 0.12)], moves((0, 0, 0, 0.01, 0.02, -0.5))
    shapes = Box((1.0, 1.0, 0.01)), Sphere(0.02)
    found = scene(*shapes, backend=fcl.FCLBackend).query(poses, motions)
    assert len(found) == 1 and found["depth"] == pytest.approx(-0.1, abs=1e-9)
    np.testing.assert_array_equal(found, scene(*shapes).query(poses, motions))


@pytest.mark.parametrize("wrong", [np.zeros((1, 6)), np.zeros(6), "abc", [[0] * 6, [np.nan] * 6]])
def test_wrong_motions_are_refused(wrong):
    with pytest.raises(CollisionError, match="motions must be"):
        scene(HalfSpace(), Sphere(0.1)).query([at(0, 0, 0), at(0, 0, 1)], wrong)


def tumbling(rng, count):
    """Shapes of all kinds, their poses, and motions of up to 0.5 m and 1 rad."""
    kinds = [
        lambda: Sphere(0.1),
        lambda: Box(rng.uniform(0.05, 0.3, 3)),
        lambda: Capsule(0.05, 0.3),
        lambda: Cylinder(0.1, 0.2),
        lambda: ConvexHull(rng.normal(size=(9, 3)) * 0.1),
    ]
    shapes = [HalfSpace(), *(kinds[rng.integers(5)]() for _ in range(count))]
    poses = [at(0, 0, 0), *(at(*rng.uniform(-0.5, 0.5, 2), rng.uniform(0.1, 1.0), 2 * rng.normal(size=3))
                            for _ in range(count))]  # fmt: skip
    turn, way = rng.uniform(-0.6, 0.6, (count, 3)), rng.uniform(-0.3, 0.3, (count, 3))
    return shapes, poses, moves(*np.hstack([turn, way]))


def moved(poses, motions, t):
    found = [np.array(pose) for pose in poses]
    for pose, motion in zip(found, motions, strict=True):
        pose[:3, :3] = Rotation.from_rotvec(t * motion[:3]).as_matrix() @ pose[:3, :3]
        pose[:3, 3] += t * motion[3:]
    return found


def turn_together(rng, poses, motions):
    """Add a turn of all but the first by up to 1 rad about one axis, to a tenth of their own motions."""
    turn = rng.uniform(-0.6, 0.6, 3)
    common = [[*turn, *np.cross(turn, pose[:3, 3])] for pose in poses[1:]]
    return 0.1 * motions + moves(*common)


@pytest.mark.parametrize("together", [False, True])
def test_pairs_without_contact_do_not_meet(seed, together):
    """Sampled a hundred times in the step, no two that it leaves alone are in each other; near ends are not asked."""
    rng = np.random.default_rng(seed)
    left = 0
    for _ in range(4):
        shapes, poses, motions = tumbling(rng, 8)
        if together:
            motions = turn_together(rng, poses, motions)
        backend = scene(*shapes)
        met = {(c["body_a"], c["body_b"]) for c in backend.query(poses, motions)}
        for t in np.linspace(0, 1, 101):
            for c in backend.query(moved(poses, motions, t)):
                pair = c["body_a"], c["body_b"]
                assert pair in met or c["depth"] < MARGIN, (pair, t, c)
        left += 36 - len(met)
    assert left > 20


def test_what_was_asked_before_changes_no_bit(seed):
    """A backend that has followed the shapes for some steps finds what a new one finds."""
    rng = np.random.default_rng(seed)
    shapes, poses, motions = tumbling(rng, 12)
    old, motions = scene(*shapes), 0.1 * motions
    for _ in range(10):
        found = old.query(poses, motions)
        np.testing.assert_array_equal(found, scene(*shapes).query(poses, motions))
        np.testing.assert_array_equal(found, old.query(poses, motions))
        poses = moved(poses, motions, 1.0)
