"""What a caller gives, checked: one reader for arrays, one for each other kind of value.

Every function takes the name of the argument, which begins the message, and the class of error to raise.
"""

from rbdyn.arguments.arrays import as_array, as_vector
from rbdyn.arguments.values import choice, flag, name, number, shown, whole

__all__ = ["as_array", "as_vector", "choice", "flag", "name", "number", "shown", "whole"]
