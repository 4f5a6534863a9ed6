from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def point_jacobian(
    state: _At, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def point_jacobian_6d(
    state: _At, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def body_spatial_jacobian(state: _At, body: _Body, out: Array | None = None) -> Array: ...
