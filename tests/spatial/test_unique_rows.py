"""Rows that are there several times: what numpy says of them, more slowly."""

import numpy as np
import pytest

from rbdyn.spatial.unique_rows import unique_rows


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (500, 1), (500, 3), (300, 4)])
@pytest.mark.parametrize("kind", [float, int])
def test_the_same_as_numpy(shape, kind, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, shape).astype(kind) * (0.1 if kind is float else 1)
    first, which = unique_rows(rows)
    found, index, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(first, index) and np.array_equal(which, inverse.reshape(-1))
    assert np.array_equal(rows[first], found) and np.array_equal(rows[first][which], rows)


def test_zeros_of_either_sign_are_one():
    first, which = unique_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]]))
    assert first.tolist() == [2, 0] and which.tolist() == [1, 1, 0]
