"""Recordings of mechanisms without a World: of trajectories, and of configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms import Trajectory, center_of_mass, kinetic_energy, potential_energy
from rbdyn.algorithms.kinematics.forward import forward_kinematics
from rbdyn.arguments import as_array, plain_array, shown
from rbdyn.errors import Error
from rbdyn.mechanism import Mechanism
from rbdyn.model import Model, State
from rbdyn.recording.contents import CONTACT, Contents, Segment
from rbdyn.recording.describing import described_model
from rbdyn.recording.inventory import Inventory
from rbdyn.recording.recording import Recording
from rbdyn.scenery import Scenery
from rbdyn.scenery.quaternions import quats_from_matrices
from rbdyn.spatial.rotations import Array


def recording_of(
    source: Trajectory | Model | Mechanism,
    times: ArrayLike | None = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
) -> Recording:
    """A recording of a mechanism without a World, to be looked at, plotted and saved as any other.

    Parameters
    ----------
    source : Trajectory, Model or Mechanism
        What `rbdyn.simulate` returned; or whose configurations follow.
    times : (n,) array_like, optional
        Ascending [s]; for a Model or Mechanism.
    q : (n, nq) array_like, optional
        Configurations [rad or m, quaternions].
    v : (n, nv) array_like, optional
        Velocities [rad/s or m/s]; zero by default.

    Returns
    -------
    recording : Recording

    Raises
    ------
    Error
        If something of it is missing, or of another shape.
    """
    if isinstance(source, Trajectory):
        if source.model is None:
            raise Error("this Trajectory does not know its model: give recording_of(model, times, q, v)")
        return _recording(source.model, source.times, source.q, source.v)
    if not isinstance(source, (Model, Mechanism)):
        raise Error(f"source must be a Trajectory, a Model or a Mechanism, got {shown(source)}")
    if times is None or q is None:
        raise Error("a recording of a Model or Mechanism needs times and q")
    model = source if isinstance(source, Model) else Model(source)
    at: Any = plain_array(times, "times", np.float64)
    if at.ndim != 1 or len(at) == 0 or not np.isfinite(at).all() or (np.diff(at) <= 0.0).any():
        raise Error("times must be an array (n,) of finite numbers that ascend [s], n >= 1")
    return _recording(
        model,
        at,
        as_array(q, (len(at), model.nq), "q"),
        np.zeros((len(at), model.nv)) if v is None else as_array(v, (len(at), model.nv), "v"),
    )


def _recording(model: Model, times: Array, q: Array, v: Array) -> Recording:
    state = State(model)
    inventory = inventory_of_model(state, float(times[-1] - times[0]) / max(len(times) - 1, 1))
    n, carriers = len(times), len(inventory.carriers)
    rows = np.empty((n, inventory.width))
    for k in range(n):
        state.set(q[k], v[k])
        rows[k] = row_of(state, carriers)
    segment = Segment(inventory, np.arange(n), np.array(times), rows, np.zeros(n + 1, np.int64), np.empty(0, CONTACT))
    return Recording(Contents((segment,)))


def inventory_of_model(state: State, time_step: float = 0.0) -> Inventory:
    """Of a mechanism that is in no World."""
    scenery, model = Scenery(state, geometry="both"), state.model
    x, y, z = model.gravity.tolist()
    name = model.mechanism.name
    return Inventory(
        objects=(described_model(name, model),),
        carriers=scenery.carriers,
        items=scenery.items,
        frames=scenery.frames,
        shapes={},
        time_step=time_step,
        gravity=(x, y, z),
        contacts=False,
        ties=scenery.ties,
    )


def row_of(state: State, carriers: int) -> Array:
    """Numbers of a frame, as the inventory says."""
    X = np.broadcast_to(np.eye(4), (carriers, 4, 4)).copy()
    X[: state.model.n_bodies] = forward_kinematics(state)
    poses = np.hstack([X[:, :3, 3], quats_from_matrices(X[:, :3, :3])])
    center = center_of_mass(state) if state.model.total_mass > 0.0 else np.full(3, np.nan)
    energies = [kinetic_energy(state), potential_energy(state)]
    return np.concatenate([poses.reshape(-1), energies, center, state.q, state.v])
