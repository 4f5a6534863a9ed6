from collections.abc import Callable

from numpy.typing import ArrayLike

from rbdyn.algorithms.integration.trajectory import Trajectory
from rbdyn.model.state import State, _At

def simulate(
    state: _At,
    duration: float,
    time_step: float = 1e-3,
    control: Callable[[float, State], ArrayLike] | None = None,
    every: int = 1,
    stiffness: float = 100.0,
    damping: float = 20.0,
    progress: Callable[[int, int], object] | None = None,
) -> Trajectory: ...
