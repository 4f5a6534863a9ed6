# The unknowns: six velocity changes of each single body with contacts, then one of each coordinate with contacts.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef void number_unknowns(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef int columns(Direct* S, const Operator* G, const ContactProblem* p, int i) noexcept nogil
