"""Noise on measurements, and bounds of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rbdyn.sensors.descriptions import Noise

Array = NDArray[np.float64]


def with_noise(values: Array, noise: Noise, rng: np.random.Generator) -> Array:
    """The values with noise on each; the same array if there is none."""
    if not noise.acts:
        return values
    if noise.type == "gaussian":
        return values + rng.normal(noise.mean, noise.stddev, size=values.shape)
    half = math.sqrt(3.0) * noise.stddev
    return values + rng.uniform(noise.mean - half, noise.mean + half, size=values.shape)


def within(values: Array, low: float, high: float) -> Array:
    """Distances with noise: those that leave the sensor's range are infinite, as all that it does not see."""
    return np.where((values >= low) & (values <= high), values, np.inf)


def bounded(values: Array, limit: float) -> Array:
    """The values, none beyond the limit."""
    return values if limit == math.inf else np.clip(values, -limit, limit)
