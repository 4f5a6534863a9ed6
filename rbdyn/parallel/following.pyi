from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.spatial.rotations import Array
from rbdyn.world import ArticulatedSystem, World

class Follower:
    worlds: list[World]
    robots: list[ArticulatedSystem]
    def __init__(self, worlds: list[World], name: str) -> None: ...
    def begin_from(self, snapshot: Any) -> None: ...
    def follow(
        self, states: Array | None, controls: Array, targets: bool, steps: int
    ) -> tuple[Array, Array, NDArray[np.bool_]]: ...
