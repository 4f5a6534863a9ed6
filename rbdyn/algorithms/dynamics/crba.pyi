from numpy.typing import ArrayLike

from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def mass_matrix(state: State, out: Array | None = None) -> Array: ...
def mass_matrix_times(state: State, x: ArrayLike, out: Array | None = None) -> Array: ...
