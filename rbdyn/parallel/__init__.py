"""Many Worlds at once: side by side on the threads of one machine, and sweeps over many machines."""

from rbdyn.parallel.rollout import Roller, Trajectories, rollout
from rbdyn.parallel.sweeping import Sweep, grid, sweep
from rbdyn.parallel.tasks import Failure
from rbdyn.parallel.vector_body import VectorBody
from rbdyn.parallel.vector_system import VectorSystem
from rbdyn.parallel.vector_world import VectorWorld

__all__ = [
    "Failure",
    "Roller",
    "Sweep",
    "Trajectories",
    "VectorBody",
    "VectorSystem",
    "VectorWorld",
    "grid",
    "rollout",
    "sweep",
]
