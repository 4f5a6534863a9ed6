"""Flat faces on rough ground: what is kept of many contacts holds a body up wherever it comes to rest."""

import numpy as np
import pytest
from scipy.optimize import linprog
from surfaces import grid_mesh

from rbdyn.collision import Box, ConvexHull, HeightMap, NativeBackend

CELL = 0.02  # [m]
NOISE = 2e-4  # [m] peak to peak
SLOP = 1e-5  # [m] of a World: gaps below it do not close
SIDES = 0.4, 0.3, 0.1  # [m] of the bodies, which cover all that is rough


def rough_patch(rng):
    """Noise within a pit: heights (ny, nx), and the points that stick out of the pit (n, 3)."""
    heights = np.full((41, 41), -1e-3)
    heights[15:26, 13:28] = rng.uniform(-0.5 * NOISE, 0.5 * NOISE, (11, 15))
    x, y = np.meshgrid(CELL * (np.arange(41) - 20), CELL * (np.arange(41) - 20))
    points = np.stack([x, y, heights], axis=-1)[15:26, 13:28].reshape(-1, 3)
    return heights, points


def ground_of(kind, heights):
    if kind == "height_map":
        return HeightMap(heights, (CELL * 40, CELL * 40))
    x, y = np.meshgrid(CELL * (np.arange(41) - 20), CELL * (np.arange(41) - 20), indexing="ij")
    return grid_mesh(x, y, heights.T)


def rest_on(points, at):
    """Pose of a body whose face comes to rest on points, if it is loaded over a place (2,): the lowest plane there."""
    A = np.c_[points[:, :2], np.ones(len(points))]
    a, b, c = linprog([*at, 1.0], A_ub=-A, b_ub=-points[:, 2], bounds=[(None, None)] * 3).x
    z = np.array([-a, -b, 1.0]) / np.sqrt(1.0 + a * a + b * b)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    X = np.eye(4)
    X[:3, :3] = np.c_[x, np.cross(z, x), z]
    X[:3, 3] = (0.0, 0.0, c) + 0.5 * SIDES[2] * z
    return X


def carries(points, at):
    """Test whether a place lies within the convex hull of points (n, 2), or 0.1 mm beside it."""
    A = np.c_[np.vstack([points.T, np.ones(len(points))]), np.eye(3), -np.eye(3)]
    return linprog(np.r_[np.zeros(len(points)), np.ones(6)], A_eq=A, b_eq=[*at, 1.0]).fun < 1e-4


def shape_of(name):
    half = 0.5 * np.array(SIDES)
    return Box(SIDES) if name == "box" else ConvexHull(half * (2.0 * np.mgrid[:2, :2, :2].reshape(3, -1).T - 1.0))


def contacts_at(ground, shape, X):
    backend = NativeBackend(margin=1e-4)
    backend.add_shape(ground, 0, dynamic=False)
    backend.add_shape(shape, 1)
    return backend.query([np.eye(4), X])


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["box", "hull"])
def test_a_face_is_held_wherever_it_comes_to_rest(kind, name, seed):
    """The contacts within the slop have the load between them, in the pose in which a linear program says it rests."""
    rng = np.random.default_rng(seed)
    heights, points = rough_patch(rng)
    ground, shape = ground_of(kind, heights), shape_of(name)
    for _ in range(10):
        at = rng.uniform(-0.05, 0.05, 2)
        found = contacts_at(ground, shape, rest_on(points, at))
        touching = found[found["depth"] > -SLOP]
        assert found["depth"].max() < 2e-6
        assert carries(touching["position"][:, :2], at)
        assert len(found) <= 12


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
def test_a_face_that_leans_a_little_is_held_by_what_carried_it(kind, seed):
    """Leaning by up to 8 um, less than contacts give way: what is within the slop more has the load between it."""
    rng = np.random.default_rng(seed)
    heights, points = rough_patch(rng)
    ground, shape = ground_of(kind, heights), shape_of("box")
    for _ in range(10):
        at = rng.uniform(-0.05, 0.05, 2)
        X = rest_on(points, at)
        for _ in range(5):
            leaning = X.copy()
            a, b = rng.uniform(-2e-5, 2e-5, 2)
            leaning[:3, :3] = np.array([[1.0, 0.0, b], [0.0, 1.0, -a], [-b, a, 1.0]]) @ X[:3, :3]
            leaning[2, 3] += rng.uniform(-5e-6, 5e-6)
            found = contacts_at(ground, shape, leaning)
            assert carries(found["position"][found["depth"] > -8e-6 - SLOP][:, :2], at)
