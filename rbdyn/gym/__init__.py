"""Environments for learning: Gymnasium's interfaces over many Worlds at once.

``import rbdyn.gym`` registers the ready ones with Gymnasium: ``gymnasium.make("rbdyn/CartPole-v0")``, and
``gymnasium.make_vec("rbdyn/QuadrupedWalk-v0", num_envs=64)``, which steps 64 Worlds in one call.  Needs the extra [rl].
"""

from rbdyn.errors import missing_extra

try:
    import gymnasium as _gymnasium
except ImportError:
    raise missing_extra("rbdyn.gym", "gymnasium", "rl") from None

from rbdyn.gym.env import TaskEnv
from rbdyn.gym.registration import ENVIRONMENTS, register
from rbdyn.gym.task import Task
from rbdyn.gym.tasks.cart_pole import CartPole
from rbdyn.gym.tasks.modules import SelfAssembly
from rbdyn.gym.tasks.pick import Pick
from rbdyn.gym.tasks.quadruped_walk import QuadrupedWalk
from rbdyn.gym.tasks.reach import Reach
from rbdyn.gym.vector_env import TaskVectorEnv

__all__ = [
    "ENVIRONMENTS",
    "CartPole",
    "Pick",
    "QuadrupedWalk",
    "Reach",
    "SelfAssembly",
    "Task",
    "TaskEnv",
    "TaskVectorEnv",
    "register",
]

del _gymnasium
register()
