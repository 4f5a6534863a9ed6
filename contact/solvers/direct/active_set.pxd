# The direct solve: which rows are held, around impulses that hold them.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef bint solve_held(Direct* S, Operator* G, const ContactProblem* p, double* impulse,
                     double threshold, bint patient) noexcept nogil
