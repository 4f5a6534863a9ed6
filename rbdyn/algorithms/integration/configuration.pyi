from numpy.typing import ArrayLike

from rbdyn.model.model import Model
from rbdyn.spatial.rotations import Array

def integrate(model: Model, q: ArrayLike, v: ArrayLike, dt: float = 1.0, out: Array | None = None) -> Array: ...
def difference(model: Model, q0: ArrayLike, q1: ArrayLike, out: Array | None = None) -> Array: ...
