# The unknowns: six velocity changes of each single body with constraints, three if nothing turns it, and one of each
# coordinate with constraints.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef void number_nodes(Direct* S, const Operator* G) noexcept nogil
cdef int parts(Direct* S, const Operator* G, int i) noexcept nogil
cdef int unknowns_of(const Operator* G, int i) noexcept nogil


cdef inline int constraints(const Operator* G) noexcept nogil:
    """Contacts, and every other row."""
    return G.n + G.n_lines
