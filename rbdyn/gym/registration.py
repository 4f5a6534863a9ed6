"""Names under which Gymnasium makes environments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.gym.env import TaskEnv
from rbdyn.gym.task import Task
from rbdyn.gym.tasks.cart_pole import CartPole
from rbdyn.gym.tasks.modules import SelfAssembly
from rbdyn.gym.tasks.pick import Pick
from rbdyn.gym.tasks.quadruped_walk import QuadrupedWalk
from rbdyn.gym.tasks.reach import Reach
from rbdyn.gym.vector_env import TaskVectorEnv

ENVIRONMENTS: dict[str, tuple[Callable[..., Task], dict[str, Any]]] = {
    "rbdyn/CartPole-v0": (CartPole, {}),
    "rbdyn/QuadrupedWalk-v0": (QuadrupedWalk, {}),
    "rbdyn/QuadrupedWalkRough-v0": (QuadrupedWalk, {"rough": True}),
    "rbdyn/ArmReach-v0": (Reach, {}),
    "rbdyn/PandaReach-v0": (Reach, {"robot": "panda"}),
    "rbdyn/PandaPick-v0": (Pick, {}),
    "rbdyn/SelfAssembly-v0": (SelfAssembly, {}),
}
"""Name -> (Task, its options) of the ready environments."""


def register(name: str | None = None, task: Callable[..., Task] | None = None, **options: Any) -> None:
    """Register an environment with Gymnasium, for `gymnasium.make` and `gymnasium.make_vec`.

    Parameters
    ----------
    name : str, optional
        "namespace/Name-v0"; without it the ready environments are registered.
    task : callable, optional
        Returns the Task: its class, for one.
    **options
        For `task`.

    Raises
    ------
    Error
        If `task` cannot be called, or is a class that is no Task.
    """
    if name is None:
        for ready, (kind, its) in ENVIRONMENTS.items():
            if ready not in gymnasium.registry:
                register(ready, kind, **its)
        return
    if task is None:
        raise TypeError("register(name, task) needs the task, too")
    if not callable(task) or (isinstance(task, type) and not issubclass(task, Task)):
        raise Error(f"task must be a subclass of rbdyn.gym.Task, or a function that returns one, got {shown(task)}")
    gymnasium.register(
        name,
        entry_point=partial(TaskEnv, task),
        vector_entry_point=partial(TaskVectorEnv, task),
        max_episode_steps=getattr(task, "max_episode_steps", None),
        kwargs=options,
    )
