"""TaskEnv: one World as an environment of Gymnasium."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.gym.batch import Batch
from rbdyn.gym.task import Task
from rbdyn.world import World

Observation = NDArray[np.float32]
RENDER_MODES = ["rgb_array"]


class TaskEnv(gymnasium.Env[Observation, NDArray[np.float32]]):
    """A `Task` in one World, as an environment of Gymnasium.

    Episodes are cut off by Gymnasium's TimeLimit, which `gymnasium.make` puts around it.

    Parameters
    ----------
    task : callable
        Called without arguments; returns the Task: its class, for one.
    render_mode : {"rgb_array"}, optional
        What `render` returns.
    camera : Camera, optional
        Whose pictures; by default one that has everything in its picture, each time.
    **options
        For `task`.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 50}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self, task: Callable[..., Task], render_mode: str | None = None, camera: Any = None, **options: Any
    ) -> None:
        self._batch = Batch(made(task, options), 1, 1, camera)
        self.render_mode = checked_mode(render_mode)
        self.metadata = {**self.metadata, "render_fps": self._batch.fps}
        self.observation_space, self.action_space = self._batch.observation_space, self._batch.action_space

    @property
    def task(self) -> Task:
        """What it is about."""
        return self._batch.task

    @property
    def world(self) -> World:
        """Its World, to look at."""
        return self._batch.worlds[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            Of all chance from here on.
        options : dict, optional
            None are known; they are not looked at.

        Returns
        -------
        observation, info : ndarray and dict
        """
        super().reset(seed=seed)
        self._batch.reset(np.zeros(1, np.intp), [self.np_random])
        return self._batch.observe()[0], {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action.

        Parameters
        ----------
        action : (num_actions,) array_like
            Cut off at -1 and 1.

        Returns
        -------
        observation, reward, terminated, truncated, info
            As Gymnasium has them; ``info["diverged"]`` says that the World's step would not have ended in finite
            numbers, which ends the episode.

        Raises
        ------
        Error
            If the action is of another shape, or not finite; nothing has changed then.
        """
        self._batch.check_begun()
        actions = self._batch.checked_one(action)
        self.task.act(actions.copy())
        rewards, terminated, info = self._batch.step(actions, np.ones(1, bool))
        plain = {name: np.asarray(value)[0].item() for name, value in info.items()}
        return self._batch.observe()[0], float(rewards[0]), bool(terminated[0]), False, plain

    def render(self) -> Any:
        """An image, (height, width, 3) uint8, if the render mode is "rgb_array"; None otherwise."""
        return self._batch.render(0) if self.render_mode else None


def made(task: Callable[..., Task], options: dict[str, Any]) -> Task:
    """The task, with its options; Error for those that it does not have."""
    try:
        inspect.signature(task).bind(**options)
    except TypeError as error:
        known = [name for name in inspect.signature(task).parameters if name != "self"]
        name = getattr(task, "__name__", repr(task))
        raise Error(f"{name} {error}, got {shown(options)}; its options are {known}") from None
    except ValueError:  # it does not say what it takes
        pass
    return task(**options)


def checked_mode(render_mode: str | None) -> str | None:
    """None, or a mode that there is."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise Error(f"render_mode must be None or one of {RENDER_MODES}, got {shown(render_mode)}")
    return render_mode
