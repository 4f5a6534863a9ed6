"""TaskVectorEnv: many Worlds as a vector environment of Gymnasium, stepped in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rbdyn.arguments import shown, whole
from rbdyn.errors import Error
from rbdyn.gym.batch import Batch
from rbdyn.gym.env import RENDER_MODES, checked_mode, made
from rbdyn.gym.task import Task
from rbdyn.parallel import VectorWorld
from rbdyn.parallel.vector_world import MOST_WORLDS
from rbdyn.spatial.rotations import Array

Observations = NDArray[np.float32]


class TaskVectorEnv(VectorEnv[Observations, NDArray[np.float32], Any]):
    """A `Task` in many Worlds, as a vector environment of Gymnasium.

    Environment k, begun with seed s, does bit for bit what `TaskEnv` does with seed s + k, if the task builds each
    World alike.

    Parameters
    ----------
    task : callable
        Called without arguments; returns the Task: its class, for one.
    num_envs : int
        How many.
    max_episode_steps : int, optional
        After how many actions an episode is cut off; by default as the task says.
    autoreset_mode : gymnasium.vector.AutoresetMode or str
        When an episode that has ended is followed by another one: "NextStep", "SameStep", or "Disabled".
    render_mode : {"rgb_array"}, optional
        What `render` returns.
    camera : Camera, optional
        Whose pictures; by default one that has everything in its picture, each time.
    threads : int
        How many threads step the Worlds; results do not depend on it.
    **options
        For `task`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  as Gymnasium has it
        "render_modes": RENDER_MODES,
        "render_fps": 50,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: Callable[..., Task],
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: Any = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        self.num_envs = whole(num_envs, "num_envs", least=1, most=MOST_WORLDS)
        try:
            self._mode = AutoresetMode(autoreset_mode)
        except ValueError:
            names = [mode.value for mode in AutoresetMode]
            raise Error(f"autoreset_mode must be one of {names}, got {shown(autoreset_mode)}") from None
        self.render_mode = checked_mode(render_mode)
        self._batch = Batch(made(task, options), self.num_envs, threads, camera)
        most = self._batch.task.max_episode_steps if max_episode_steps is None else max_episode_steps
        self.max_episode_steps = whole(most, "max_episode_steps", least=1)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode, "render_fps": self._batch.fps}
        self.single_observation_space = self._batch.observation_space
        self.single_action_space = self._batch.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._rngs: list[np.random.Generator] | None = None
        self._seeds = [-1] * self.num_envs
        self._steps = np.zeros(self.num_envs, np.int64)  # of each episode
        self._done = np.zeros(self.num_envs, bool)  # in the latest step

    @property
    def task(self) -> Task:
        """What it is about."""
        return self._batch.task

    @property
    def worlds(self) -> VectorWorld:
        """Its Worlds, to look at."""
        return self._batch.worlds

    @property  # type: ignore[misc]  # it has no setter: each environment has its own
    def np_random(self) -> Any:
        """The random generator of each environment, tuple."""
        return tuple(self._generators())

    @property
    def np_random_seed(self) -> Any:
        """What each was seeded with, tuple."""
        self._generators()
        return tuple(self._seeds)

    def _generators(self) -> list[np.random.Generator]:
        if self._rngs is None:
            self._rngs = [None] * self.num_envs  # type: ignore[list-item]
            for k in range(self.num_envs):
                self._seed(k, None)
        return self._rngs

    def _seed(self, k: int, seed: int | None) -> None:
        """A new generator for environment k; without a seed, a first one alone."""
        if self._rngs is None:
            self._rngs = [None] * self.num_envs  # type: ignore[list-item]
        if seed is not None or self._rngs[k] is None:
            self._rngs[k], self._seeds[k] = seeding.np_random(seed)

    # ---- episodes ----------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Environment k is seeded with seed + k, or with item k.
        options : dict, optional
            "reset_mask": (num_envs,) ndarray of bool, which of them are to begin; all others go on.

        Returns
        -------
        observations, info : (num_envs, num_observations) ndarray and dict
            Fresh.
        """
        mask = self._mask(options)
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else whole(seed, "seed") + k for k in range(self.num_envs)]
        elif isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str):
            seeds = [None if one is None else whole(one, f"seed[{k}]") for k, one in enumerate(seed)]
        else:
            raise Error(f"seed must be a whole number, or {self.num_envs} of them, got {shown(seed)}")
        if len(seeds) != self.num_envs:
            raise Error(f"seed must be one number, or {self.num_envs}, got {len(seeds)}")
        for k in np.flatnonzero(mask):
            self._seed(int(k), seeds[k])
        self._begin(mask)
        return self._batch.observe(), {}

    def _mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        """Which of them to reset."""
        if not options or "reset_mask" not in options:
            return np.ones(self.num_envs, bool)
        mask = options["reset_mask"]
        if not (isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (self.num_envs,) and mask.any()):
            raise Error(
                f"options['reset_mask'] must be an array of {self.num_envs} bool, one of them True at least, got "
                f"{shown(mask)}"
            )
        return mask.copy()

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        """Episodes begin in these."""
        where = np.flatnonzero(mask)
        rngs = self._generators()
        self._batch.reset(where, [rngs[k] for k in where])
        self._steps[mask], self._done[mask] = 0, False

    def step(
        self, actions: Any
    ) -> tuple[Observations, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in each.

        Parameters
        ----------
        actions : (num_envs, num_actions) array_like
            Cut off at -1 and 1.

        Returns
        -------
        observations, rewards, terminated, truncated, info
            As Gymnasium has them, fresh.  ``info["diverged"]`` says whose step would not have ended in finite numbers,
            which ends that episode alone.

        Raises
        ------
        Error
            If the actions are of another shape, not finite, or, without autoreset, one of the episodes has ended;
            nothing has changed then.
        """
        self._batch.check_begun()
        u = self._batch.checked(actions)
        over = self._done.copy()
        if over.any() and self._mode is AutoresetMode.DISABLED:
            raise Error(f"episodes {shown(np.flatnonzero(over).tolist())} have ended; reset them with 'reset_mask'")
        self.task.act(u.copy())
        if over.any():  # the mode is NEXT_STEP
            self._begin(over)
        going = ~over
        rewards, terminated, info = self._batch.step(u, going)
        rewards[over], terminated[over] = 0.0, False
        self._steps[going] += 1
        truncated = going & (self._steps >= self.max_episode_steps)
        infos = _masked(info, going)
        observations = self._batch.observe()
        done = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP and done.any():
            observations, infos = self._follow(done, observations, info)
        else:
            self._done = done
        return observations, rewards, terminated, truncated, infos

    def _follow(
        self, done: NDArray[np.bool_], observations: Observations, info: dict[str, Any]
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin anew where episodes have ended, in the same step."""
        final = np.full(self.num_envs, None, dtype=object)
        for k in np.flatnonzero(done):
            final[k] = observations[k]
        infos: dict[str, Any] = {"final_obs": final, "_final_obs": done.copy()}
        infos["final_info"], infos["_final_info"] = _masked(info, done), done.copy()
        infos.update(_masked(info, ~done))
        self._begin(done)
        return self._batch.observe(), infos

    # ---- the rest of the interface -----------------------------------------------------------

    def render(self) -> Any:
        """An image of each World, tuple, if the render mode is "rgb_array"; None otherwise."""
        return tuple(self._batch.render(k) for k in range(self.num_envs)) if self.render_mode else None


def _masked(info: dict[str, Any], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Columns with zeros where the mask is False, and the mask, as Gymnasium writes them."""
    infos: dict[str, Any] = {}
    if mask.any():
        for name, value in info.items():
            column = np.array(value)
            column[~mask] = 0
            infos[name], infos[f"_{name}"] = column, mask.copy()
    return infos
