"""Fractal terrain: octaves of gradient noise."""

from __future__ import annotations

import numpy as np

from rbdyn.arguments import number, whole
from rbdyn.errors import CollisionError

LATTICE = 256  # corners of the noise after which it repeats


def gradient_noise(x: np.ndarray, y: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Smooth noise, 0 at the corners of a unit lattice, about -0.7 to 0.7, with a unit gradient at each corner.

    Source: K. Perlin, Improving noise (SIGGRAPH 2002).

    Parameters
    ----------
    x, y : ndarray of float
        Places, of one shape.
    gradient : (LATTICE, LATTICE, 2) ndarray of float
        Of each corner.
    """
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    u, v = x - i, y - j

    def towards(a: int, b: int) -> np.ndarray:
        g = gradient[(i + a) % LATTICE, (j + b) % LATTICE]
        value: np.ndarray = g[..., 0] * (u - a) + g[..., 1] * (v - b)
        return value

    s, t = (w * w * w * (w * (6.0 * w - 15.0) + 10.0) for w in (u, v))
    low = towards(0, 0) + s * (towards(1, 0) - towards(0, 0))
    high = towards(0, 1) + s * (towards(1, 1) - towards(0, 1))
    noise: np.ndarray = low + t * (high - low)
    return noise


def fractal_heights(
    samples: tuple[int, int],
    size: tuple[float, float],
    z_scale: float,
    frequency: float,
    octaves: int,
    lacunarity: float,
    gain: float,
    step_size: float,
    height_offset: float,
    seed: int,
) -> np.ndarray:
    """Heights (ny, nx) [m]; the arguments are those of HeightMap.fractal."""
    try:
        nx, ny = samples
    except (TypeError, ValueError):
        raise CollisionError(f"samples must hold two numbers of points, along x and y, got {samples!r}") from None
    counts = [whole(n, "samples", least=2, most=10**6, error=CollisionError) for n in (nx, ny)]
    named = {"z_scale": z_scale, "height_offset": height_offset}
    for name, value in named.items():
        number(value, name, unit="[m]", error=CollisionError)
    number(frequency, "frequency", above=0.0, unit="[1/m]", error=CollisionError)
    number(lacunarity, "lacunarity", above=0.0, error=CollisionError)
    number(gain, "gain", low=0.0, error=CollisionError)
    number(step_size, "step_size", low=0.0, unit="[m]", error=CollisionError)
    rng = np.random.default_rng(whole(seed, "seed", least=0, error=CollisionError))
    angle = rng.uniform(0.0, 2.0 * np.pi, (LATTICE, LATTICE))
    gradient = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    x, y = np.meshgrid(np.linspace(0.0, size[0], counts[0]), np.linspace(0.0, size[1], counts[1]))
    heights, scale, share = np.zeros_like(x), float(frequency), 1.0
    for _ in range(whole(octaves, "octaves", least=1, most=32, error=CollisionError)):
        heights += share * gradient_noise(scale * x, scale * y, gradient)
        scale, share = scale * lacunarity, share * gain
    heights *= z_scale
    if step_size > 0.0:
        heights = np.floor(heights / step_size) * step_size
    return heights + height_offset
