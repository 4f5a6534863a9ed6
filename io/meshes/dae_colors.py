"""Colours of COLLADA files: the triangles of each material by themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.io.meshes.dae import _triangles
from rbdyn.io.meshes.merge import Faces, Vertices, merge_vertices

Color = tuple[float, float, float, float]


def dae_parts(document: Any) -> list[tuple[Vertices, Faces, Color | None]]:
    """The triangles of a COLLADA scene that `read_dae` has read, by the colours of their materials.

    Parameters
    ----------
    document : collada.Collada
        Without errors.

    Returns
    -------
    parts : list of (vertices, faces, color)
        Corners [m], their numbers, and red, green, blue and opacity, 0 to 1; None of what has a texture, or no
        material.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # pycollada uses numpy.matrix
        corners: dict[Color | None, list[NDArray[np.float64]]] = {}
        for geometry in document.scene.objects("geometry"):
            for primitive in geometry.primitives():
                found = _triangles(_Alone(primitive))
                if found:
                    corners.setdefault(_color(primitive), []).extend(found)
        unit = float(document.assetInfo.unitmeter or 1.0)
    return [(*merge_vertices(np.concatenate(some) * unit), color) for color, some in corners.items()]


class _Alone:
    """One primitive as a scene of its own."""

    def __init__(self, primitive: Any) -> None:
        self.scene, self._primitive = self, primitive

    def objects(self, kind: str) -> list[_Alone]:
        return [self]

    def primitives(self) -> list[Any]:
        return [self._primitive]


def _color(primitive: Any) -> Color | None:
    """The diffuse colour of its material, if that is a plain one."""
    diffuse = getattr(getattr(primitive.material, "effect", None), "diffuse", None)
    if not isinstance(diffuse, (tuple, list)) or not 3 <= len(diffuse) <= 4:
        return None
    try:
        numbers = [float(x) for x in diffuse]
    except (TypeError, ValueError):
        return None
    if not all(np.isfinite(numbers)):
        return None
    r, g, b = (min(max(x, 0.0), 1.0) for x in numbers[:3])
    return r, g, b, 1.0  # opacity is said in several ways that programs read differently
