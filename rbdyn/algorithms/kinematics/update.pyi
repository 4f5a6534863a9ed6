from typing import overload

from numpy.typing import ArrayLike

from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

@overload
def update_kinematics(
    state: _At, q: ArrayLike | None = None, v: ArrayLike | None = None, vd: None = None, threads: int = 1
) -> None: ...
@overload
def update_kinematics(
    state: _At, q: ArrayLike | None = None, v: ArrayLike | None = None, *, vd: ArrayLike, threads: int = 1
) -> Array: ...
@overload
def update_kinematics(
    state: _At, q: ArrayLike | None, v: ArrayLike | None, vd: ArrayLike, threads: int = 1
) -> Array: ...
def body_velocities(state: _At, out: Array | None = None) -> Array: ...
def body_accelerations(state: _At, vd: ArrayLike, out: Array | None = None) -> Array: ...
