"""The ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rbdyn.collision.shapes.shape import Shape, ShapeData


@dataclass(frozen=True)
class HalfSpace(Shape):
    """All points with z <= 0: the ground.  Its frame's z axis is the outward normal."""

    kind: ClassVar[str] = "half_space"

    def data(self) -> ShapeData:
        """What compiled code is told: it has no size, and no bounds."""
        return ShapeData(self.kind, {}, 0.0)

    def _contains(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(points[:, 2] <= 0.0)
