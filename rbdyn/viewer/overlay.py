"""What is no shape, but to be seen: axes, centres of mass, contacts, wires, loops, sensors, what users draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.recording.inventory import Inventory
from rbdyn.scenery import triangles
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.arrows import Arrows
from rbdyn.viewer.instances import UNIT, shade
from rbdyn.viewer.sensing import SensorMarks
from rbdyn.viewer.sources import Frame
from rbdyn.viewer.strokes import Strokes
from rbdyn.viewer.ties import TieLines

KINDS = ("frames", "joint axes", "centres of mass", "contacts", "wires", "loops", "sensors", "sketch")
SHOWN = ("wires", "loops", "sketch")  # unless something else is said
FORCE_COLOR, AXIS_COLOR, CENTER_COLOR = (0.86, 0.16, 0.12), (0.15, 0.35, 0.85), (0.95, 0.75, 0.05)  # red, green, blue


class Overlay:
    """Those of an inventory, each kind drawn while it is wanted.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    inventory : Inventory
        Of what.
    size : float
        About how large the scene is [m].
    newtons : float
        Force whose arrow is as long as the scene is large [N].
    ties : float
        About how large the scene is with its wires and loops [m].
    """

    def __init__(self, scene: Any, inventory: Inventory, size: float, newtons: float, ties: float) -> None:
        self._scene, self._inventory, self._size, self._newtons = scene, inventory, size, newtons
        self._tie_size = ties
        self._handles: dict[str, Any] = {}
        robots = {obj.name for obj in inventory.objects if obj.robot}
        self._bodies = np.array([c.object in robots for c in inventory.carriers], dtype=bool)
        axes = [(inventory.frames[obj.name, f"after_{joint.name}"], joint.axis)
                for obj in inventory.objects for joint in obj.joints
                if any(joint.axis) and (obj.name, f"after_{joint.name}") in inventory.frames]  # fmt: skip
        self._axis_carriers = np.array([frame.carrier for frame, _ in axes], dtype=np.intp)
        self._axis_poses = np.array([frame.pose for frame, _ in axes]).reshape(-1, 4, 4)
        self._axis_vectors = np.array([axis for _, axis in axes]).reshape(-1, 3)
        static = {carrier.object for carrier in inventory.carriers} - {
            carrier.object for carrier in inventory.carriers if not carrier.static
        }
        self._fixed = [number for number, owner in inventory.shapes.items() if owner[0] in static]
        self._centers = [c for obj in inventory.objects if (c := inventory.columns(obj.name, "center")) is not None]

    def show(self, kind: str, visible: bool) -> None:
        """Draw a kind of marks from the next frame on, or take it away."""
        if not visible and kind in self._handles:
            self._handles.pop(kind).remove()
        elif visible and kind not in self._handles:
            self._handles[kind] = getattr(self, f"_make_{kind.replace(' ', '_')}")()

    def place(self, frame: Frame, carriers: Array) -> None:
        """Move those that are drawn."""
        for kind, handle in self._handles.items():
            if kind in ("wires", "loops", "sensors", "sketch"):
                handle.place(frame, carriers)
            else:
                getattr(self, f"_place_{kind.replace(' ', '_')}")(handle, carriers, frame)

    def remove(self) -> None:
        """Take all of them away."""
        for kind in list(self._handles):
            self.show(kind, False)

    def _make_frames(self) -> Any:
        n = int(self._bodies.sum())
        length = 0.1 * self._size
        return self._scene.add_batched_axes("/marks/frames", np.tile((1.0, 0.0, 0.0, 0.0), (n, 1)), np.zeros((n, 3)),
                                            axes_length=length, axes_radius=0.05 * length)  # fmt: skip

    def _place_frames(self, handle: Any, carriers: Array, frame: Frame) -> None:
        X = carriers[self._bodies]
        handle.batched_positions = X[:, :3, 3].astype(np.float32)
        handle.batched_wxyzs = quats_from_matrices(X[:, :3, :3]).astype(np.float32)

    def _make_joint_axes(self) -> Any:
        return Arrows(self._scene, "/marks/joint_axes", AXIS_COLOR, 0.0035 * self._size)

    def _place_joint_axes(self, handle: Any, carriers: Array, frame: Frame) -> None:
        X = carriers[self._axis_carriers] @ self._axis_poses
        at, along = X[:, :3, 3], np.einsum("nij,nj->ni", X[:, :3, :3], self._axis_vectors)
        length = 0.1 * self._size
        handle.place(np.stack([at - length * along, at + length * along], axis=1))

    def _make_centres_of_mass(self) -> Any:
        n = len(self._centers)
        ball = triangles(UNIT["ball"])
        return self._scene.add_batched_meshes_simple(
            "/marks/centres_of_mass", ball.vertices.astype(np.float32), ball.faces.astype(np.uint32),
            batched_wxyzs=np.tile((1.0, 0.0, 0.0, 0.0), (n, 1)), batched_positions=np.zeros((n, 3)),
            batched_scales=np.full((n, 3), 0.03 * self._size), batched_colors=shade(CENTER_COLOR), cast_shadow=False,
        )  # fmt: skip

    def _place_centres_of_mass(self, handle: Any, carriers: Array, frame: Frame) -> None:
        centers = np.array([frame.row[columns] for columns in self._centers]).reshape(-1, 3)
        handle.batched_positions = np.nan_to_num(centers).astype(np.float32)

    def _make_wires(self) -> Any:
        return TieLines(self._scene, self._inventory, "wires", self._tie_size)

    def _make_loops(self) -> Any:
        return TieLines(self._scene, self._inventory, "loops", self._tie_size)

    def _make_sensors(self) -> Any:
        return SensorMarks(self._scene, self._size)

    def _make_sketch(self) -> Any:
        return Strokes(self._scene)

    def _make_contacts(self) -> Any:
        return Arrows(self._scene, "/marks/contacts", FORCE_COLOR, 0.006 * self._size)

    def _place_contacts(self, handle: Any, carriers: Array, frame: Frame) -> None:
        contacts = frame.contacts
        at, force = contacts["position"], contacts["force"]
        force = np.where(np.isin(contacts["shapes"][:, :1], self._fixed), -force, force)  # on what may move
        strong = np.linalg.norm(force, axis=1) > 0.0
        handle.place(np.stack([at, at + force * (self._size / self._newtons)], axis=1)[strong])
