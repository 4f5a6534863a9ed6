from numpy.typing import ArrayLike

from rbdyn.algorithms.inputs.external import _External
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def joint_wrenches(
    state: _At,
    vd: ArrayLike,
    external: _External | None = None,
    out: Array | None = None,
    multipliers: ArrayLike | None = None,
) -> Array: ...
