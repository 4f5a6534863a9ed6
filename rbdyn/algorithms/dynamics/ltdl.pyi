from numpy.typing import ArrayLike

from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def solve_mass_matrix(state: _At, b: ArrayLike, out: Array | None = None) -> Array: ...
def inverse_mass_matrix(state: _At, out: Array | None = None, diagonal: ArrayLike | None = None) -> Array: ...
