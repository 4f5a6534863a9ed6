from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.collision.shapes import Shape

class CastHit(NamedTuple):
    fraction: float | NDArray[np.float64]
    position: NDArray[np.float64]
    normal: NDArray[np.float64]

def shape_cast(
    shape_a: Shape, pose_a: ArrayLike, displacement: ArrayLike, shape_b: Shape, pose_b: ArrayLike
) -> CastHit: ...
def first_parts(
    shape_a: Shape, pose_a: ArrayLike, displacement: ArrayLike, shape_b: Shape, pose_b: ArrayLike
) -> CastHit: ...
