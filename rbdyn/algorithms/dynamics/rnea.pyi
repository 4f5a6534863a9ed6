from collections.abc import Iterable

from numpy.typing import ArrayLike

from rbdyn.algorithms.inputs.external import _External
from rbdyn.mechanism import Joint
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def inverse_dynamics(
    state: _At,
    vd: ArrayLike,
    external: _External | None = None,
    actuated: Iterable[str | Joint] | None = None,
    out: Array | None = None,
) -> Array: ...
def bias_forces(
    state: _At, external: _External | None = None, out: Array | None = None, *, gravity: ArrayLike | None = None
) -> Array: ...
