import numpy as np
from numpy.typing import ArrayLike

from rbdyn.contact import ContactSolver, Problem

def pose_speeds(
    problem: Problem, solver: ContactSolver, position_target: ArrayLike
) -> tuple[np.ndarray, int]: ...
