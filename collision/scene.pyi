from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Shape

CONTACT_DTYPE: np.dtype[np.void]

class ShapeInfo(NamedTuple):
    id: int
    shape: Shape
    body: int
    pose: NDArray[np.float64]

class CollisionScene:
    @property
    def margin(self) -> float: ...
    @property
    def poses(self) -> NDArray[np.float64]: ...
    @property
    def motions(self) -> NDArray[np.float64]: ...
    @property
    def shapes(self) -> list[ShapeInfo]: ...
    @property
    def contacts(self) -> NDArray[np.void]: ...
    def shape(self, id: int) -> Shape: ...
    def body(self, id: int) -> int: ...
    def world_pose(self, id: int) -> NDArray[np.float64]: ...
    def pairs(self) -> list[tuple[int, int]]: ...
    def add_contact(
        self,
        id_a: int,
        id_b: int,
        position: Sequence[float] | NDArray[np.float64],
        normal: Sequence[float] | NDArray[np.float64],
        depth: float,
        feature: int = 0,
    ) -> None: ...
