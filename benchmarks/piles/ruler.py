"""One ruler for all engines: depth, energy and rest, from poses and velocities alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.piles.engines.engine import Array, Motion
from benchmarks.piles.scenes import GRAVITY, Thing
from rbdyn import collision
from rbdyn.spatial import rotations

RESTING = 1e-4  # [J] of kinetic energy a thing, below which a scene rests


def _shape(thing: Thing) -> collision.Shape:
    if thing.shape == "box":
        return collision.Box(thing.size)
    shape: collision.Shape = getattr(collision, thing.shape.capitalize())(*thing.size)
    return shape


class Ruler:
    """Knows what the things are, and is told where."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self.detector = collision.NativeBackend()
        self.detector.add_shape(collision.HalfSpace(), 0, dynamic=False)
        for k, thing in enumerate(things):
            self.detector.add_shape(_shape(thing), k + 1, dynamic=not thing.static)
        self.free = np.array([not thing.static for thing in things])
        self.mass = np.array([thing.mass for thing in things])[self.free]
        self.inertia = np.array([thing.inertia() for thing in things])[self.free]
        self.poses = np.tile(np.eye(4), (len(things) + 1, 1, 1))

    def depth(self, seen: Motion) -> float:
        """Of the deepest overlap [m]."""
        self.poses[1:, :3, :3] = _matrices(seen.orientation)
        self.poses[1:, :3, 3] = seen.position
        return float(self.detector.query(self.poses)["depth"].max(initial=0.0))

    def kinetic(self, seen: Motion) -> float:
        """Kinetic energy [J]."""
        v, w = seen.velocity[self.free], seen.spin[self.free]
        own = np.einsum("nij,ni->nj", _matrices(seen.orientation[self.free]), w)
        return 0.5 * float(self.mass @ (v * v).sum(axis=1) + (self.inertia * own * own).sum())

    def potential(self, seen: Motion) -> float:
        """Potential energy above the plane [J]."""
        return GRAVITY * float(self.mass @ seen.position[self.free, 2])


def _matrices(quaternions: Array) -> Array:
    """Rotation matrices, (n, 3, 3)."""
    return np.array([rotations.matrix_from_quat(quat) for quat in quaternions])
