from rbdyn.spatial.rotations import Array
from rbdyn.world.constraints.constraint import Constraint
from rbdyn.world.objects.articulated_system import ArticulatedSystem

class Coupling(Constraint):
    offset: float
    @property
    def coefficients(self) -> dict[tuple[ArticulatedSystem, str], float]: ...
    @property
    def impulse(self) -> Array: ...
    @property
    def force(self) -> Array: ...
    @property
    def error(self) -> float: ...
