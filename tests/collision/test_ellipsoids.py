"""Ellipsoids: spheres as a special case, half-spaces in closed form, other shapes against a numeric oracle."""

import itertools

import numpy as np
import pytest
from collision_scenes import contacts, least_overlap, overlap, pose, rotation, touching, turn

import rbdyn
from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, Ellipsoid, FCLBackend, HalfSpace, NativeBackend, Sphere
from rbdyn.collision.distance import distance
from rbdyn.errors import CollisionError

RADII = (0.3, 0.2, 0.12)


def test_a_sphere_is_one(seed):
    """With three equal semi-axes every pair has the sphere's depth and normal."""
    rng = np.random.default_rng(seed)
    others = [HalfSpace(), Sphere(0.2), Capsule(0.1, 0.3), Box((0.3, 0.2, 0.4)), Cylinder(0.2, 0.3),
              ConvexHull(0.3 * rng.normal(size=(20, 3)))]  # fmt: skip
    seen = 0
    for other in others:
        X, Y = pose(*rng.uniform(-0.12, 0.12, 3), rotation(rng)), pose(0, 0, 0, rotation(rng))
        ball, same = contacts(NativeBackend(), (Sphere(0.2), X), (other, Y)), Ellipsoid((0.2, 0.2, 0.2))
        found = contacts(NativeBackend(), (same, X), (other, Y))
        assert (len(found) > 0) == (len(ball) > 0)
        if len(ball):
            seen += 1
            assert found["depth"].max() == pytest.approx(ball["depth"].max(), abs=2e-4)
            if other == HalfSpace():
                np.testing.assert_allclose(found["normal"], ball["normal"], atol=1e-12)
                np.testing.assert_allclose(found["position"], ball["position"], atol=1e-12)
    assert seen >= 4


def test_on_a_half_space(seed):
    """Depth h - n . c with h = |E R^T n|: the support function in closed form; the point lies on the surface."""
    rng = np.random.default_rng(seed)
    n_frame, X = pose(*rng.uniform(-1, 1, 3), rotation(rng)), rotation(rng)
    n, h = n_frame[:3, 2], np.linalg.norm(np.array(RADII) * (X.T @ n_frame[:3, 2]))
    for gap in (-0.05, -1e-6, 0.005, 0.02):
        at = n_frame[:3, 3] + (h + gap) * n + n_frame[:3, :2] @ rng.uniform(-1, 1, 2)
        found = contacts(NativeBackend(margin=0.01), (HalfSpace(), n_frame), (Ellipsoid(RADII), pose(*at, X)))
        assert len(found) == (gap < 0.01)
        if len(found):
            assert found["depth"][0] == pytest.approx(-gap, abs=1e-12)
            np.testing.assert_allclose(found["normal"][0], -n, atol=1e-12)
            surface = X.T @ (found["position"][0] + 0.5 * gap * n - at)
            assert ((surface / RADII) ** 2).sum() == pytest.approx(1.0, abs=1e-9)
            assert (surface @ (X.T @ n)) == pytest.approx(-h, abs=1e-12)


def test_agrees_with_the_least_overlap(seed):
    """Depth is the least push over all directions, for random poses against every convex shape."""
    rng = np.random.default_rng(seed)
    others = [Sphere(0.2), Capsule(0.1, 0.3), Ellipsoid((0.1, 0.25, 0.2)), Box((0.3, 0.2, 0.4)), Cylinder(0.2, 0.3)]
    seen = 0
    for other in others:
        for _ in range(3):
            X, Y = pose(*rng.uniform(-0.3, 0.3, 3), rotation(rng)), pose(0, 0, 0, rotation(rng))
            found = contacts(NativeBackend(), (Ellipsoid(RADII), X), (other, Y))
            expected = least_overlap(Ellipsoid(RADII), X, other, Y)[0]
            assert (len(found) > 0) == (expected > 0) or abs(expected) < 1e-4
            if len(found):
                seen += 1
                slack = 1e-3 + 0.06 * expected if isinstance(other, (Box, Cylinder)) else 1e-3
                assert -1e-3 < found["depth"].max() - expected < slack
    assert seen >= 6


@pytest.mark.parametrize(
    "other", [Sphere(0.2), Ellipsoid((0.1, 0.25, 0.2)), Box((0.3, 0.2, 0.4)), Capsule(0.1, 0.3), Cylinder(0.2, 0.3)],
    ids=lambda shape: type(shape).__name__)  # fmt: skip
def test_both_backends_agree(other, seed):
    """python-fcl has ellipsoids too: light touches have one depth, and about one normal."""
    X, Y = touching(Ellipsoid(RADII), other, np.random.default_rng(seed), 0.005)
    parts = (Ellipsoid(RADII), X), (other, Y)
    found = [contacts(make(), *parts) for make in (NativeBackend, FCLBackend)]
    assert all(len(f) for f in found)
    assert found[0]["depth"].max() == pytest.approx(0.005, abs=5e-5)
    assert found[1]["depth"].max() == pytest.approx(found[0]["depth"].max(), abs=1e-3)
    assert found[0]["normal"][0] @ found[1]["normal"][0] > 0.85  # python-fcl's is rough between curved shapes


def test_inertia_and_rest():
    """A uniform ellipsoid's inertia by sampling; in a World it comes to rest on its flattest side."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200_000, 3))
    x *= (rng.random(200_000) ** (1 / 3) / np.linalg.norm(x, axis=1))[:, None]
    x *= RADII
    expected = 3.0 * ((x**2).sum(axis=1)[:, None, None] * np.eye(3) - x[:, :, None] * x[:, None]).mean(axis=0)
    np.testing.assert_allclose(Ellipsoid(RADII).inertia(3.0), expected, atol=2e-3)
    world = rbdyn.World(2e-3)
    world.add_ground()
    shape = Ellipsoid(RADII)
    body = world.add_single_body([rbdyn.Geometry(shape)], 3.0, shape.inertia(3.0))
    assert body.name == "ellipsoid_1"
    body.set_pose(position=(0, 0, 0.13))
    world.step(500)
    assert body.position[2] == pytest.approx(0.12, abs=1e-3)


@pytest.mark.parametrize("radii", [(1, 2), (1, 2, 0), (1, 2, -3), "abc", (1, 2, np.nan), 5.0, None])
def test_bad_radii_are_named(radii):
    with pytest.raises(CollisionError, match="^radii"):
        Ellipsoid(radii)


@pytest.mark.parametrize("radii", [(0.1, 0.2, 0.05), (0.1, 0.1, 0.1), (0.2, 0.2, 0.1), (0.3, 0.1, 0.02)])
@pytest.mark.parametrize("ground", ["box", "hull", "cylinder"])
def test_an_ellipsoid_that_just_touches_a_flat_top_is_pushed_straight_up(radii, ground):
    """Gaps and overlaps of 1e-14 to 1e-4 m, nearly centred and nearly level: its support point says how deep it is."""
    near, rng = NativeBackend(margin=1e-3), np.random.default_rng(0)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for width in (0.2, 0.7, 2.0):
        block = {
            "box": Box((width, width, 0.2)),
            "hull": ConvexHull(signs * (0.5 * width, 0.5 * width, 0.1)),
            "cylinder": Cylinder(0.5 * width, 0.2),
        }[ground]
        for k in range(100):
            size = 10 ** rng.uniform(-10, -4)
            gap = rng.choice([-1, 1]) * 10 ** rng.uniform(-14, -4)
            a, b, x, y = rng.normal(size=4) * size * (1, 1, k % 2, k % 2)
            R = turn(0, a) @ turn(1, b)
            height = np.linalg.norm(R[2] * radii)                       # of its centre, where it touches
            found = contacts(near, (block, np.eye(4)), (Ellipsoid(radii), pose(x, y, 0.1 + height + gap, R)))
            assert len(found) == 1
            np.testing.assert_allclose(np.abs(found["normal"][0]), (0, 0, 1), atol=1e-3)
            assert found["depth"][0] == pytest.approx(-gap, abs=1e-10)


def test_no_push_off_a_thin_plate_is_shorter(seed):
    """Depth is the least push, through a plate or off its edge: a box, a hull of its corners, a disc."""
    rng = np.random.default_rng(seed)
    box = Box((0.4, 0.3, 0.04))
    corners = np.array(list(itertools.product((-0.2, 0.2), (-0.15, 0.15), (-0.02, 0.02))))
    seen = 0
    for plate in (box, ConvexHull(corners), Cylinder(0.2, 0.04), Ellipsoid((0.2, 0.15, 0.02))):
        for other in (Ellipsoid((0.1, 0.06, 0.03)), Cylinder(0.05, 0.2), Box((0.06, 0.08, 0.1))):
            for _ in range(6):
                at = corners[rng.integers(8)] * rng.uniform(0.6, 1.2, 3)
                X, Y = pose(*at, rotation(rng)), np.eye(4)
                apart = distance(other, X, plate, Y)
                expected = least_overlap(other, X, plate, Y)[0]
                if expected > 1e-3:
                    seen += 1
                    push = overlap(other, X, plate, Y, apart.normal[None])[0]
                    assert -apart.distance == pytest.approx(push, abs=1e-9)
                    assert push <= expected + 2e-4 * expected + 1e-6
    assert seen > 20
