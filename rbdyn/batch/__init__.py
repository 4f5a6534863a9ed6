"""Algorithms on many states of one model at once: rows in, rows out.

One source is compiled for 1, 4 and 8 states at a time, and for each set of vector instructions; `isa` says which is
used, and RBDYN_ISA chooses another.  All have the same bits, those of the algorithms on a single State.  `lanes1`,
`lanes4` and so on hold the same class `Lanes`; the wide ones need GCC or Clang, and are left out where there is none.
"""

from rbdyn.batch.functions import (
    available,
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    inverse_dynamics,
    inverse_mass_matrix,
    isa,
    mass_matrix,
)

__all__ = [
    "available",
    "bias_forces",
    "coriolis_matrix",
    "forward_dynamics",
    "inverse_dynamics",
    "inverse_mass_matrix",
    "isa",
    "mass_matrix",
]
