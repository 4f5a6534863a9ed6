from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

MODES: tuple[Literal["open", "stick", "slide", "failed"], ...]

def solve_local(
    G: ArrayLike,
    c: ArrayLike,
    friction: float,
    friction_law: Literal["coulomb", "raisim"] = "coulomb",
    local_solver: Literal["newton", "bisection"] = "newton",
    old: ArrayLike = (0.0, 0.0, 0.0),
) -> tuple[NDArray[np.float64], Literal["open", "stick", "slide", "failed"]]: ...
