"""What stays where it is stands in a tree: whatever moves, teleports, comes or goes, contacts are those of geometry."""

import numpy as np
import pytest
from collision_scenes import contacts, pose

from rbdyn.collision import Box, Cone, NativeBackend, Sphere, distance
from rbdyn.collision.distance import placed_parts

RADII = (0.1, 0.2, 0.05)


def touching(places, dynamic):
    """Pairs of spheres that overlap, one of them dynamic: brute force."""
    r = np.array([RADII[k % 3] for k in range(len(places))])
    gap = np.linalg.norm(places[:, None] - places[None], axis=2) - r[:, None] - r[None]
    either = dynamic[:, None] | dynamic[None]
    return {(i, j) for i, j in zip(*np.nonzero((gap < 0.0) & either), strict=True) if i < j}


def found(backend, places):
    looks = backend.query([pose(*x, np.eye(3)) for x in places])
    return set(zip(looks["body_a"].tolist(), looks["body_b"].tolist(), strict=True))


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_spheres_among_fixed_ones_touch_whom_they_overlap(seed, margin):
    """Some fixed ones are moved between looks, one of them at each; shapes come and go."""
    rng, seen = np.random.default_rng(seed), 0
    n = 150
    dynamic = rng.random(n) < 0.4
    places = rng.uniform(-0.6, 0.6, (n, 3)) * (1.0, 1.0, 0.5 if seed % 2 else 3.0)
    backend = NativeBackend(margin=margin)
    ids = [backend.add_shape(Sphere(RADII[k % 3]), k, dynamic=bool(dynamic[k])) for k in range(n)]
    restless = np.flatnonzero(~dynamic)[0]
    for look in range(25):
        places[dynamic] += 0.02 * rng.normal(size=(dynamic.sum(), 3))
        places[restless] += 0.01
        if look % 6 == 5:
            places[rng.choice(n, 5)] += rng.normal(size=3) * 0.1
        if look == 12:
            backend.remove_shape(ids[7])
            places[7] = 1e3
        near = found(backend, places)
        overlap = touching(places, dynamic)
        if margin == 0.0:
            assert near == overlap
        assert near >= overlap
        seen += len(overlap)
    assert seen > 500


def test_what_moves_by_itself_is_met_where_it_goes():
    """A plate that is driven through a ball in one step, and not dynamic, is in contact with it."""
    backend = NativeBackend()
    backend.add_shape(Box((1.0, 1.0, 0.01)), 0, dynamic=False)
    backend.add_shape(Sphere(0.1), 1)
    at = [pose(0.0, 0.0, z, np.eye(3)) for z in (-1.0, 0.0)]
    assert len(backend.query(at, np.zeros((2, 6)))) == 0
    assert len(backend.query(at, [[0, 0, 0, 0, 0, 2.0], [0] * 6])) == 1
    assert len(backend.query(at, [[0, 0, 0, 0, 0, 0.5], [0] * 6])) == 0
    assert len(backend.query(at, np.zeros((2, 6)))) == 0


def test_far_out_and_at_margins_nothing_is_overlooked():
    """Boxes a hair above a fixed slab at 1e6 m: rounding of bounds to single precision hides none within the margin."""
    for offset in (0.0, 1e3, 1e6):
        backend = NativeBackend(margin=1e-3)
        backend.add_shape(Box((4.0, 4.0, 1.0)), 0, dynamic=False)
        backend.add_shape(Box((0.2, 0.2, 0.2)), 1)
        at = [pose(offset, offset, z, np.eye(3)) for z in (offset, offset + 0.6 + 0.9e-3)]
        assert len(backend.query(at)) == 4


def test_thousands_of_fixed_shapes_and_one_that_moves():
    """On a grid of 50 by 50 boxes: each place under a ball is found, and nothing else."""
    backend = NativeBackend()
    grid = [pose(i, j, 0.0, np.eye(3)) for i in range(50) for j in range(50)]
    for k in range(2500):
        backend.add_shape(Box((0.4, 0.4, 0.4)), k, dynamic=False)
    backend.add_shape(Sphere(0.1), 2500)
    rng = np.random.default_rng(0)
    for _ in range(30):
        i, j = rng.integers(0, 50, 2)
        looks = backend.query(np.array([*grid, pose(i + 0.05, j - 0.03, 0.29, np.eye(3))]))
        assert looks["body_a"].tolist() == [50 * i + j]
        assert looks["depth"][0] == pytest.approx(0.01, abs=1e-12)


def test_parts_of_a_shape_that_is_one_are_itself():
    """And a cone among boxes has one contact with that which it is in."""
    cone = Cone(0.1, 0.2)
    assert placed_parts(cone, np.eye(4), "pose") == [(cone, pytest.approx(np.eye(4)))]
    assert distance(cone, np.eye(4), Box((1, 1, 1)), np.eye(4)).distance < 0.0
    assert len(contacts(NativeBackend(), (cone, np.eye(4)), (Box((1, 1, 1)), pose(0, 0, 0.59, np.eye(3))))) > 0


@pytest.mark.parametrize("driven", [False, True])
def test_bodies_that_meet_only_what_stays_meet_all_of_it(seed, driven):
    """Bodies of three spheres each that pass through one another: pairs with fixed spheres are those that overlap.

    Fixed ones are moved between looks; with `driven` one of them is on its way in each step, and then rests.
    """
    rng, n, m = np.random.default_rng(seed), 40, 25
    backend = NativeBackend()
    local = 0.15 * rng.normal(size=(m, 3, 3))
    for k in range(n):
        backend.add_shape(Sphere(0.1), k, dynamic=False)
    for k in range(m):
        for at in local[k]:
            backend.add_shape(Sphere(0.07), n + k, pose=pose(*at, np.eye(3)), group=2, mask=1)
    places = rng.uniform(-0.7, 0.7, (n + m, 3))
    seen = 0
    for look in range(12):
        places[n:] += 0.05 * rng.normal(size=(m, 3))
        if look % 4 == 3:
            places[look] += 0.2
        motions = np.zeros((n + m, 6))
        if driven and look < 8:
            motions[0, 3:] = 1e-2
        found_ = backend.query([pose(*x, np.eye(3)) for x in places], motions)
        gap = np.linalg.norm(places[n:, None, None] + local[:, :, None] - places[:n], axis=-1) - 0.17
        expected = {(i, n + k) for k, _, i in zip(*np.nonzero(gap < 0.0), strict=True) if i > 0}
        pairs = set(zip(found_["body_a"].tolist(), found_["body_b"].tolist(), strict=True))
        assert {p for p in pairs if p[0] > 0} == expected
        assert {p for p in pairs if p[0] == 0} >= {(0, n + k) for k in np.nonzero((gap[..., 0] < 0.0).any(axis=1))[0]}
        seen += len(expected)
    assert seen > 100
