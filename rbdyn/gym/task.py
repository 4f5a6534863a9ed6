"""Task: what an environment is about, for any number of Worlds at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.parallel import VectorWorld
from rbdyn.spatial.rotations import Array
from rbdyn.world import World


class Task:
    """What an environment is about: derive from it, and give it to `TaskEnv`, `TaskVectorEnv` or `register`.

    Its methods work on all Worlds in one call: arrays have a row for each.  A row may depend on nothing of other rows,
    so that an environment does not change with how many there are.

    Attributes
    ----------
    worlds : VectorWorld
        The Worlds, from `begin` on.
    num_observations, num_actions : int
        Lengths of an observation and of an action; actions are within -1 and 1, all of them.
    frame_skip : int
        Steps of a World for each action.
    max_episode_steps : int
        Actions until an episode is cut off.
    observation_limit : float
        Observations are cut off there, either way, so that their space is bounded.
    """

    num_observations: int
    num_actions: int
    frame_skip: int = 4
    max_episode_steps: int = 1000
    observation_limit: float = 100.0
    worlds: VectorWorld

    def build(self, k: int) -> World:
        """World number k, as episodes begin with it but for chance; the same objects in each.

        Parameters
        ----------
        k : int
            Which.

        Returns
        -------
        world : World
        """
        raise NotImplementedError(f"{type(self).__name__} must define build(self, k), which returns a World")

    def begin(self) -> None:
        """`worlds` are there: find handles, make arrays of what is remembered from step to step."""

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """Begin an episode in some Worlds, which have just been reset.

        Parameters
        ----------
        where : (m,) ndarray of int
            Which.
        rngs : sequence of numpy.random.Generator
            For each of these the source of all chance.
        """

    def act(self, actions: Array) -> None:
        """Tell the robots what to do until the next action.

        Parameters
        ----------
        actions : (n, num_actions) ndarray
            Within -1 and 1, fresh.  Rows of Worlds that are to be reset count for nothing.
        """
        raise NotImplementedError(f"{type(self).__name__} must define act(self, actions)")

    def observe(self) -> Array:
        """What is seen of each World.

        Returns
        -------
        observations : (n, num_observations) ndarray
        """
        raise NotImplementedError(f"{type(self).__name__} must define observe(self), (n, num_observations)")

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """How good the step was.

        Parameters
        ----------
        actions : (n, num_actions) ndarray
            Those that were taken.

        Returns
        -------
        rewards, terminated : (n,) ndarray
            Rewards, and whether the episode has ended by itself.
        """
        raise NotImplementedError(f"{type(self).__name__} must define judge(self, actions): (rewards, terminated)")

    def inform(self) -> dict[str, Any]:
        """More about the latest step.

        Returns
        -------
        info : dict
            Name -> (n,) array of numbers or bool.
        """
        return {}
