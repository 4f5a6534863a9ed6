"""What a caller gives, checked: one reader for arrays, one for each other kind of value.

Every function takes the name of the argument, which begins the message, and the class of error to raise.
"""

from rbdyn.arguments.arrays import as_array, as_vector
from rbdyn.arguments.options import check_options, named_options
from rbdyn.arguments.values import UNREADABLE, choice, flag, name, number, plain_array, shown, whole

__all__ = [
    "UNREADABLE",
    "as_array",
    "as_vector",
    "check_options",
    "choice",
    "flag",
    "name",
    "named_options",
    "number",
    "plain_array",
    "shown",
    "whole",
]
