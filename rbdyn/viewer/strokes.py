"""What the user drew, in viser's scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.rendering.surface import triangles
from rbdyn.scenery.marks import place_of
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.scenery.sketch import Stroke
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.arrows import Arrows, Lines, segments
from rbdyn.viewer.sources import Frame


class Strokes:
    """The strokes of a sketch: each is made anew when it is another one, and moved while it is the same.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._drawn: dict[str, tuple[Stroke, Any]] = {}
        self._made = 0

    def place(self, frame: Frame, carriers: Array) -> None:
        """Draw those of a frame."""
        now = {one.name: one for one in frame.strokes}
        for name in [name for name, (one, _) in self._drawn.items() if not is_moved(one, now.get(name))]:
            self._drawn.pop(name)[1].remove()
        for name, one in now.items():
            X = place_of(one, frame.inventory.frames, carriers)
            if X is None:
                if name in self._drawn:
                    self._drawn.pop(name)[1].remove()
                continue
            handle = self._drawn[name][1] if name in self._drawn else self._make(one)
            self._drawn[name] = one, handle
            self._move(one, handle, X)

    def _make(self, one: Stroke) -> Any:
        """A new one, somewhere; its name in the scene has no letters of the user's."""
        self._made += 1
        node = f"/sketch/{self._made}"
        if one.kind == "label":
            return self._scene.add_label(node, one.text, anchor="bottom-left")
        if one.kind == "shape":
            assert one.shape is not None
            surface = triangles(one.shape)
            color = tuple(round(255 * c) for c in one.color[:3])
            return self._scene.add_mesh_simple(node, surface.vertices.astype(np.float32), surface.faces, color=color,
                                               opacity=one.color[3], side="double", cast_shadow=False)  # fmt: skip
        return (Arrows if one.kind == "arrow" else Lines)(self._scene, node, one.color[:3], 0.5 * one.width)

    @staticmethod
    def _move(one: Stroke, handle: Any, X: Array) -> None:
        at = one.points @ X[:3, :3].T + X[:3, 3]
        if one.kind in ("line", "arrow"):
            pieces = segments(at)
            handle.place(pieces[(pieces[:, 0] != pieces[:, 1]).any(axis=1)])
            return
        if one.rotation is not None:
            handle.wxyz = quats_from_matrices((X[:3, :3] @ one.rotation)[None])[0]
        handle.position = at[0]

    def remove(self) -> None:
        """Take all of them away."""
        for _, handle in self._drawn.values():
            handle.remove()
        self._drawn.clear()


def is_moved(before: Stroke, now: Stroke | None) -> bool:
    """Whether the handle of one will do for the other."""
    if now is None or now.kind != before.kind:
        return False
    same = now.color == before.color and now.width == before.width and now.text == before.text
    return same and (now.shape is before.shape or now.shape == before.shape)
