"""Algorithms on many states of one model at once: rows in, rows out.

One source is compiled for one state at a time, and for four with AVX2; `isa` says which is used, and RBDYN_ISA
chooses the other.  Both have the same bits, those of the algorithms on a single State.  `lanes1` and `lanes4_avx2`
hold the same class `Lanes`; the wide one needs GCC or Clang, and is left out where there is none.
"""

from rbdyn.batch.configuration import difference, integrate
from rbdyn.batch.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from rbdyn.batch.dynamics import (
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    inverse_dynamics,
    inverse_mass_matrix,
    mass_matrix,
)
from rbdyn.batch.instruction_sets import available, isa
from rbdyn.batch.kinematics import (
    body_spatial_jacobian,
    forward_kinematics,
    frame_poses,
    point_jacobian,
    point_jacobian_6d,
)
from rbdyn.batch.momentum import center_of_mass, kinetic_energy, momentum, potential_energy

__all__ = [
    "available",
    "bias_forces",
    "body_spatial_jacobian",
    "center_of_mass",
    "coriolis_matrix",
    "difference",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "frame_poses",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "isa",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "point_jacobian",
    "point_jacobian_6d",
    "potential_energy",
]
