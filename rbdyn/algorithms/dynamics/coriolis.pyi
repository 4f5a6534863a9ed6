from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def coriolis_matrix(state: State, out: Array | None = None) -> Array: ...
