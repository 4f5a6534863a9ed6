"""How tests compare: relative to the largest expected number, and only against numbers that prove something."""

import numpy as np


def close(actual, expected, rtol=1e-10, floor=1.0):
    """Largest difference within `rtol` of the largest expected number, or of `floor` where that is larger.

    The floor is the size of the numbers that were added to get here: a sum of numbers of size 1 has rounding errors of
    1e-16 however small it is.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"shape {actual.shape}, expected {expected.shape}"
    if expected.size == 0:
        return
    error = float(np.abs(actual - expected).max())
    scale = max(float(np.abs(expected).max()), floor)
    assert error <= rtol * scale, f"error {error:.3g} at scale {scale:.3g}, allowed {rtol:g}\n{actual}\n{expected}"


def nontrivial(expected, least=1e-3):
    """An expected value of zeros would prove nothing."""
    assert float(np.abs(expected).max()) > least, f"the expected value is trivial: {expected}"
