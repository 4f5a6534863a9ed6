from collections.abc import Sequence

from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array

def forward_kinematics(state: State, out: Array | None = None) -> Array: ...
def body_pose(state: State, body: _Body, out: Array | None = None) -> Array: ...
def frame_poses(state: State, frames: Sequence[_Body]) -> Array: ...
def point_velocity(
    state: State, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def point_velocity_6d(
    state: State, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
