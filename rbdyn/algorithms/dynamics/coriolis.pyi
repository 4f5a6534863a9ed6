from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def coriolis_matrix(state: _At, out: Array | None = None) -> Array: ...
