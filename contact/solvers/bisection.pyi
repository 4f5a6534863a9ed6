from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdyn.contact.solver import ContactSolver

LAWS: tuple[Literal["coulomb", "raisim"], ...]
METHODS: tuple[Literal["newton", "bisection"], ...]
MOST_THREADS: int
HAS_THREADS: bool

class BisectionSolver(ContactSolver):
    @property
    def friction_law(self) -> Literal["coulomb", "raisim"]: ...
    @property
    def error_history(self) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        friction_law: Literal["coulomb", "raisim"] = "coulomb",
        local_solver: Literal["newton", "bisection"] = "newton",
        max_iterations: int = 150,
        threshold: float | Literal["auto"] = "auto",
        alpha_init: float = 1.0,
        alpha_min: float = 1.0,
        alpha_decay: float = 1.0,
        newton: bool = True,
        threads: int = 1,
        warm_start: bool = True,
        alternate: bool = True,
    ) -> None: ...
    def configure(
        self,
        *,
        friction_law: Literal["coulomb", "raisim"] | None = None,
        local_solver: Literal["newton", "bisection"] | None = None,
        max_iterations: int | None = None,
        threshold: float | Literal["auto"] | None = None,
        alpha_init: float | None = None,
        alpha_min: float | None = None,
        alpha_decay: float | None = None,
        newton: bool | None = None,
        threads: int | None = None,
        warm_start: bool | None = None,
        alternate: bool | None = None,
    ) -> None: ...
