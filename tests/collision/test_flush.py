"""Shapes that stand flush, turned together: distances, nearest points and casts are numbers, and prove themselves."""

import itertools

import numpy as np
import pytest
from collision_scenes import pose, rotation

import rbdyn
from rbdyn.collision import Box, Cone, ConvexHull, Cylinder, Mesh, distance, shape_cast

SIDE = 2.0
CUBE = Box((SIDE, SIDE, SIDE))
CORNERS, FACES = CUBE.triangles()
LOWER = {"cylinder": Cylinder, "cone": Cone}
STANDS_ON = {"box": CUBE, "hull": ConvexHull(CORNERS), "mesh": Mesh(CORNERS, FACES)}
BESIDE = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5))  # [m] from the middle of the face: also half over its edge


def farthest(kind, radius, height, d):
    """The point of a cylinder or a cone farthest along d, in its frame."""
    rim = radius / max(np.hypot(d[0], d[1]), 1e-300) * d[:2]
    if kind == "cylinder":
        return np.array([*rim, np.copysign(0.5 * height, d[2])])
    return max(np.array([*rim, -0.5 * height]), np.array([0.0, 0.0, 0.5 * height]), key=lambda x: x @ d)


def plane_gap(kind, radius, height, X, Y, n):
    """How far apart the plane along n, which leads from the cube at Y, keeps it and the shape at X."""
    low = X[:3, 3] + X[:3, :3] @ farthest(kind, radius, height, -X[:3, :3].T @ n)
    high = Y[:3, 3] + 0.5 * SIDE * Y[:3, :3] @ np.sign(Y[:3, :3].T @ n)
    return n @ (low - high)


def flush(rng, radius, height):
    """Poses of a shape that stands on a cube, both turned by one random rotation and shifted by whole metres."""
    R, shift = rotation(rng), rng.integers(-3, 4, 3)
    for x, y in BESIDE:
        yield pose(*(R @ (x, y, 0.5 * (SIDE + height)) + shift), R), pose(*shift, R)


@pytest.mark.parametrize(("kind", "below"), list(itertools.product(LOWER, STANDS_ON)))
def test_flush_shapes_have_distances_and_normals(kind, below, seed):
    rng = np.random.default_rng(seed)
    for radius, height in itertools.product((0.5, 1.0, 1.5), (1.0, 2.0, 3.0)):
        shape = LOWER[kind](radius, height)
        for X, Y in flush(rng, radius, height):
            for swapped in (False, True):
                pair = (STANDS_ON[below], Y, shape, X) if swapped else (shape, X, STANDS_ON[below], Y)
                d, on_a, on_b, n = distance(*pair)
                assert abs(d) < 1e-9 and np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
                np.testing.assert_allclose(on_a, on_b, atol=1e-6 if below == "mesh" else 1e-9)
                local = Y[:3, :3].T @ (on_a - Y[:3, 3])
                assert np.abs(local).max() == pytest.approx(0.5 * SIDE, abs=1e-6)
                if below != "mesh":  # a surface, which may be left to either side
                    up = -n if swapped else n
                    assert plane_gap(kind, radius, height, X, Y, up) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("kind", "below"), list(itertools.product(LOWER, STANDS_ON)))
def test_flush_shapes_in_a_world(kind, below, seed):
    """`nearest` of what stands there, and casts that begin there, and end there."""
    rng = np.random.default_rng(seed)
    for radius, height in ((0.5, 1.0), (1.5, 2.0)):
        shape = LOWER[kind](radius, height)
        for X, Y in flush(rng, radius, height):
            world, up = rbdyn.World(), X[:3, 2]
            body = world.add_single_body([rbdyn.Geometry(STANDS_ON[below])], 0.0, np.zeros((3, 3)), "static")
            body.set_pose(Y[:3, 3], Y[:3, :3])
            found = world.nearest(shape, X)
            assert abs(found.distance) < 1e-9 and np.isfinite(found.position).all()
            above = X.copy()
            above[:3, 3] += up
            for start, way in ((X, -up), (above, -2.0 * up)):
                hit = shape_cast(shape, start, way, STANDS_ON[below], Y)
                assert hit.fraction == pytest.approx(0.0 if start is X else 0.5, abs=1e-9)
                assert np.isfinite(hit.position).all() and np.linalg.norm(hit.normal) == pytest.approx(1.0, abs=1e-12)
