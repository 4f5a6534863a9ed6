"""Height maps that are flat in parts: their cells are joined, and what is found is what single cells would tell."""

import functools

import numpy as np
import pytest
from collision_scenes import pose
from scipy.spatial.transform import Rotation

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, HeightMap, NativeBackend, Sphere
from rbdyn.collision.shapes.flat_cells import set_levels

SIZE = 2.0, 1.8  # [m]
POINTS = 61, 71  # along y and x
SHAPES = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "hull": ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1),
}


def plateaus(rng, slopes=False):
    """Rectangles of other heights, or other slopes, one over the other (ny, nx) [m]."""
    ny, nx = POINTS
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, nx) * SIZE[0], np.linspace(-0.5, 0.5, ny) * SIZE[1])
    heights = np.zeros(POINTS)
    for _ in range(4):
        i, j = rng.integers(0, ny - 20), rng.integers(0, nx - 20)
        part = (slice(i, i + rng.integers(8, 40)), slice(j, j + rng.integers(8, 40)))
        a, b = rng.uniform(-0.3, 0.3, 2) if slopes else (0.0, 0.0)
        heights[part] = rng.uniform(-0.1, 0.1) + a * x[part] + b * y[part]
    return heights


def single_cells(heights, rng):
    """Heights that lie in no plane, by 1e-13 m, which joins no cells."""
    return heights + rng.uniform(-1e-13, 1e-13, heights.shape)


def meet(ground, shape, X, margin):
    backend = NativeBackend(margin=margin)
    backend.add_shape(ground, 0, dynamic=False)
    backend.add_shape(shape, 1)
    return backend.query([np.eye(4), X])


def levels_of(heights):
    levels = np.full((POINTS[0] - 1, POINTS[1] - 1), 99, dtype=np.uint8)
    set_levels(heights, levels, (0, 4, 0, 5), 4)
    return levels


@pytest.mark.parametrize("slopes", [False, True], ids=["level", "slopes"])
def test_joined_cells_lie_in_one_plane_and_no_larger_block_does(slopes, seed):
    """Fit planes to the block and the cells around it."""
    rng = np.random.default_rng(seed)
    heights = plateaus(rng, slopes)
    levels = levels_of(heights)
    ny, nx = levels.shape

    @functools.cache
    def is_flat(i, j, side):
        around = (np.arange(max(k - 1, 0), min(k + side + 2, n + 1)) for k, n in ((i, ny), (j, nx)))
        rows, columns = np.meshgrid(*around, indexing="ij")
        A = np.c_[rows.ravel(), columns.ravel(), np.ones(rows.size)]
        z = heights[rows, columns].ravel()
        return np.abs(A @ np.linalg.lstsq(A, z, rcond=None)[0] - z).max() < 1e-12

    assert len(np.unique(levels)) > 3
    for i in range(ny):
        for j in range(nx):
            found = [k for k in range(1, 5) if is_flat(i >> k << k, j >> k << k, 1 << k)]
            assert levels[i, j] == max(found, default=0)


def lowered(ground, shape, X, depth):
    """The pose from which a shape was lowered until it is so deep in the ground: by bisection."""
    X, low, high = X.copy(), float(ground.height(*X[:2, 3])), 1.0
    for _ in range(40):
        X[2, 3] = 0.5 * (low + high)
        found = meet(ground, shape, X, 0.0)
        low, high = (X[2, 3], high) if len(found) and found["depth"].max() > depth else (low, X[2, 3])
    X[2, 3] = low
    return X


@pytest.mark.parametrize("slopes", [False, True], ids=["level", "slopes"])
@pytest.mark.parametrize("name", SHAPES)
def test_joined_cells_tell_what_single_cells_do(name, slopes, seed):
    """The deepest contact is one of theirs, in any pose that just touches, and pushes the shape out of all of them."""
    rng, shape = np.random.default_rng(seed), SHAPES[name]
    heights = plateaus(rng, slopes)
    joined, single, seen = HeightMap(heights, SIZE), HeightMap(single_cells(heights, rng), SIZE), 0
    for k in range(40):
        R = np.eye(3) if k % 4 == 0 else Rotation.random(random_state=rng).as_matrix()
        X = lowered(single, shape, pose(*rng.uniform(-0.7, 0.7, 2), 0.0, R), 10.0 ** rng.uniform(-6.0, -3.5))
        found, other = meet(joined, shape, X, 1e-4), meet(single, shape, X, 1e-4)
        if other["depth"].max() > 5e-4:  # at a steep side, it is not lowered onto anything
            continue
        seen += 1
        deepest = found[np.argmax(found["depth"])]
        assert deepest["depth"] > 0.0
        alike = other[other["normal"] @ deepest["normal"] > 1.0 - 1e-7]
        assert np.abs(alike["depth"] - deepest["depth"]).min() < 1e-8
        for _ in range(20):
            deepest = found[np.argmax(found["depth"])]
            X[:3, 3] -= (deepest["depth"] + 1e-7) * deepest["normal"]
            found = meet(joined, shape, X, 1e-4)
            if len(found) == 0 or found["depth"].max() <= 0.0:
                break
        left = meet(single, shape, X, 0.0)
        assert len(left) == 0 or left["depth"].max() < 1e-6
    assert seen > 20


def test_a_patched_map_is_a_new_one(seed):
    """Blocks of a map of which parts were changed, and of one that was made of these heights: to the last bit."""
    rng = np.random.default_rng(seed)
    patched = HeightMap(plateaus(rng), SIZE)
    for _ in range(20):
        i, j = rng.integers(0, POINTS[0] - 12), rng.integers(0, POINTS[1] - 12)
        part = np.full((rng.integers(1, 12), rng.integers(1, 12)), rng.choice([0.0, 0.05]))
        patched = patched.patched(part, i, j)
        new = HeightMap(patched.heights, SIZE).data().sizes
        for name, value in patched.data().sizes.items():
            assert np.array_equal(value, new[name]), name
