from numpy.typing import ArrayLike

from rbdyn.model.model import Model
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def project_configuration(
    model: Model | State, q: ArrayLike | None = None, tolerance: float = 1e-12, max_iterations: int = 50
) -> Array: ...
def furthest_open(model: Model, error: ArrayLike) -> tuple[str, float, float]: ...
