"""Model and State: a mechanism in numbers, and where it is now."""

from rbdyn.model.model import Model
from rbdyn.model.state import State

__all__ = ["Model", "State"]
