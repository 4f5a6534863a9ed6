from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from rbdyn.collision.backend import CollisionBackend
from rbdyn.contact import ContactSolver
from rbdyn.spatial.rotations import Array
from rbdyn.world.contact import Contact
from rbdyn.world.roster import Roster

_Integrator: TypeAlias = Literal["trapezoid", "semi_implicit", "euler"]

SCHEMES: dict[_Integrator, int]
CONTACT_MARGIN: float
GAMMA: dict[int, float]

class World(Roster):
    integrator: _Integrator
    time_step: float
    contact_slop: float
    contact_margin: float
    def __init__(
        self,
        time_step: float = 0.002,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        collision: CollisionBackend | Literal["native", "fcl"] | None = None,
        contact: ContactSolver | Literal["bisection", "pgs"] | None = None,
    ) -> None: ...
    @property
    def gravity(self) -> Array: ...
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def contacts(self) -> list[Contact]: ...
    def step(self, n: int = 1) -> None: ...
    def integrate1(self) -> None: ...
    def integrate2(self) -> None: ...
    def set_erp(self, erp: float, erp2: float = 0.0) -> None: ...
    def set_contact_solver_param(
        self,
        alpha_init: float = 1.0,
        alpha_min: float = 1.0,
        alpha_decay: float = 1.0,
        max_iterations: int = 150,
        threshold: float = 1e-8,
    ) -> None: ...
    def set_material_pair(
        self,
        a: str,
        b: str,
        friction: float,
        restitution: float = 0.0,
        threshold: float = 0.0,
        static_friction: float | None = None,
        static_threshold: float = 0.0,
    ) -> None: ...
    def set_default_material(
        self, friction: float = 0.8, restitution: float = 0.0, threshold: float = 0.0
    ) -> None: ...
