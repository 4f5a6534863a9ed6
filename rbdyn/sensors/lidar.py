"""Spinning lidars, and single beams."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import choice
from rbdyn.sensors.descriptions import RangeSensor, SpinningLidar
from rbdyn.sensors.noise import with_noise, within
from rbdyn.sensors.sensor import MountedSensor

Array = NDArray[np.float64]


class MountedLidar(MountedSensor):
    """A lidar that spins about its z axis; its rays meet collision shapes, and not the link that it is mounted on.

    At a rate, each measurement holds the columns by which it turned since the one before, a whole turn at most, the
    first one a whole turn; asked by hand, a whole turn.  All of them are taken in one instant.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: SpinningLidar
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"ranges": None, "yaw": None}

    def _begin(self) -> None:
        d = self.description
        self._next = 0  # column that comes next, counted from the start of time
        self._turning = False  # whether the World asks
        self.pitch = np.linspace(d.pitch_min_angle, d.pitch_max_angle, d.pitch_samples)
        self.pitch.flags.writeable = False

    def _due(self, world: Any) -> None:
        self._turning = True
        try:
            super()._due(world)
        finally:
            self._turning = False

    def _columns(self) -> NDArray[np.int64]:
        """Which are measured now."""
        d, n = self.description, self.description.yaw_samples
        if not self._turning or d.spinning_rate == 0.0:
            return np.arange(n)
        end = math.floor(self.world.time * d.spinning_rate * n * (1.0 + 1e-12))
        begin = self._next if self._stamp >= 0.0 and end - self._next <= n else end - n
        self._next = max(end, begin)
        return np.arange(begin, self._next)

    def directions(self, yaw: Array) -> Array:
        """Unit vectors of rays in its axes, (len(yaw), pitch_samples, 3).

        Parameters
        ----------
        yaw : (n,) ndarray
            About z, from x to y [rad].
        """
        level, up = np.cos(self.pitch), np.sin(self.pitch)
        rays = np.empty((len(yaw), len(self.pitch), 3))
        rays[..., 0], rays[..., 1], rays[..., 2] = np.outer(np.cos(yaw), level), np.outer(np.sin(yaw), level), up
        return rays

    def _measured(self, dt: float) -> dict[str, Array]:
        d, robot = self.description, self._mount.robot
        sign = 1.0 if d.spin_direction == "counterclockwise" else -1.0
        yaw = sign * 2.0 * math.pi * (self._columns() % d.yaw_samples) / d.yaw_samples
        X = self.pose
        rays = self.directions(yaw).reshape(-1, 3) @ X[:3, :3].T
        if not len(rays):
            return {"ranges": np.empty((0, d.pitch_samples)), "yaw": yaw}
        hits = robot.world.ray_test_batch(X[:3, 3], rays, d.range_max, exclude=[(robot, self._mount.body.name)])
        ranges = np.where(hits.distance >= d.range_min, hits.distance, np.inf)
        if d.noise.acts:
            ranges = within(with_noise(ranges, d.noise, self._rng), d.range_min, d.range_max)
        return {"ranges": ranges.reshape(len(yaw), d.pitch_samples), "yaw": yaw}

    @property
    def ranges(self) -> Array:
        """Distances, (columns, pitch_samples) read-only [m]; infinite where nothing is met between its limits."""
        return self["ranges"]

    @property
    def yaw(self) -> Array:
        """Of the columns, (columns,) read-only [rad], from x to y."""
        return self["yaw"]

    def scan(self, frame: str = "sensor") -> Array:
        """The points that were met.

        Parameters
        ----------
        frame : {"sensor", "world"}
            Whose coordinates; of the world by where the sensor is now.

        Returns
        -------
        points : (n, 3) ndarray
            Fresh [m].
        """
        chosen = choice(frame, "frame", ("sensor", "world"))
        met = np.isfinite(self.ranges)
        points = (self.directions(self.yaw) * np.where(met, self.ranges, 0.0)[..., None])[met]
        if chosen == "sensor":
            return np.asarray(points)
        X = self.pose
        return np.asarray(points @ X[:3, :3].T + X[:3, 3])

    def _more(self) -> dict[str, Any]:
        return {"next": self._next}

    def _put_more(self, more: dict[str, Any]) -> None:
        self._next = more["next"]


class MountedRange(MountedSensor):
    """How far it is to the next collision shape along x, that of its own link aside.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: RangeSensor
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"range": ()}

    def _measured(self, dt: float) -> dict[str, Array]:
        d, robot, X = self.description, self._mount.robot, self.pose
        hits = robot.world.ray_test_batch(
            X[:3, 3], X[:3, 0].reshape(1, 3), d.range_max, exclude=[(robot, self._mount.body.name)]
        )
        distance = np.where(hits.distance >= d.range_min, hits.distance, np.inf)
        if d.noise.acts:
            distance = within(with_noise(distance, d.noise, self._rng), d.range_min, d.range_max)
        return {"range": distance.reshape(())}

    @property
    def range(self) -> float:
        """Distance [m]; infinite where nothing is met between its limits."""
        return float(self["range"])
