"""Batch: a task at work in n Worlds; what single and vector environments have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rbdyn.arguments import plain_array, shown, whole
from rbdyn.errors import Error
from rbdyn.gym.task import Task
from rbdyn.parallel import VectorWorld
from rbdyn.spatial.rotations import Array


class Outcome(NamedTuple):
    """Of a step, a row for each World."""

    rewards: Array
    terminated: NDArray[np.bool_]
    info: dict[str, Any]


class Batch:
    """A task at work in n Worlds.

    Parameters
    ----------
    task : Task
        Of its own: it remembers what it is doing.
    n : int
        How many Worlds.
    threads : int
        How many threads step them.
    camera : Camera, optional
        Of pictures.
    """

    def __init__(self, task: Task, n: int, threads: int, camera: Any = None) -> None:
        if not isinstance(task, Task):
            raise Error(f"task must be a Task, got {shown(task)}")
        if getattr(task, "worlds", None) is not None:
            raise Error("this task is at work in another environment already; give each one a task of its own")
        for name in ("num_observations", "num_actions"):
            if not isinstance(getattr(task, name, None), int):
                raise Error(f"{type(task).__name__}.{name} must be an int, got {shown(getattr(task, name, None))}")
        whole(task.frame_skip, f"{type(task).__name__}.frame_skip", least=1)
        self.begun = np.zeros(n, bool)
        self.task, self.n, self.camera = task, n, camera
        self.worlds = task.worlds = VectorWorld(task.build, n, threads=threads)
        task.begin()
        limit = np.float32(task.observation_limit)
        self.observation_space = spaces.Box(-limit, limit, (task.num_observations,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (task.num_actions,), np.float32)
        robot = self.worlds[0]
        self.fps = round(1.0 / (robot.time_step * task.frame_skip))

    def reset(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """Begin episodes in these Worlds."""
        self.begun[where] = True
        self.worlds.reset(where)
        self.task.place(where, rngs)

    def checked(self, actions: Any) -> Array:
        """(n, num_actions) within -1 and 1; Error that names the row for what is none."""
        return _checked(actions, "actions", (self.n, self.task.num_actions))

    def checked_one(self, action: Any) -> Array:
        """(1, num_actions) within -1 and 1, of one action."""
        return _checked(action, "action", (self.task.num_actions,))[None]

    def check_begun(self) -> None:
        """Gymnasium's own error while some World has had no `reset` yet."""
        if not self.begun.all():
            raise gymnasium.error.ResetNeeded("call reset() before step(): no episode has begun yet")

    def step(self, actions: Array, going: NDArray[np.bool_]) -> Outcome:
        """The Worlds that go take their steps; actions were given to all by `Task.act`."""
        diverged = self.worlds.step(self.task.frame_skip, where=None if going.all() else going)
        rewards, terminated = self.task.judge(actions)
        rewards = self._column(rewards, "judge", "rewards", np.float64)
        self._check_numbers(rewards, "judge", "rewards")
        terminated = self._column(terminated, "judge", "terminated", np.bool_) | diverged
        info = {name: self._column(x, "inform", repr(name), None) for name, x in self.task.inform().items()}
        if "diverged" in info:
            raise Error(f"{type(self.task).__name__}.inform must not say 'diverged', which environments say themselves")
        return Outcome(rewards, terminated, {"diverged": diverged, **info})

    def _column(self, x: Any, method: str, name: str, kind: Any) -> Any:
        """(n,) of one type, fresh."""
        array = plain_array(x, f"{name} of {type(self.task).__name__}.{method}", kind).copy()
        if array.shape[:1] != (self.n,) or (kind is not None and array.ndim > 1):
            need = f"{name} of shape ({self.n},)"
            raise Error(f"{type(self.task).__name__}.{method} must return {need}, got {array.shape}")
        return array

    def _check_numbers(self, x: Array, method: str, name: str) -> None:
        """Error that names the World for NaN and infinite numbers."""
        if not np.isfinite(x).all():
            k = int(np.argwhere(~np.isfinite(x))[0][0])
            which = f"finite {name}, got {shown(x[k])} of World {k}"
            raise Error(f"{type(self.task).__name__}.{method} must return {which}")

    def observe(self) -> NDArray[np.float32]:
        """(n, num_observations), fresh, within the limits."""
        seen = plain_array(self.task.observe(), f"observations of {type(self.task).__name__}.observe")
        need = (self.n, self.task.num_observations)
        if seen.shape != need:
            raise Error(f"{type(self.task).__name__}.observe must return an array of shape {need}, got {seen.shape}")
        self._check_numbers(seen, "observe", "observations")
        limit = self.task.observation_limit
        return np.clip(seen, -limit, limit).astype(np.float32)

    def render(self, k: int) -> Any:
        """An image of World k, (height, width, 3)."""
        return self.worlds[k].render(self.camera)


def _checked(actions: Any, what: str, need: tuple[int, ...]) -> Array:
    given = plain_array(actions, what)
    if given.shape != need or given.dtype.kind not in "fiu":
        raise Error(f"{what} must be numbers of shape {need}, got {given.dtype} of shape {given.shape}")
    u = given.astype(np.float64)
    if not np.isfinite(u).all():
        index = tuple(np.argwhere(~np.isfinite(u))[0].tolist())
        raise Error(f"{what} must be finite, got {u[index]} at index {index if len(index) > 1 else index[0]}")
    return np.clip(u, -1.0, 1.0)
