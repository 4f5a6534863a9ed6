"""What sensors measured, in viser's scene: pictures, points that beams met, and where sensors are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.recording.sensing import RecordedSensor
from rbdyn.scenery.camera import FORWARD
from rbdyn.scenery.frames import pose_of
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.spatial.rotations import Array
from rbdyn.viewer.arrows import Lines
from rbdyn.viewer.instances import shade
from rbdyn.viewer.sources import Frame

Values = Mapping[str, NDArray[Any]]

CLOUD, BEAM = (0.90, 0.25, 0.10), (0.95, 0.55, 0.10)
FRUSTUM, AXES, DOT = 0.12, 0.06, 0.006  # of the size of the scene
MOST_POINTS, MOST_BEAMS = 20_000, 300
MOST_PIXELS = 320  # of a picture in the scene, a side


class SensorMarks:
    """Sensors of a frame: axes of all, pictures of cameras before them, points and beams of lidars and ranges.

    Parameters
    ----------
    scene : viser.SceneApi
        Where.
    size : float
        About how large what is seen is [m].
    """

    def __init__(self, scene: Any, size: float) -> None:
        self._scene, self._size = scene, size
        self._known: tuple[RecordedSensor, ...] = ()
        self._handles: list[dict[str, Any]] = []
        self._seen: list[Any] = []

    def place(self, frame: Frame, carriers: Array) -> None:
        """Draw what the sensors of a frame measured, from where they are."""
        if frame.sensors is not self._known:
            self.remove()
            self._known = frame.sensors
            self._handles = [self._begun(k, one) for k, one in enumerate(frame.sensors)]
            self._seen = [None] * len(frame.sensors)
        for k, one in enumerate(self._known):
            X = pose_of(one.place, carriers)
            if not np.isfinite(X).all():
                continue
            q, optical = quats_from_matrices(np.stack([X[:3, :3], X[:3, :3] @ FORWARD]))
            for name, handle in self._handles[k].items():
                if name != "beams":
                    handle.position, handle.wxyz = X[:3, 3], optical if name == "frustum" else q
            values = frame.measured.get(one.name, {})
            if not values:
                continue
            now = [id(array) for array in values.values()]
            if now != self._seen[k]:
                self._seen[k] = now
                self._show(k, one, values)
            if "beams" in self._handles[k]:
                self._handles[k]["beams"].place(beams(one, values, X))

    def _begun(self, k: int, one: RecordedSensor) -> dict[str, Any]:
        """Handles of a sensor that has measured nothing yet."""
        node, made = f"/sensors/{k}", {}
        made["axes"] = self._scene.add_frame(f"{node}/axes", axes_length=AXES * self._size,
                                             axes_radius=0.05 * AXES * self._size)  # fmt: skip
        if "horizontal_fov" in one.sizes:
            size, aspect = FRUSTUM * self._size, one.sizes["width"] / one.sizes["height"]
            made["frustum"] = self._scene.add_camera_frustum(f"{node}/frustum", fov=upright(one.sizes), aspect=aspect,
                                                             scale=size, thickness=0.02 * size)  # fmt: skip
        if one.type in ("depth", "spinning_lidar"):
            made["cloud"] = self._scene.add_point_cloud(f"{node}/cloud", np.zeros((1, 3), np.float32), shade(CLOUD),
                                                        point_size=DOT * self._size, precision="float32",
                                                        visible=False)  # fmt: skip
        if one.type in ("range", "spinning_lidar"):
            made["beams"] = Lines(self._scene, f"{node}/beams", BEAM, 0.1 * DOT * self._size)
        return made

    def _show(self, k: int, one: RecordedSensor, values: Values) -> None:
        """New values."""
        handles = self._handles[k]
        if "frustum" in handles:
            handles["frustum"].image = picture(values)
        if "cloud" in handles:
            points = cloud(one, values)
            handles["cloud"].visible = len(points) > 0
            if len(points):
                handles["cloud"].points = points.astype(np.float32)

    def remove(self) -> None:
        """Take all of them away."""
        for handles in self._handles:
            for handle in handles.values():
                handle.remove()
        self._handles, self._known, self._seen = [], (), []


def upright(sizes: Mapping[str, float]) -> float:
    """Angle that a picture spans from top to bottom [rad]."""
    return float(2.0 * np.arctan(np.tan(0.5 * sizes["horizontal_fov"]) * sizes["height"] / sizes["width"]))


def picture(values: Values) -> NDArray[np.uint8] | None:
    """What a camera saw; depths are the darker the farther away."""
    if "image" in values:
        return thinned(np.asarray(values["image"])).astype(np.uint8)
    if "depth" not in values:
        return None
    depth = thinned(np.asarray(values["depth"]))
    met = np.isfinite(depth)
    if not met.any():
        return np.zeros((*depth.shape, 3), np.uint8)
    low, high = float(depth[met].min()), float(depth[met].max())
    gray = np.where(met, 255.0 - 200.0 * (np.where(met, depth, low) - low) / max(high - low, 1e-9), 20.0)
    return np.repeat(gray.astype(np.uint8)[..., None], 3, axis=2)


def thinned(image: NDArray[Any]) -> NDArray[Any]:
    """Every few of its pixels, so that it has no more than a picture in the scene needs."""
    return image[:: -(-image.shape[0] // MOST_PIXELS), :: -(-image.shape[1] // MOST_PIXELS)]


def cloud(one: RecordedSensor, values: Values) -> Array:
    """Points that were met, in the sensor's axes, (n, 3) [m]; some of them, where there are very many."""
    if one.type == "depth":
        depth = values["depth"]
        h, w = depth.shape
        f = 0.5 * w / np.tan(0.5 * one.sizes["horizontal_fov"])
        y, x = np.mgrid[0:h, 0:w] + 0.5
        right, down = 0.5 * w + one.sizes.get("x_offset", 0.0), 0.5 * h + one.sizes.get("y_offset", 0.0)
        rays = np.stack([np.ones_like(x), (right - x) / f, (down - y) / f], axis=-1)
        met = np.isfinite(depth)
        points = rays[met] * depth[met][:, None]
    else:
        rays, ranges = lidar_rays(one, values)
        met = np.isfinite(ranges)
        points = rays[met] * ranges[met][:, None]
    return points[:: -(-len(points) // MOST_POINTS) or 1]


def lidar_rays(one: RecordedSensor, values: Values) -> tuple[Array, Array]:
    """Unit vectors (n, 3) in the sensor's axes, and how far each went (n,) [m]; columns without numbers left out."""
    yaw, ranges = values["yaw"], values["ranges"]
    there = np.isfinite(yaw)
    yaw, ranges = yaw[there], ranges[there]
    pitch = np.linspace(one.sizes["pitch_min_angle"], one.sizes["pitch_max_angle"], int(one.sizes["pitch_samples"]))
    rays = np.empty((len(yaw), len(pitch), 3))
    rays[..., 0], rays[..., 1] = np.outer(np.cos(yaw), np.cos(pitch)), np.outer(np.sin(yaw), np.cos(pitch))
    rays[..., 2] = np.sin(pitch)
    return rays.reshape(-1, 3), ranges.reshape(-1)


def beams(one: RecordedSensor, values: Values, X: Array) -> Array:
    """Some of the rays that met something, from where to where in the world, (n, 2, 3) [m]."""
    if one.type == "range":
        rays, ranges = np.array([[1.0, 0.0, 0.0]]), np.asarray(values["range"]).reshape(1)
    else:
        rays, ranges = lidar_rays(one, values)
    met = np.isfinite(ranges)
    points = rays[met] * ranges[met][:, None]
    points = points[:: -(-len(points) // MOST_BEAMS) or 1] @ X[:3, :3].T + X[:3, 3]
    return np.stack([np.broadcast_to(X[:3, 3], points.shape), points], axis=1)
