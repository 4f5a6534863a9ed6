from numpy.typing import ArrayLike

from rbdyn.algorithms.inputs.external import _External
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def forward_dynamics(
    state: _At, tau: ArrayLike, external: _External | None = None, out: Array | None = None
) -> Array: ...
