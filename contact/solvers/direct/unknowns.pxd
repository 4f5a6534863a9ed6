# The unknowns: six velocity changes of each single body with contacts, and one of each coordinate with contacts.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef void number_nodes(Direct* S, const Operator* G) noexcept nogil
cdef int parts(Direct* S, const Operator* G, int i) noexcept nogil
