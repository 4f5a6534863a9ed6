"""A backend that remembers pairs finds what a backend finds that sees the poses for the first time."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdyn.collision import Box, ConvexHull, NativeBackend, Sphere

TOLERANCE = 4e-7  # [m] of sizes up to 1 m: twice what the least push is told to
MARGIN = 1e-3


def random_shape(rng):
    """A hull of few or many corners, a block of eight, or a box."""
    size = rng.uniform(0.2, 0.5, 3)
    kind = rng.integers(4)
    if kind == 0:
        return Box(tuple(size))
    if kind == 1:
        return ConvexHull(np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5 * size)
    x = rng.normal(size=(int(rng.choice((8, 40, 300))), 3))
    return ConvexHull(0.5 * size * x / np.linalg.norm(x, axis=1, keepdims=True))


def filled(shapes, local, excluded):
    """A backend of these shapes, one a body."""
    backend = NativeBackend(margin=MARGIN)
    for body, (shape, pose) in enumerate(zip(shapes, local, strict=True)):
        if shape is not None:
            backend.add_shape(shape, body, pose)
    for a, b in excluded:
        backend.exclude(a, b)
    return backend


def deepest(contacts):
    """The contact of each pair of bodies that is deepest."""
    found = {}
    for c in contacts:
        pair = int(c["body_a"]), int(c["body_b"])
        if pair not in found or c["depth"] > found[pair]["depth"]:
            found[pair] = c
    return found


def compare(seen, fresh):
    """Both found the same pairs, equally deep; and the same contacts of those with the same normal."""
    a, b = deepest(seen), deepest(fresh)
    for pair in set(a) ^ set(b):  # one of them within rounding of the margin
        assert (a[pair] if pair in a else b[pair])["depth"] == pytest.approx(-MARGIN, abs=TOLERANCE), pair
    alike = 0
    for pair in set(a) & set(b):
        assert a[pair]["depth"] == pytest.approx(b[pair]["depth"], abs=TOLERANCE), pair
        alike += bool(a[pair]["normal"] @ b[pair]["normal"] > 1.0 - 1e-9)
    return alike, len(set(a) & set(b))


def random_pose(rng, reach):
    """A rotation, and a place within reach [m]."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.random(random_state=rng).as_matrix(), rng.uniform(-reach, reach, 3)
    return X


def nudge(rng, X, size):
    """A pose turned and shifted by about `size` [rad, m]."""
    Y = X.copy()
    Y[:3, :3] = Rotation.from_rotvec(size * rng.normal(size=3)).as_matrix() @ X[:3, :3]
    Y[:3, 3] += 0.2 * size * rng.normal(size=3)
    return Y


def test_contacts_are_those_of_a_backend_without_a_past(seed):
    """Hulls and boxes that lie in one another move by 1e-6 to 0.3, and meanwhile are edited, filtered, replaced."""
    rng = np.random.default_rng(seed)
    shapes, local = [random_shape(rng) for _ in range(5)], [random_pose(rng, 0.05) for _ in range(5)]
    poses, excluded = [random_pose(rng, 0.2) for _ in range(5)], set()
    backend = filled(shapes, local, excluded)
    alike = count = 0
    for _ in range(150):
        size = 10.0 ** rng.uniform(-6.0, -0.5)
        poses = [nudge(rng, X, size) if rng.random() < 0.7 else X for X in poses]
        event, k = rng.integers(40), int(rng.integers(5))
        if event == 0:
            poses[k] = random_pose(rng, 0.2)
        elif event == 1:
            local[k] = random_pose(rng, 0.05)
            backend.set_shape_pose(backend.ids[k], local[k])
        elif event == 2:
            shapes[k] = random_shape(rng) if rng.random() < 0.8 else Sphere(0.2)
            backend.set_shape(backend.ids[k], shapes[k])
        elif event == 3:
            pair = k, (k + 1) % 5
            backend.include(*pair) if pair in excluded else backend.exclude(*pair)
            excluded ^= {pair}
        elif event == 4:  # the last is removed, and comes back
            backend.remove_shape(backend.ids[-1])
            compare(backend.query(poses), filled([*shapes[:4], None], local, excluded).query(poses))
            backend.add_shape(shapes[4], 4, local[4])
        motions = None if rng.random() < 0.3 else size * rng.normal(size=(5, 6))
        results = compare(backend.query(poses, motions), filled(shapes, local, excluded).query(poses, motions))
        alike, count = alike + results[0], count + results[1]
    assert count > 100
    assert alike > 0.99 * count  # two faces may be as near as one


def test_pairs_at_rest_keep_their_bits():
    """Asked again at the same poses, a backend has the same contacts to the last bit, each time."""
    rng = np.random.default_rng(1)
    backend = filled([random_shape(rng) for _ in range(5)], [np.eye(4)] * 5, ())
    poses = [random_pose(rng, 0.2) for _ in range(5)]
    backend.query(poses)
    first = backend.query(poses)
    for _ in range(5):
        assert backend.query(poses).tobytes() == first.tobytes()
