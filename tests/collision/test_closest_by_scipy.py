"""Distances, closest points and casts of every two shapes beside scipy's optimisers, which know the definitions alone.

`python -m benchmarks.closest` looks at more poses, and prints what it finds.
"""

import itertools

import numpy as np
import pytest

from benchmarks.closest import ENDLESS, errors, shapes
from benchmarks.convex_programs import closest, first_touch
from rbdyn.collision import Box, Cone, Sphere, distance

SHAPES = shapes()
CONVEX = [name for name in SHAPES if name not in ("mesh", "height map", "compound")]
PAIRS = [(a, b) for b, a in itertools.combinations_with_replacement(CONVEX, 2) if not isinstance(SHAPES[a], ENDLESS)]
SURFACES = [("sphere", "height map"), ("hull", "mesh"), ("box", "height map"), ("compound", "half-space"),
            ("ellipsoid", "compound")]  # fmt: skip


@pytest.mark.parametrize("names", PAIRS + SURFACES, ids="-".join)
def test_the_optimiser_finds_the_same(names):
    """Distances to 1e-11, points and shares to 1e-9: what the optimisers are good for."""
    a, b = (SHAPES[name] for name in names)
    apart, points, casts = errors(a, b, 4 if names in PAIRS else 2, seed=11)
    assert len(apart) == len(points) and casts
    assert max(apart) < 1e-11 and max(points) < 1e-9 and max(casts) < 1e-9


def test_the_oracle_knows_closed_forms():
    """A cone's apex and its rim above a box, and a ball that is thrown at one: by hand."""
    up, down = np.eye(4), np.diag([1.0, -1.0, -1.0, 1.0])
    up[2, 3] = down[2, 3] = 1.0
    box, cone = Box((2.0, 2.0, 0.2)), Cone(0.3, 0.6)
    assert closest(cone, up, box, np.eye(4))[0] == pytest.approx(0.6, abs=1e-10)
    found, on_a, on_b = closest(cone, down, box, np.eye(4))
    assert found == pytest.approx(0.6, abs=1e-10)
    np.testing.assert_allclose([on_a, on_b], [(0, 0, 0.7), (0, 0, 0.1)], atol=1e-7)
    assert distance(cone, down, box, np.eye(4)).distance == pytest.approx(0.6, abs=1e-15)
    aside = np.eye(4)
    aside[:3, 3] = 0.0, 0.0, 2.1
    assert first_touch(Sphere(0.5), aside, np.array([0.3, 0.0, -3.0]), box, np.eye(4)) == pytest.approx(0.5, abs=1e-10)
    assert first_touch(Sphere(0.5), aside, np.array([0.3, 0.0, -1.0]), box, np.eye(4)) == np.inf
