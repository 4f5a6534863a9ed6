from numpy.typing import ArrayLike

from rbdyn.algorithms.inputs.external import _External
from rbdyn.algorithms.loops.result import DynamicsResult
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def dynamics(
    state: _At,
    tau: ArrayLike | None = None,
    external: _External | None = None,
    stiffness: float = 100.0,
    damping: float = 20.0,
) -> DynamicsResult: ...
def project_velocity(state: _At, v: ArrayLike | None = None, out: Array | None = None) -> Array: ...
