from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.rendering.things import Thing

_Array = NDArray[np.float64]

class Renderer:
    def __init__(self, things: Sequence[Thing]) -> None: ...
    def recolor(self, k: int, color: Sequence[float]) -> None: ...
    def render(
        self,
        poses: _Array,
        camera: _Array,
        lens: tuple[float, ...],
        light: dict[str, Any],
        hidden: NDArray[np.uint8] | None = None,
        rgb: NDArray[np.uint8] | None = None,
        depth: _Array | None = None,
        index: NDArray[np.intc] | None = None,
        threads: int = 1,
        samples: int = 1,
    ) -> None: ...
