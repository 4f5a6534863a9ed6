"""Flat faces over rough ground: contacts are at the vertices under a face, by their distances from its plane."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from surfaces import grid_mesh

from rbdyn.collision import Box, ConvexHull, HeightMap, NativeBackend

CELL = 0.01  # [m]
NOISE = 2e-3  # [m] peak to peak
MARGIN = 1e-4  # [m]
HALF = np.array([0.2, 0.15, 0.03])  # [m] of the box, which covers all that is rough
SIDES = 12  # of the prism
ROUND = 2.0 * np.pi / SIDES * np.arange(SIDES)  # [rad]
SHAPES = {
    "box": Box(2.0 * HALF),
    "prism": ConvexHull([(0.3 * np.cos(a), 0.3 * np.sin(a), z) for a in ROUND for z in (-HALF[2], HALF[2])]),
}


def rough_patch(rng, kind):
    """Noise within a pit: the ground, and the points that stick out of the pit (n, 3)."""
    z = np.full((51, 51), -0.01)
    z[16:35, 15:36] = rng.uniform(-0.5 * NOISE, 0.5 * NOISE, (19, 21))
    y, x = np.meshgrid(*2 * [CELL * (np.arange(51) - 25)], indexing="ij")
    points = np.stack([x, y, z], axis=-1)[16:35, 15:36].reshape(-1, 3)
    if kind == "height_map":
        return HeightMap(z, (50 * CELL, 50 * CELL)), points
    return grid_mesh(x.T, y.T, z.T), points


def lowered(points, tilt, turn, depth):
    """Pose of a shape that leans, and is down to `depth` [m] below the highest point."""
    R = Rotation.from_euler("zxy", [turn, *tilt]).as_matrix()
    up = R[:, 2]
    X = np.eye(4)
    X[:3, :3] = R
    X[:3, 3] = up * ((points @ up).max() - depth + HALF[2])
    return X


def meet(ground, shape, X):
    backend = NativeBackend(margin=MARGIN)
    backend.add_shape(ground, 0, dynamic=False)
    backend.add_shape(shape, 1)
    return backend.query([np.eye(4), X])


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", SHAPES)
def test_vertices_under_a_face_hold_it(kind, name, seed):
    """Each contact is at a vertex, along the face's normal, at its distance from the face; the highest has one."""
    rng = np.random.default_rng(seed)
    ground, points = rough_patch(rng, kind)
    for depth in (-5e-5, 1e-7, 1e-5, 1e-4):
        X = lowered(points, rng.uniform(-1e-3, 1e-3, 2), rng.uniform(0.0, np.pi), depth)
        up = X[:3, 2]
        found = meet(ground, SHAPES[name], X)
        depths = points @ up - (X[:3, 3] @ up - HALF[2])
        np.testing.assert_allclose(found["normal"], np.broadcast_to(-up, (len(found), 3)), atol=1e-6)
        assert found["depth"].max() == pytest.approx(depth, abs=1e-9)
        for contact in found:
            off = points - contact["position"]
            beside = np.linalg.norm(off - np.outer(off @ up, up), axis=1)
            k = np.argmin(beside)
            assert beside[k] < 1e-6
            assert contact["depth"] == pytest.approx(depths[k], abs=1e-9)
        assert len(set(found["feature"])) == len(found)
