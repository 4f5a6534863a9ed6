"""Drawing: the shapes of an inventory in viser's scene, moved all at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import HalfSpace
from rbdyn.mechanism.geometry import Color
from rbdyn.recording.inventory import Inventory
from rbdyn.scenery import Item
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.instances import Instance, instance_of, shade, surface_of

VISUAL, COLLISION, BOTH = "visual", "collision", "both"
SEE_THROUGH = 0.45  # of collision shapes that are drawn over visual ones
DENSE = 64  # so many copies of a mesh, and more, are drawn with fewer triangles far away


@dataclass(eq=False)
class Group:
    """Shapes that are drawn together.

    Parameters
    ----------
    handle : viser's
        What draws them.
    items : (n,) ndarray of int
        Numbers of the shapes.
    layer : str
        "visual", "collision", or "both" of a collision shape that is all that a link shows.
    moves : bool
        Whether any of them may.
    opacity : float
        0 to 1.
    """

    handle: Any
    items: NDArray[np.intp]
    layer: str
    moves: bool
    opacity: float = 1.0


class Drawing:
    """Shapes of an inventory, drawn.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    inventory : Inventory
        What.
    clicked : callable, optional
        Called with the number of an item that was clicked at.
    """

    def __init__(self, scene: Any, inventory: Inventory, clicked: Callable[[int], None] | None = None) -> None:
        self.inventory, self._scene = inventory, scene
        self.carrier_of = np.array([item.carrier for item in inventory.items], dtype=np.intp)
        self._local = np.array([item.pose.matrix for item in inventory.items]).reshape(-1, 4, 4)
        self._shown: Array | None = None
        self.groups: list[Group] = []
        self._clicked, self._through = clicked, False
        drawn = {(item.object, item.link) for item in inventory.items if item.kind == VISUAL}
        layers = [i.kind if i.kind == VISUAL or (i.object, i.link) in drawn else BOTH for i in inventory.items]
        self._add([(k, layer) for k, layer in enumerate(layers) if layer != COLLISION])
        self._later = [(k, layer) for k, layer in enumerate(layers) if layer == COLLISION]  # once they are to be seen
        self.show_layers(True, False)

    def _add(self, numbers: list[tuple[int, str]]) -> None:
        """Draw these items, each in its layer."""
        members: dict[Any, list[tuple[int, Item, Instance]]] = {}
        for k, layer in numbers:
            item = self.inventory.items[k]
            if isinstance(item.shape, HalfSpace):
                self._add_ground(k, item, layer)
                continue
            instance = instance_of(item.shape)
            static = self.inventory.carriers[item.carrier].static
            key = (instance.key, layer, round(item.color[3], 3), static)
            members.setdefault(key, []).append((k, item, instance))
        for number, (key, group) in enumerate(members.items()):
            self._add_group(number, key[1], key[2], group)

    def _add_ground(self, k: int, item: Item, layer: str) -> None:
        r, g, b, _ = item.color
        color = tuple(int(255 * x) for x in (r, g, b))
        handle = self._scene.add_grid(
            f"/shapes/{layer}/ground_{k}", infinite_grid=True, cell_size=0.25, section_size=1.0, fade_distance=40.0,
            cell_color=_darker(color, 0.86), section_color=_darker(color, 0.7), plane_color=color, plane_opacity=1.0,
            shadow_opacity=0.3,
        )  # fmt: skip
        moves = not self.inventory.carriers[item.carrier].static
        self.groups.append(Group(handle, np.array([k]), layer, moves))

    def _add_group(
        self,
        number: int,
        layer: str,
        alpha: float,
        group: list[tuple[int, Item, Instance]],
    ) -> None:
        surface = surface_of(group[0][2])
        opacity = alpha * (SEE_THROUGH if layer == COLLISION else 1.0)
        n = len(group)
        handle = self._scene.add_batched_meshes_simple(
            f"/shapes/{layer}/{_label(group)}_{number}",
            surface.vertices.astype(np.float32),
            surface.faces.astype(np.uint32),
            batched_wxyzs=np.tile((1.0, 0.0, 0.0, 0.0), (n, 1)),
            batched_positions=np.zeros((n, 3)),
            batched_scales=np.array([instance.scale for _, _, instance in group]),
            batched_colors=instance_colors([item.color for _, item, _ in group]),
            opacity=opacity,
            side="double",
            lod="auto" if n >= DENSE else "off",
        )
        items = np.array([k for k, _, _ in group], dtype=np.intp)
        clicked = self._clicked
        if clicked is not None:

            @handle.on_click
            def _(event: Any) -> None:
                clicked(int(items[event.instance_index or 0]))

        moves = not all(self.inventory.carriers[item.carrier].static for _, item, _ in group)
        self.groups.append(Group(handle, items, layer, moves, opacity))

    def show_layers(self, visual: bool, collision: bool) -> None:
        """Show what is drawn, what collides, or both."""
        if collision and self._later:
            later, self._later = self._later, []
            before = len(self.groups)
            self._add(later)
            self.see_through(self._through)
            if self._shown is not None:
                self._move(self.groups[before:], self._shown)
        for group in self.groups:
            group.handle.visible = {VISUAL: visual, COLLISION: collision, BOTH: visual or collision}[group.layer]

    def see_through(self, yes: bool) -> None:
        """Let what is inside be seen, or not."""
        self._through = yes
        for group in self.groups:
            if hasattr(group.handle, "opacity"):
                group.handle.opacity = group.opacity * (SEE_THROUGH if yes else 1.0)

    def place(self, carriers: Array) -> None:
        """Move everything.

        Parameters
        ----------
        carriers : (k, 4, 4) ndarray
            World poses of the inventory's carriers [m].
        """
        still = self._shown is not None and np.array_equal(
            carriers[self._static_carriers], self._shown[self._static_carriers]
        )
        self._shown = carriers
        self._move([group for group in self.groups if group.moves or not still], carriers)

    def _move(self, groups: list[Group], carriers: Array) -> None:
        """Move some of it."""
        X = carriers[self.carrier_of] @ self._local
        p, q = X[:, :3, 3], quats_from_matrices(X[:, :3, :3])
        for group in groups:
            if hasattr(group.handle, "batched_positions"):
                group.handle.batched_positions = p[group.items].astype(np.float32)
                group.handle.batched_wxyzs = q[group.items].astype(np.float32)
            else:
                group.handle.position, group.handle.wxyz = p[group.items[0]], q[group.items[0]]

    @property
    def _static_carriers(self) -> NDArray[np.bool_]:
        return np.array([carrier.static for carrier in self.inventory.carriers], dtype=bool)

    def remove(self) -> None:
        """Take all of it away."""
        for group in self.groups:
            group.handle.remove()
        self.groups.clear()
        self._later = []


def _label(group: list[tuple[int, Item, Instance]]) -> str:
    """A name for viser's tree of the scene."""
    objects = {item.object for _, item, _ in group}
    name = group[0][1].name.replace("/", ".") if len(group) == 1 else f"{next(iter(objects))}.{len(group)}"
    return name if len(objects) == 1 else f"{len(objects)}_objects"


def instance_colors(colors: list[Color]) -> NDArray[np.uint8]:
    """Colours of instances, (n, 3)."""
    return np.array([shade(color[:3]) for color in colors])


def _darker(color: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(int(share * x) for x in color)
