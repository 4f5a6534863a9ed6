"""Depth and normal against sweeps of support functions, brute force, and python-fcl where it is right."""

import numpy as np
import pytest
from collision_scenes import brute_sat, contacts, corners, least_overlap, overlap, pose, rotation, touching, turn

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, FCLBackend, HalfSpace, NativeBackend, Sphere

NATIVE = NativeBackend()


def random_shape(kind, rng):
    r, length = rng.uniform(0.05, 0.3), rng.uniform(0.1, 0.8)
    return {
        "sphere": lambda: Sphere(r),
        "capsule": lambda: Capsule(r, length),
        "cylinder": lambda: Cylinder(r, length),
        "box": lambda: Box(rng.uniform(0.1, 0.8, 3)),
        "hull": lambda: ConvexHull(rng.normal(size=(20, 3)) * 0.2),
    }[kind]()


PAIRS = [("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), ("capsule", "capsule"), ("capsule", "box"),
         ("box", "box"), ("cylinder", "box"), ("hull", "capsule"), ("cylinder", "cylinder"), ("hull", "hull"),
         ("hull", "box"), ("sphere", "cylinder"), ("sphere", "hull"), ("capsule", "cylinder"), ("cylinder", "hull"),
         ]  # fmt: skip
SMOOTH = {("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), ("capsule", "capsule"), ("capsule", "box")}


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_depth_and_normal_against_a_sweep(kinds):
    """The deepest contact is the least push that frees the pair; pairs that do not overlap have none."""
    rng = np.random.default_rng([ord(c) for c in "".join(kinds)])
    hits = 0
    for _ in range(25):
        a, b = (random_shape(kind, rng) for kind in kinds)
        X_a, X_b = touching(a, b, rng, rng.uniform(-0.005, 0.03))
        expected, _ = least_overlap(a, X_a, b, X_b)
        found = contacts(NATIVE, (a, X_a), (b, X_b))
        if abs(expected) < 1e-4:
            continue
        assert (len(found) > 0) == (expected > 0)
        if len(found) == 0:
            continue
        hits += 1
        flat = kinds not in SMOOTH
        slack = 1e-3 + 0.06 * expected if flat else 1e-5           # faces are preferred to edges
        deepest = found["depth"].max()
        assert deepest <= expected + slack                         # no direction frees the pair sooner
        along = overlap(a, X_a, b, X_b, found["normal"][:1])[0]
        if not flat:
            assert along == pytest.approx(deepest, abs=2e-5)      # and this one does at that cost
        else:
            assert deepest <= along + 1e-6
    assert hits > 10


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "hull"])
def test_half_space_against_support(kind):
    rng = np.random.default_rng(3)
    for _ in range(60):
        a = random_shape(kind, rng)
        X_b = pose(*rng.uniform(-1, 1, 3), rotation(rng))
        X_a = pose(*rng.uniform(-0.3, 0.3, 3) + X_b[:3, 3], rotation(rng))
        depth = overlap(a, X_a, HalfSpace(), X_b, X_b[:3, 2][None])[0]
        found = contacts(NATIVE, (a, X_a), (HalfSpace(), X_b))
        assert (len(found) > 0) == (depth > 0)
        if len(found):
            assert found["depth"].max() == pytest.approx(depth, abs=3e-6)
            np.testing.assert_allclose(found["normal"], np.tile(X_b[:3, 2], (len(found), 1)), atol=1e-12)
            height = (found["position"] - X_b[:3, 3]) @ X_b[:3, 2]
            np.testing.assert_allclose(height, -0.5 * found["depth"], atol=1e-9)     # midway


def test_boxes_against_brute_force():
    """300 random pairs: same answer, least overlap within the documented preference for faces."""
    rng = np.random.default_rng(5)
    hits = edges = 0
    for _ in range(300):
        a, b = Box(rng.uniform(0.1, 1.0, 3)), Box(rng.uniform(0.1, 1.0, 3))
        X_a, X_b = pose(0, 0, 0, rotation(rng)), pose(*rng.uniform(-0.6, 0.6, 3), rotation(rng))
        expected, axis = brute_sat(a, X_a, b, X_b)
        found = contacts(NATIVE, (a, X_a), (b, X_b))
        assert (len(found) > 0) == (expected > 0)
        if expected <= 0:
            continue
        hits += 1
        smallest = 0.5 * min(*a.size, *b.size)
        chosen = overlap(a, X_a, b, X_b, found["normal"][:1])[0]
        assert expected - 1e-9 <= chosen <= 1.06 * expected + 2.1e-3 * smallest
        assert found["depth"].max() <= chosen + 1e-9
        if len(found) == 1:
            edges += 1
        if abs(chosen - expected) < 1e-9:
            assert found["normal"][0] @ axis > 0.999 or abs(overlap(a, X_a, b, X_b, axis[None])[0] - chosen) < 1e-9
    assert hits > 100 and edges > 5


def test_box_contacts_lie_on_the_overlap():
    """Each contact, moved by half its depth along the normal either way, lies on the surfaces of both boxes."""
    rng = np.random.default_rng(6)
    many = 0
    for _ in range(200):
        a, b = Box(rng.uniform(0.2, 1.0, 3)), Box(rng.uniform(0.2, 1.0, 3))
        X_b = pose(0, 0, 0, rotation(rng))
        R = X_b[:3, :3] @ turn(2, rng.uniform(0, 6)) @ turn(0, rng.normal() * 0.02)
        X_a = pose(*(X_b[:3, :3] @ (*rng.uniform(-0.3, 0.3, 2), 0.5 * (a.size[2] + b.size[2]) - 0.003)), R)
        found = contacts(NATIVE, (a, X_a), (b, X_b))
        many += len(found) > 3
        for contact in found:
            for sign, shape, X in ((-1, a, X_a), (1, b, X_b)):
                x = contact["position"] + sign * 0.5 * contact["depth"] * contact["normal"]
                local = np.abs((x - X[:3, 3]) @ X[:3, :3]) - 0.5 * np.array(shape.size)
                assert local.max() < 5e-3                          # a corner beside the face moves by 1 % of its side
                assert local.max() > -1e-2
    assert many > 100


def test_manifold_spans_what_dense_sampling_finds():
    """The contacts' area covers the faces' overlap: sampled on a grid, within the 2 % that are merged."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        a, b = Box((0.4, 0.6, 0.2)), Box(rng.uniform(0.2, 0.8, 3))
        angle = rng.uniform(0, 6)
        X_b = pose(*rng.uniform(-0.2, 0.2, 2), 0.1 + 0.5 * b.size[2] - 1e-4, turn(2, angle))
        found = contacts(NATIVE, (a, np.eye(4)), (b, X_b))
        grid = np.stack(np.meshgrid(np.linspace(-0.2, 0.2, 41), np.linspace(-0.3, 0.3, 41)), -1).reshape(-1, 2)
        local = (grid - X_b[:2, 3]) @ X_b[:2, :2]
        inside = grid[(np.abs(local) <= 0.5 * np.array(b.size[:2])).all(axis=1)]
        assert len(inside) > 50
        for phi in np.linspace(0, 2 * np.pi, 16, endpoint=False):
            d = np.array([np.cos(phi), np.sin(phi)])
            assert (found["position"][:, :2] @ d).max() > (inside @ d).max() - 0.02


@pytest.mark.parametrize("kinds", [("sphere", "sphere"), ("sphere", "box"), ("sphere", "capsule"), ("capsule", "box"),
                                   ("box", "box")], ids="-".join)  # fmt: skip
def test_agrees_with_fcl(kinds):
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(25):
        a, b = (random_shape(kind, rng) for kind in kinds)
        X_a, X_b = touching(a, b, rng, rng.uniform(0.001, 0.02))
        ours, theirs = contacts(NATIVE, (a, X_a), (b, X_b)), contacts(FCLBackend(), (a, X_a), (b, X_b))
        if len(theirs) == 0 or len(ours) == 0:
            expected = least_overlap(a, X_a, b, X_b)[0]
            assert len(ours) == 0 or expected > -1e-9
            assert len(theirs) == 0 or expected < 1e-5
            continue
        depth = theirs["depth"].max()
        expected = least_overlap(a, X_a, b, X_b)[0]
        if abs(depth - expected) > 1e-4 * max(1.0, expected):      # FCL is not right here
            continue
        hits += 1
        assert ours["depth"].max() == pytest.approx(depth, abs=1e-3 if kinds == ("box", "box") else 2e-4)
        if kinds != ("box", "box"):
            assert ours["normal"][0] @ theirs["normal"][0] > 0.99
    assert hits > 12


def test_patch_of_a_cylinder_on_a_box_surrounds_it():
    """A can stands on a crate: four corners around its axis, all as deep as it sank; and two lie side by side."""
    can, crate = Cylinder(0.1, 0.3), Box((0.6, 0.6, 0.2))
    found = contacts(NATIVE, (crate, np.eye(4)), (can, pose(0.1, 0.05, 0.249)))
    assert len(found) == 4
    np.testing.assert_allclose(found["depth"], 0.001, atol=1e-9)
    np.testing.assert_allclose(found["position"][:, 2], 0.0995, atol=1e-9)
    arms = found["position"][:, :2] - (0.1, 0.05)
    for phi in np.linspace(0, 2 * np.pi, 16):
        assert (arms @ (np.cos(phi), np.sin(phi))).max() > 0.06
    lying = turn(1, np.pi / 2)
    found = contacts(NATIVE, (can, pose(0, 0, 0, lying)), (can, pose(0.05, 0, 0.199, lying)))
    assert sorted(found["position"][:, 0]) == pytest.approx([-0.1, 0.15], abs=1e-6)
    np.testing.assert_allclose(found["depth"], 0.001, atol=1e-6)
    found = contacts(NATIVE, (crate, np.eye(4)), (can, pose(0, 0, 0.198, lying)))
    assert sorted(found["position"][:, 0]) == pytest.approx([-0.15, 0.15], abs=1e-6)
    np.testing.assert_allclose(found["depth"], 0.002, atol=1e-6)


def test_hull_of_a_cube_is_the_cube():
    """The general kernel against the closed forms of boxes."""
    rng = np.random.default_rng(12)
    cube = ConvexHull([[x, y, z] for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.2, 0.2)])
    box = Box((0.2, 0.3, 0.4))
    for other in (Sphere(0.1), Capsule(0.05, 0.2), HalfSpace()):
        for _ in range(40):
            X = pose(*rng.uniform(-0.3, 0.3, 3), rotation(rng))
            one, two = (contacts(NATIVE, (shape, np.eye(4)), (other, X)) for shape in (box, cube))
            assert (len(one) > 0) == (len(two) > 0)
            if len(one):
                deep = one["depth"].max()
                assert two["depth"].max() == pytest.approx(deep, abs=1e-3 + 0.06 * deep)


def test_corners_of_the_oracle_are_not_trivial():
    assert np.ptp(corners(Box((1, 2, 3)), pose(1, 1, 1)), axis=0) == pytest.approx([1, 2, 3])
