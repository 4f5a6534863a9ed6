"""What cameras and sensors are mounted on, and where that is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.spatial.rotations import matrix_from_quat
from rbdyn.world import ArticulatedSystem, SingleBody

Array = NDArray[np.float64]


def mount_pose(on: Any, state: Any = None) -> Array:
    """Homogeneous pose in the world, (4, 4), fresh, of what a camera is mounted on: None is the world itself."""
    if on is None:
        return np.eye(4)
    if isinstance(on, SingleBody):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = matrix_from_quat(on.orientation), on.position
        return X
    if isinstance(on, tuple) and len(on) == 2 and isinstance(on[0], ArticulatedSystem):
        on = on[0].frame(on[1])
    if isinstance(on, str):
        if state is None:
            raise Error(f"on={on!r} is a name, of a body or frame of a mechanism; in a World give (robot, {on!r})")
        return np.array(body_pose(state, on))
    pose = getattr(on, "pose", None)
    if isinstance(pose, np.ndarray) and pose.shape == (4, 4):
        return pose.copy()
    raise Error(f'on must be a body or a frame, (robot, "frame name") or a name, got {shown(on)}')
