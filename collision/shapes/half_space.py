"""The ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdyn.collision.shapes.shape import Shape, ShapeData


@dataclass(frozen=True)
class HalfSpace(Shape):
    """All points with z <= 0: the ground.  Its frame's z axis is the outward normal."""

    kind: ClassVar[str] = "half_space"

    def data(self) -> ShapeData:
        """What compiled code is told: it has no size, and no bounds."""
        return ShapeData(self.kind, {}, 0.0)
