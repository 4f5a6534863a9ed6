# What algorithms on a State with loops share.

from rbdyn.kernels.closed.constrained cimport Loops
from rbdyn.model.state cimport State

cdef Loops loops_of(State state) except *
cdef int solve_constrained(State state, const double* tau, double stiffness, double damping, bint external, double* vd,
                           double* lam) except -1
cdef double project_onto_loops(State state, double* v, const double* rate) except -1.0
