"""Trajectory: what a simulation went through."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rbdyn.errors import Error
from rbdyn.model import Model
from rbdyn.spatial.rotations import Array

_recorder: list[str] = []  # "module:function" that makes a Recording of one, named by `rbdyn/__init__`


def provide(function: str) -> None:
    """Say which function makes a recording of a Trajectory: recordings are built above."""
    _recorder[:] = [function]


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
    model : Model, optional
        Whose they are; `simulate` says it.
    """

    times: Array
    q: Array
    v: Array
    model: Model | None = None

    def __iter__(self) -> Iterator[Array]:
        return iter((self.times, self.q, self.v))

    def recording(self) -> Any:
        """A `rbdyn.recording.Recording` of it: poses of bodies by name, energies, resampling.

        Raises
        ------
        Error
            If it does not know its model.
        """
        if self.model is None or not _recorder:
            raise Error("this Trajectory does not know its model; give it: Trajectory(times, q, v, model)")
        module, _, function = _recorder[0].partition(":")
        return getattr(importlib.import_module(module), function)(self)

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write to a file: `Recording.save`.

        Parameters
        ----------
        path : str or os.PathLike
            ".npz", ".csv", ".html", ".mp4", ".gif", ".png", ".rrd".
        **options
            Of the format.
        """
        self.recording().save(path, **options)

    def view(self, **options: Any) -> Any:
        """Show it in the browser.

        Parameters
        ----------
        **options
            Of `rbdyn.view`.
        """
        return self.recording().view(**options)

    def plot(self, what: str, **options: Any) -> Any:
        """Draw numbers over time: `Recording.plot`.

        Parameters
        ----------
        what : str
            "joint_positions", "joint_velocities", "energies", "positions".
        **options
            As there.
        """
        return self.recording().plot(what, **options)

    def __repr__(self) -> str:
        (n, nq), nv = self.q.shape, self.v.shape[1]
        return f"Trajectory({n} states over {self.times[-1]:g} s, nq={nq}, nv={nv})"
