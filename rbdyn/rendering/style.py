"""Style: how a picture is lit and coloured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import as_vector, flag, number, whole
from rbdyn.errors import Error
from rbdyn.rendering.things import linear

Array = NDArray[np.float64]
Color = tuple[float, float, float]


@dataclass(frozen=True)
class Style:
    """How a picture is lit and coloured; depths and segmentation do not depend on it.

    Parameters
    ----------
    light : (3,) sequence of float
        Towards the lamp, which is far away, world axes, of any length but zero.
    shadows : bool
        Whether what stands in the lamp's light throws a shadow.
    shadow_pixels : int
        Of the square in which shadows are found, a side.
    smooth : bool
        Whether light changes smoothly over triangles that meet at less than 35 degrees, or each has one shade.
    antialias : int
        Each pixel is the mean of so many by so many.
    sky, horizon : (3,) sequence of float
        Colours of what is behind everything, straight up and at eye level, 0 to 1.
    squares : float
        Sides of the squares on planes without end [m]; 0: none.
    """

    light: tuple[float, float, float] = (0.35, -0.5, 1.0)
    shadows: bool = True
    shadow_pixels: int = 1024
    smooth: bool = True
    antialias: int = 2
    sky: Color = (0.52, 0.67, 0.86)
    horizon: Color = (0.89, 0.92, 0.95)
    squares: float = 1.0

    def __post_init__(self) -> None:
        toward = as_vector(self.light, 3, "light")
        if not toward.any():
            raise Error("light must not be zero")
        values = {
            "light": tuple(toward.tolist()),
            "shadows": flag(self.shadows, "shadows"),
            "shadow_pixels": whole(self.shadow_pixels, "shadow_pixels", least=16, most=8192),
            "smooth": flag(self.smooth, "smooth"),
            "antialias": whole(self.antialias, "antialias", least=1, most=8),
            "sky": _color(self.sky, "sky"),
            "horizon": _color(self.horizon, "horizon"),
            "squares": number(self.squares, "squares", low=0.0, unit="[m]"),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def plain(cls, **values: Any) -> Style:
        """A quick one: no shadows, no mean of several pixels.

        Parameters
        ----------
        **values
            What else is different.

        Returns
        -------
        style : Style
        """
        return cls(**{"shadows": False, "antialias": 1, **values})

    def light_on(self, center: Array, radius: float) -> dict[str, Any]:
        """As the renderer takes it; `center` and `radius` are of a ball in which shadows fall."""
        toward = np.asarray(self.light) / np.linalg.norm(self.light)
        across = np.cross(toward, np.eye(3)[np.abs(toward).argmin()])
        across /= np.linalg.norm(across)
        axes = np.array([across, np.cross(toward, across), toward])
        return {
            "toward": toward,
            "share": 0.62,
            "sky": 0.28,
            "turned": 0.10,
            "zenith": linear(self.sky),
            "horizon": linear(self.horizon),
            "check": (0.80, 0.82, 0.85),
            "square": self.squares,
            "smooth": self.smooth,
            "shadow": self.shadow_pixels if self.shadows and radius > 0.0 else 0,
            "shadow_center": center,
            "shadow_pixel": 2.1 * max(radius, 1e-9) / self.shadow_pixels,
            "shadow_axes": axes,
        }


def _color(value: Any, name: str) -> Color:
    r, g, b = as_vector(value, 3, name, "(r, g, b)").tolist()
    if not all(0.0 <= x <= 1.0 for x in (r, g, b)):
        raise Error(f"{name} must be between 0 and 1, got {value!r}")
    return r, g, b
