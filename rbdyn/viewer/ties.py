"""Wires, and joints that close loops, in viser's scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.recording.inventory import Inventory
from rbdyn.scenery.marks import AXIS_SHARE, LOOP, LOOP_SHARE, WIRE, WIRE_SHARE
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.arrows import Lines, segments
from rbdyn.viewer.sources import Frame


class TieLines:
    """Those of one kind: wires from point to point; of loops the axes on either body, and what is open between them.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    inventory : Inventory
        Of what.
    kind : {"wires", "loops"}
        Which.
    size : float
        About how large the scene is [m].
    """

    def __init__(self, scene: Any, inventory: Inventory, kind: str, size: float) -> None:
        self._ties = [tie for tie in inventory.ties if tie.kind == kind]
        self._length = AXIS_SHARE * size
        color, share = (WIRE, WIRE_SHARE) if kind == "wires" else (LOOP, LOOP_SHARE)
        self._lines = Lines(scene, f"/marks/{kind}", color[:3], share * size)

    def place(self, frame: Frame, carriers: Array) -> None:
        """Move them."""
        parts = [np.empty((0, 2, 3))]
        for tie in self._ties:
            parts += [segments(tie.points(carriers)), tie.axes(carriers, self._length)]
        points = np.concatenate(parts)
        self._lines.place(points[np.isfinite(points).all(axis=(1, 2)) & (points[:, 0] != points[:, 1]).any(axis=1)])

    def remove(self) -> None:
        """Take them away."""
        self._lines.remove()
