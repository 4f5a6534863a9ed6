"""Rollouts: where a World goes from many states, under many controls; for controllers that try them out."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_array, plain_array, shown, whole
from rbdyn.arguments.values import choice
from rbdyn.errors import BusyError, Error, SnapshotError, StateError
from rbdyn.parallel import rows
from rbdyn.parallel.following import Follower
from rbdyn.spatial.rotations import Array
from rbdyn.world import ArticulatedSystem, World


class Trajectories(NamedTuple):
    """Where samples went.

    Attributes
    ----------
    q : (n, T, nq) ndarray of float64
        Configurations after each control [rad or m].
    v : (n, T, nv) ndarray of float64
        Velocities [rad/s or m/s].
    diverged : (n,) ndarray of bool
        Samples that did not reach the end: their q and v are NaN from there on.
    """

    q: Array
    v: Array
    diverged: NDArray[np.bool_]


class Roller:
    """Takes copies of a World along controls again and again, as sampling controllers do.

    Parameters
    ----------
    world : World
        It stays as it is.  What is edited of it later is taken in by rollouts.
    robot : ArticulatedSystem or str, optional
        Which robot is controlled; by default the only one.
    threads : int
        How many threads work, with a copy of the World each.  Results do not depend on it.

    Notes
    -----
    A sample costs 3 us beside its steps.  What changes numbers of the World costs the next call no more; after what
    comes, goes or is done by surgery, and after new settings of a solver, the World is copied anew, some milliseconds.
    Observers of the World are not called.
    """

    def __init__(self, world: World, robot: ArticulatedSystem | str | None = None, *, threads: int = 1) -> None:
        if not isinstance(world, World):
            raise Error(f"world must be a World, got {shown(world)}")
        self._threads = whole(threads, "threads", least=1, most=1024)
        self._world, self._robot_name = world, _robot_of(world, robot).name
        self._follower: Follower | None = self._made()

    def _made(self) -> Follower:
        """Copies of the World as it is now."""
        return Follower([copy.deepcopy(self._world) for _ in range(self._threads)], self._robot_name)

    def _up_to_date(self, follower: Follower) -> Follower:
        """Copies that begin where the World is now: these, or new ones if it has become another one."""
        snapshot = self._world.snapshot()
        if _settings(self._world) == _settings(follower.worlds[0]):
            try:
                follower.begin_from(snapshot)
                return follower
            except SnapshotError:  # of other objects, bodies or shapes
                pass
        follower = self._made()
        follower.begin_from(snapshot)
        return follower

    def rollout(
        self, states: ArrayLike | None, controls: ArrayLike, *, control: str = "force", steps: int = 1
    ) -> Trajectories:
        """Where the World goes from here, under each of many sequences of controls.

        Parameters
        ----------
        states : (n, nq + nv) or (nq + nv,) array_like, optional
            q and v of the robot from which each sample begins; None: as the World is now.  All else begins as it is
            now.  A state that is given forgets contacts, as `set_state`.
        controls : (n, T, nu) array_like
            What each sample does: nu is nv or, of a floating system, nv - 6 for forces, and nq or nq - 7 for targets.
        control : {"force", "pd_target"}
            Whether these are feed-forward forces [N m or N] or targets of the robot's PD controller [rad or m].
        steps : int
            Of the World for each control, 1 or more.

        Returns
        -------
        trajectories : Trajectories
            Of each sample, after each control: bit for bit what the World itself would do.

        Raises
        ------
        StateError
            If a shape is wrong or a number is not finite.
        BusyError
            If another thread is at work with this Roller.
        """
        choice(control, "control", ("force", "pd_target"))
        steps = whole(steps, "steps", least=1)
        follower, self._follower = self._follower, None
        if follower is None:
            raise BusyError("another thread is at work with this Roller; give each thread its own")
        try:
            follower = self._up_to_date(follower)
            model = follower.robots[0].model
            u = self._controls(controls, control == "pd_target", follower.robots[0])
            x = None if states is None else _states(states, len(u), model.nq, model.nv)
            return Trajectories(*follower.follow(x, u, control == "pd_target", steps))
        finally:
            self._follower = follower

    def _controls(self, controls: ArrayLike, targets: bool, robot: ArticulatedSystem) -> Array:
        """(n, T, nu), checked."""
        model = robot.model
        whole_width, base = (model.nq, 7) if targets else (model.nv, 6)
        base = base if model.floating_base else 0
        shape = plain_array(controls, "controls", error=StateError).shape
        if len(shape) != 3 or shape[2] not in (whole_width, whole_width - base):
            need = f"{whole_width}" + (f" or {whole_width - base}" if base else "")
            raise StateError(f"controls must have shape (n, T, {need}), got shape {shape}")
        u = as_array(controls, shape, "controls", error=StateError)
        if targets and shape[2] == whole_width:
            rows.unit(model, u.reshape(-1, whole_width), "controls")
        elif targets and any(joint.num_positions != joint.num_velocities for joint in model.mechanism.tree_joints[1:]):
            raise StateError(f"controls must have {whole_width} columns: there are quaternions among the joints")
        return u


def rollout(
    world: World,
    states: ArrayLike | None,
    controls: ArrayLike,
    *,
    robot: ArticulatedSystem | str | None = None,
    control: str = "force",
    steps: int = 1,
    threads: int = 1,
) -> Trajectories:
    """Where a World goes from many states, under many sequences of controls; it stays as it is.

    Parameters
    ----------
    world : World
        With one robot, or `robot` says which.
    states : (n, nq + nv) or (nq + nv,) array_like, optional
        q and v of the robot from which each sample begins; None: as the World is now.
    controls : (n, T, nu) array_like
        As in `Roller.rollout`.
    robot : ArticulatedSystem or str, optional
        Which is controlled.
    control : {"force", "pd_target"}
        What controls are.
    steps : int
        Of the World for each control.
    threads : int
        How many threads work.

    Returns
    -------
    trajectories : Trajectories
        q (n, T, nq), v (n, T, nv) and diverged (n,).

    See Also
    --------
    Roller : the same again and again, without copying the World each time.
    """
    return Roller(world, robot, threads=threads).rollout(states, controls, control=control, steps=steps)


def _settings(world: World) -> list[Any]:
    """Of its solvers and its collision backend, which snapshots do not hold."""
    parts: list[Any] = [world.contact, world.position_solver, world.collision]
    return [(type(part), getattr(part, "parameters", None)) for part in parts]


def _robot_of(world: World, robot: ArticulatedSystem | str | None) -> ArticulatedSystem:
    """The one that is meant."""
    there = [obj for obj in world.objects if isinstance(obj, ArticulatedSystem)]
    if robot is None:
        if len(there) != 1:
            raise Error(f"robot must say which of {len(there)} robots is controlled: {shown([r.name for r in there])}")
        return there[0]
    found = world.find(robot if isinstance(robot, str) else str(getattr(robot, "name", robot)))
    if not isinstance(found, ArticulatedSystem):
        raise Error(f"robot must be an articulated system of this World, got {shown(robot)}")
    return found


def _states(states: ArrayLike, n: int, nq: int, nv: int) -> Array:
    """(n, nq + nv), checked."""
    if plain_array(states, "states", error=StateError).ndim == 1:
        one = as_array(states, (nq + nv,), "states", f"(q, then v: {nq} + {nv})", error=StateError)
        return np.ascontiguousarray(np.broadcast_to(one, (n, nq + nv)))
    return as_array(states, (n, nq + nv), "states", f"(q, then v: {nq} + {nv})", error=StateError)
