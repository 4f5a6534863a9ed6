from typing import Literal

from rbdyn.contact.solver import ContactSolver

class PGSSolver(ContactSolver):
    @property
    def friction_law(self) -> Literal["coulomb"]: ...
    def __init__(
        self,
        *,
        max_iterations: int = 1000,
        threshold: float = 1e-8,
        warm_start: bool = True,
        alternate: bool = True,
    ) -> None: ...
    def configure(
        self,
        *,
        max_iterations: int | None = None,
        threshold: float | None = None,
        warm_start: bool | None = None,
        alternate: bool | None = None,
    ) -> None: ...
