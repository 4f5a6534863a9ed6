"""Trajectory: what a simulation went through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rbdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Configurations and velocities over time; `times, q, v = trajectory` takes it apart.

    Parameters
    ----------
    times : (n,) ndarray
        Ascending, from 0 to the duration [s].
    q : (n, nq) ndarray
        Configuration at each time [rad or m, quaternions].
    v : (n, nv) ndarray
        Velocity at each time [rad/s or m/s].
    """

    times: Array
    q: Array
    v: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.times, self.q, self.v))

    def __repr__(self) -> str:
        (n, nq), nv = self.q.shape, self.v.shape[1]
        return f"Trajectory({n} states over {self.times[-1]:g} s, nq={nq}, nv={nv})"
