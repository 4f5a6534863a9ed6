from collections.abc import Sequence

from numpy.typing import ArrayLike

from rbdyn.model.model import _Body
from rbdyn.model.state import _At
from rbdyn.spatial.rotations import Array

def forward_kinematics(state: _At, out: Array | None = None) -> Array: ...
def body_pose(state: _At, body: _Body, out: Array | None = None) -> Array: ...
def frame_poses(state: _At, frames: Sequence[_Body]) -> Array: ...
def point_velocity(
    state: _At, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
def point_velocity_6d(
    state: _At, body: _Body, point: ArrayLike | None = None, out: Array | None = None
) -> Array: ...
