"""Listing: a Scenery's list while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbdyn.mechanism import Geometry
from rbdyn.scenery.colors import default_color
from rbdyn.scenery.item import Carrier, Item
from rbdyn.spatial.transform import Transform


class Listing:
    """Items and carriers, and for each of these: of which object it is, which internal body, and where on that."""

    def __init__(self, geometry: str) -> None:
        self.geometry = geometry
        self.items: list[Item] = []
        self.carriers: list[Carrier] = []
        self._names: set[str] = set()
        self._places: list[tuple[Any, int, np.ndarray]] = []

    def add_carrier(self, carrier: Carrier, obj: Any, inner: int, rest: np.ndarray) -> int:
        """One more body; its number."""
        self.carriers.append(carrier)
        self._places.append((obj, inner, rest))
        return len(self.carriers) - 1

    def add_link(
        self,
        obj: str,
        link: str,
        visual: Sequence[Geometry],
        collision: Sequence[Geometry],
        robot: bool,
        carrier: int,
        pose: Transform,
    ) -> None:
        """The shapes of a link that are to be seen; `pose` is that of the link on its carrier."""
        shown = {
            "visual": [("visual", visual)] if visual else [("collision", collision)],
            "collision": [("collision", collision)],
            "both": [("visual", visual), ("collision", collision)],
        }
        for kind, geometries in shown[self.geometry]:
            for k, g in enumerate(geometries):
                name = f"{obj}/{'visual/' if kind == 'visual' else ''}{g.name or (f'{link}/{k}' if robot else k)}"
                color = g.color or default_color(obj, g.shape, robot)
                self.items.append(Item(self._free(name), obj, link, kind, g.shape, pose @ g.pose, color, carrier))

    def _free(self, name: str) -> str:
        """The name, or one like it that no other item has."""
        while name in self._names:
            name += "_"
        self._names.add(name)
        return name

    def places(self) -> tuple[list[Any], np.ndarray, np.ndarray]:
        """Objects, internal bodies (n,) and poses on them (n, 4, 4), of the carriers."""
        inner = np.array([place[1] for place in self._places], dtype=np.int32)
        rest = np.array([place[2] for place in self._places], dtype=np.float64).reshape(-1, 4, 4)
        return [place[0] for place in self._places], inner, rest
