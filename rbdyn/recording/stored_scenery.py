"""What is to be seen of a recording, without its World."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, choice
from rbdyn.errors import StateError
from rbdyn.model import State
from rbdyn.recording.inventory import Inventory
from rbdyn.scenery import Scenery
from rbdyn.scenery.frames import FramePlace, Key
from rbdyn.scenery.sketch import Stroke
from rbdyn.scenery.ties import Tie
from rbdyn.spatial.rotations import Array

GEOMETRY = ("visual", "collision", "both")


class StoredScenery(Scenery):
    """Shapes and colours of a recording; where they are is told by `place`.

    Parameters
    ----------
    inventory : Inventory
        Of a recording.
    geometry : {"visual", "collision", "both"}
        "visual": what a link shows, and what it collides with if it shows nothing.

    Attributes
    ----------
    items : tuple of Item
        The shapes.
    carriers : tuple of Carrier
        The bodies that they move with.
    carrier_of : (n,) ndarray of int
        Which of these each shape moves with; read-only.
    local_poses : (n, 4, 4) ndarray
        Where each shape is on it; read-only [m].
    revision : int
        Does not change.
    """

    def __init__(self, inventory: Inventory, geometry: str = "visual") -> None:
        choice(geometry, "geometry", GEOMETRY)
        drawn = {(item.object, item.link) for item in inventory.items if item.kind == "visual"}
        items = tuple(
            item
            for item in inventory.items
            if geometry in ("both", item.kind) or (geometry == "visual" and (item.object, item.link) not in drawn)
        )
        self.revision = 1
        self._inventory = inventory
        self._drawn: tuple[Stroke, ...] = ()
        self.show(items, inventory.carriers)
        self._placed = np.tile(np.eye(4), (len(self.carriers), 1, 1))

    def place(self, carriers: ArrayLike, strokes: Sequence[Stroke] | None = None) -> None:
        """Say where the carriers are.

        Parameters
        ----------
        carriers : (n, 4, 4) array_like
            World poses [m]: `Recording.carrier_poses`.
        strokes : sequence of Stroke, optional
            What is drawn from now on; by default what was.
        """
        if strokes is not None:
            self._drawn = tuple(strokes)
        self._placed = np.array(as_array(carriers, (len(self.carriers), 4, 4), "carriers"))

    def carrier_poses(self, state: State | None = None) -> Array:
        """World poses of `carriers`, (n, 4, 4), fresh: those that `place` was told [m].

        Parameters
        ----------
        state : State, optional
            None: what is shown is a recording.
        """
        if state is not None:
            raise StateError("state: what is shown is a recording; place(carriers) says where everything is")
        return self._placed.copy()

    @property
    def frames(self) -> dict[Key, FramePlace]:
        """(object, name of a body, link or frame) -> number of its carrier, -1 for the world, and its pose there."""
        return self._inventory.frames

    @property
    def ties(self) -> tuple[Tie, ...]:
        """Wires, and joints that close loops."""
        return self._inventory.ties

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """What `place` was told that the user drew."""
        return self._drawn

    @property
    def state(self) -> State | None:
        """None: what is shown is a recording."""
        return None

    def update(self) -> bool:
        """False: what is recorded does not change."""
        return False
