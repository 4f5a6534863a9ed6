from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.collision.shapes import Shape

class Closest(NamedTuple):
    distance: float | NDArray[np.float64]
    on_a: NDArray[np.float64]
    on_b: NDArray[np.float64]
    normal: NDArray[np.float64]

def distance(shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike) -> Closest: ...
def placed_parts(shape: Shape, pose: ArrayLike, name: str) -> list[tuple[Shape, ArrayLike]]: ...
def nearest_parts(shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike) -> Closest: ...
