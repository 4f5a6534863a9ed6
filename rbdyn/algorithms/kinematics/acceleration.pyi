from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def point_acceleration(
    state: _At, vd: ArrayLike, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def point_acceleration_6d(
    state: _At, vd: ArrayLike, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
