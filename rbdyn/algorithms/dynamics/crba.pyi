from numpy.typing import ArrayLike

from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def mass_matrix(state: _At, out: Array | None = None) -> Array: ...
def mass_matrix_times(state: _At, x: ArrayLike, out: Array | None = None) -> Array: ...
