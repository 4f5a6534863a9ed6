from numpy.typing import ArrayLike

from rbdyn.algorithms.inputs.external import _External
from rbdyn.algorithms.loops.result import DynamicsResult
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def dynamics(
    state: State,
    tau: ArrayLike | None = None,
    external: _External | None = None,
    stiffness: float = 100.0,
    damping: float = 20.0,
) -> DynamicsResult: ...
def project_velocity(state: State, v: ArrayLike | None = None, out: Array | None = None) -> Array: ...
