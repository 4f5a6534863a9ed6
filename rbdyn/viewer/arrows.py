"""Arrows and lines of any number in viser's scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.scenery.marks import HEAD_LENGTH, HEAD_RADIUS
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.instances import shade


class Lines:
    """Any number of straight lines; viser's have to be one at least, and are made when there are some.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    name : str
        In the tree of the scene.
    color : (r, g, b)
        0 to 1.
    radius : float
        Half their width [m].
    """

    def __init__(self, scene: Any, name: str, color: tuple[float, ...], radius: float) -> None:
        self._scene, self._node, self._light, self._radius = scene, name, shade(color), radius
        self._handle: Any = None

    def _made(self, points: Array) -> Any:
        return self._scene.add_line_segments(self._node, points, self._light, thickness=2.0 * self._radius)

    def place(self, points: Array) -> None:
        """From where to where, (n, 2, 3) [m]."""
        if not len(points):
            if self._handle is not None:
                self._handle.visible = False
            return
        if self._handle is None:
            self._handle = self._made(points.astype(np.float32))
            return
        self._handle.points = points.astype(np.float32)
        self._handle.visible = True

    def remove(self) -> None:
        """Take them away."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


class Arrows(Lines):
    """Any number of arrows.

    Parameters
    ----------
    scene, name, color
        As for Lines.
    radius : float
        Of their shafts [m].
    """

    def _made(self, points: Array) -> Any:
        r = self._radius
        return self._scene.add_arrows(
            self._node, points, self._light, shaft_radius=r, head_radius=HEAD_RADIUS * r, head_length=HEAD_LENGTH * r
        )


def segments(points: Array) -> Array:
    """From point to point, (n - 1, 2, 3), of points (n, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)
