"""Colour and depth cameras on robots."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import choice
from rbdyn.rendering.style import Style
from rbdyn.scenery.camera import Camera
from rbdyn.scenery.pictures import View, look
from rbdyn.sensors.descriptions import CameraDescription, DepthCamera, RgbCamera
from rbdyn.sensors.noise import with_noise, within
from rbdyn.sensors.sensor import MountedSensor

Array = NDArray[np.float64]

PLAIN = Style.plain()


class MountedCamera(MountedSensor):
    """What colour and depth cameras have in common.  They do not see the link that they are mounted on.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: CameraDescription

    def _begin(self) -> None:
        d = self.description
        f = 0.5 * d.width / np.tan(0.5 * d.horizontal_fov)
        self.camera = Camera(
            width=d.width,
            height=d.height,
            pose=d.pose,
            on=self._mount.link,
            intrinsics=(f, f, 0.5 * d.width + d.x_offset, 0.5 * d.height + d.y_offset),
            near=d.clip_near,
            far=d.clip_far,
        )
        self.style = PLAIN

    def _look(self) -> View:
        robot = self._mount.robot
        return look(robot.world, self.camera, style=self.style, hide=[(robot.name, self._mount.body.name)], show=())


class MountedRgbCamera(MountedCamera):
    """A colour camera.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.

    Attributes
    ----------
    camera : Camera
        Where it looks from, and how wide.
    style : Style
        Light; plain at first, without shadows.
    """

    description: RgbCamera
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"image": None}

    def _measured(self, dt: float) -> dict[str, Array]:
        rgb = self._look().rgb
        if self.description.noise.acts:
            noisy = with_noise(rgb.astype(np.float64), self.description.noise, self._rng)
            rgb = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
        return {"image": rgb}  # type: ignore[dict-item]

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self.camera.height, self.camera.width, 3)

    def _dtype(self, name: str) -> Any:
        return np.uint8

    @property
    def image(self) -> NDArray[np.uint8]:
        """Red, green and blue, (height, width, 3) read-only."""
        return self["image"]  # type: ignore[return-value]


class MountedDepthCamera(MountedCamera):
    """A depth camera.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.

    Attributes
    ----------
    camera : Camera
        Where it looks from, and how wide.
    """

    description: DepthCamera
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"depth": None}

    def _measured(self, dt: float) -> dict[str, Array]:
        depth, d = self._look().depth, self.description
        if d.noise.acts:
            depth = within(with_noise(depth, d.noise, self._rng), d.clip_near, d.clip_far)
        return {"depth": depth}

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self.camera.height, self.camera.width)

    @property
    def depth(self) -> Array:
        """Along its x axis, (height, width) read-only [m]; infinite where nothing is seen."""
        return self["depth"]

    def points(self, frame: str = "sensor") -> Array:
        """What it saw, as coordinates: what a description with ``data="coordinates"`` asks for.

        Parameters
        ----------
        frame : {"sensor", "world"}
            Whose coordinates: of the sensor (x forward, y left, z up), or of the world, by where the sensor is now.

        Returns
        -------
        points : (height, width, 3) ndarray
            Fresh; not a number where nothing is seen [m].
        """
        chosen = choice(frame, "frame", ("sensor", "world"))
        return self.camera.points(self.depth, "world" if chosen == "world" else "forward")
