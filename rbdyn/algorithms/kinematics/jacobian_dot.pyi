from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def point_jacobian_dot(
    state: State, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def point_jacobian_dot_6d(
    state: State, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def body_spatial_jacobian_dot(state: State, body: _Body, out: Array | None = None) -> Array: ...
