"""Canvas: frames in viser's scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rbdyn.recording import StoredScenery
from rbdyn.recording.inventory import Inventory
from rbdyn.scenery import Camera
from rbdyn.scenery.marks import size_of
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.drawing import Drawing
from rbdyn.viewer.overlay import SHOWN, Overlay
from rbdyn.viewer.sources import Frame

FIELD = np.radians(45.0)


class Canvas:
    """What is drawn of frames, whatever their inventory.

    Parameters
    ----------
    server : viser.ViserServer
        Where.
    clicked : callable, optional
        Called with the frame's inventory's item that was clicked at: (frame, number).
    """

    def __init__(self, server: Any, clicked: Callable[[Frame, int], None] | None = None) -> None:
        self._server, self._clicked = server, clicked
        self._inventory: Inventory | None = None
        self._layers = "visual"
        self._overlay_shown: set[str] = set(SHOWN)
        self._through = False
        self._drawing: Drawing | None = None
        self._overlay: Overlay | None = None

    def show(self, frame: Frame) -> None:
        """Draw a frame; everything anew if others are there than in the last one."""
        carriers = frame.carriers()
        with self._server.atomic():
            if frame.inventory is not self._inventory:
                self._begin(frame, carriers)
            assert self._drawing is not None and self._overlay is not None
            self._drawing.place(carriers)
            self._overlay.place(frame, carriers)

    def _begin(self, frame: Frame, carriers: Array) -> None:
        if self._drawing is not None and self._overlay is not None:
            self._drawing.remove()
            self._overlay.remove()
        self._inventory = frame.inventory
        clicked = None if self._clicked is None else (lambda k: self._clicked(frame, k))  # type: ignore[misc]
        self._drawing = Drawing(self._server.scene, frame.inventory, clicked)
        size, newtons = measures(frame.inventory, carriers)
        ties = size_of(frame.inventory.ties, carriers, size)
        self._overlay = Overlay(self._server.scene, frame.inventory, size, newtons, ties)
        self.show_layers(self._layers)
        if self._through:
            self._drawing.see_through(True)
        for kind in self._overlay_shown:
            self._overlay.show(kind, True)

    def show_layers(self, geometry: str) -> None:
        """Visual shapes, collision shapes or both."""
        self._layers = geometry
        if self._drawing is not None:
            self._drawing.show_layers(geometry != "collision", geometry != "visual")

    def show_marks(self, kind: str, visible: bool) -> None:
        """A kind of marks."""
        (self._overlay_shown.add if visible else self._overlay_shown.discard)(kind)
        if self._overlay is not None:
            self._overlay.show(kind, visible)

    def see_through(self, yes: bool) -> None:
        """Let what is inside of shapes be seen, or not."""
        self._through = yes
        if self._drawing is not None:
            self._drawing.see_through(yes)

    def look_at_all(self, frame: Frame, later: Sequence[Frame] = ()) -> None:
        """Have new cameras see everything, also where it goes; from at most ten times as far for that."""
        X = overview(frame.inventory, frame.carriers()).optical_pose()
        first, radius = ball_of(frame.inventory, frame.carriers())
        balls = [(first, radius), *(ball_of(one.inventory, one.carriers()) for one in later)]
        centers = np.array([c for c, _ in balls])
        center = 0.5 * (centers.min(axis=0) + centers.max(axis=0))
        needed = max(float(np.linalg.norm(c - center)) + r for c, r in balls)
        if needed > 10.0 * radius:
            center, needed = first, radius
        start = self._server.initial_camera
        start.position = center + (X[:3, 3] - first) * (needed / radius if radius > 0.0 else 1.0)
        start.look_at, start.fov = center, FIELD
        start.near = 0.01

    def move_cameras(self, by: Array) -> None:
        """All of them, without turning."""
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.position = client.camera.position + by


def ball_of(inventory: Inventory, carriers: Array) -> tuple[Array, float]:
    """A ball that holds everything but grounds."""
    scenery = StoredScenery(inventory)
    scenery.place(carriers)
    return scenery.ball()


def overview(inventory: Inventory, carriers: Array) -> Camera:
    """A camera that has everything in its picture."""
    scenery = StoredScenery(inventory)
    scenery.place(carriers)
    return Camera.looking_at(scenery, vertical_fov=float(FIELD))


def measures(inventory: Inventory, carriers: Array) -> tuple[float, float]:
    """About how large the robots are, or the whole scene without any [m], and what they weigh [N]."""
    robots = {obj.name for obj in inventory.objects if obj.robot}
    at = np.array([X[:3, 3] for X, c in zip(carriers, inventory.carriers, strict=True) if c.object in robots])
    size = ball_of(inventory, carriers)[1]
    weight = max((obj.mass for obj in inventory.objects if np.isfinite(obj.mass)), default=1.0)
    for name in robots:
        mine = np.array([c.object == name for c in inventory.carriers])
        points = carriers[mine][:, :3, 3]
        size = min(size, max(1.5 * float(np.linalg.norm(np.ptp(points, axis=0))), 0.05)) if len(points) > 1 else size
    g = float(np.linalg.norm(inventory.gravity)) or 9.81
    return (size if len(at) or size > 0.0 else 1.0), max(weight * g, 1e-3)
