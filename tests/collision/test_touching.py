"""Any two convex shapes that just touch, by any gap or depth: a contact, a normal and a depth that part them."""

import itertools

import numpy as np
import pytest
from collision_scenes import contacts, rotation

from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, NativeBackend, Sphere

NEAR = NativeBackend(margin=1e-3)
GAPS = [0.0, *(sign * 10.0**k for k in (-15, -13, -11, -9, -6, -4) for sign in (1, -1))]
CLOUD = np.random.default_rng(1).normal(size=(12, 3)) * (0.1, 0.15, 0.05)


def farthest_of_cylinder(d):
    side = np.hypot(d[0], d[1])
    return np.array([0.1 * d[0] / side if side else 0.0, 0.1 * d[1] / side if side else 0.0, np.copysign(0.15, d[2])])


def farthest_of_cone(d):
    rim = 0.15 * np.array([*d[:2], 0.0]) / max(np.hypot(d[0], d[1]), 1e-300) - (0, 0, 0.1)
    return max(rim, np.array([0.0, 0.0, 0.1]), key=lambda x: x @ d)


SHAPES = {                                                              # and their point farthest along d
    "sphere": (Sphere(0.1), lambda d: 0.1 * d / np.linalg.norm(d)),
    "ellipsoid": (Ellipsoid((0.1, 0.2, 0.05)),
                  lambda d: np.square((0.1, 0.2, 0.05)) * d / np.linalg.norm((0.1, 0.2, 0.05) * d)),
    "capsule": (Capsule(0.1, 0.3), lambda d: 0.1 * d / np.linalg.norm(d) + (0, 0, np.copysign(0.15, d[2]))),
    "cylinder": (Cylinder(0.1, 0.3), farthest_of_cylinder),
    "cone": (Cone(0.15, 0.2), farthest_of_cone),
    "box": (Box((0.2, 0.3, 0.1)), lambda d: np.copysign((0.1, 0.15, 0.05), d)),
    "hull": (ConvexHull(CLOUD), lambda d: CLOUD[np.argmax(CLOUD @ d)]),
}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))


def support(name, R, d):
    return R @ SHAPES[name][1](R.T @ d)


def touching(a, b, seed, gap):
    """Poses of both, and the direction from b to a in which they are a gap apart: points, edges or faces meet."""
    rng = np.random.default_rng(seed)
    X, Y = np.eye(4), np.eye(4)
    X[:3, :3], Y[:3, :3] = rotation(rng), rotation(rng)
    n = rng.normal(size=3)
    if seed % 3 == 0:                                                   # a face or the end of the first lies flat
        n = X[:3, seed % 2 + 1] * (1, -1)[seed % 4 > 1]
    n /= np.linalg.norm(n)
    X[:3, 3] = rng.normal(size=3)
    Y[:3, 3] = X[:3, 3] + support(a, X[:3, :3], -n) - support(b, Y[:3, :3], n) - gap * n
    return X, Y, n


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_shapes_that_touch_are_in_contact_along_what_parts_them(a, b):
    """The push along the normal is the least one, to the 0.1 % of their size and 5 % by which a face is preferred."""
    for seed, gap in itertools.product(range(6), GAPS):
        X, Y, n = touching(a, b, seed, gap)
        found = contacts(NEAR, (SHAPES[a][0], X), (SHAPES[b][0], Y))
        assert len(found)
        m = found["normal"][0]
        push = m @ (Y[:3, 3] + support(b, Y[:3, :3], m) - X[:3, 3] - support(a, X[:3, :3], -m))
        assert push < -gap + 2e-4                                       # the smallest radius is 0.19 / 2 m
        # corners that stand a depth apart along n may pass each other; 1e-4 of a size is what a manifold may miss
        assert abs(found["depth"].max()) <= abs(gap) + 2e-5
        if {a, b} <= {"sphere", "ellipsoid", "capsule"} and seed % 3:   # smooth: one normal only
            np.testing.assert_allclose(m, n, atol=1e-3)


def test_a_rim_beside_a_steep_face_is_no_deeper_than_the_shapes_are():
    """The lowest corner of a hull meets a cap at its rim: the plane of its face, a hair off it, is 0.9 mm lower."""
    for gap in (-1e-6, -1e-4):
        X, Y, n = touching("cylinder", "hull", 77, gap)
        found = contacts(NEAR, (SHAPES["cylinder"][0], X), (SHAPES["hull"][0], Y))
        np.testing.assert_allclose(found["normal"][0], -X[:3, 2], atol=1e-9)
        assert found["depth"].max() == pytest.approx(gap * (n @ X[:3, 2]), rel=1e-6)
