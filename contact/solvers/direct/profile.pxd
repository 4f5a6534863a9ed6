# A symmetric matrix of which each row is kept from its first entry to its diagonal.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef void profile(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint factor(Direct* S) noexcept nogil
cdef void substitute(Direct* S) noexcept nogil
