"""Model and State: a mechanism in numbers, and where it is now."""

from rbdyn.model import carry as _carry  # noqa: F401  (it tells Maps.carry what to do with a State)
from rbdyn.model.joints.completeness import check_kernels as _check_kernels
from rbdyn.model.model import Model
from rbdyn.model.state import State

__all__ = ["Model", "State"]

_check_kernels()
