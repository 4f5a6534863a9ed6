from numpy.typing import ArrayLike

from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def solve_mass_matrix(state: State, b: ArrayLike, out: Array | None = None) -> Array: ...
def inverse_mass_matrix(state: State, out: Array | None = None, diagonal: ArrayLike | None = None) -> Array: ...
