# Impulses under which the held rows have no velocity: workspace.pxd has the equations.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef bint make_matrix(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef void hold(Direct* S, Operator* G, double* impulse, double threshold) noexcept nogil
