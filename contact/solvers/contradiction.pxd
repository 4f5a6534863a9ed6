# Laws that no velocities can meet: robots whose links overlap on all sides, bodies that are squeezed.  All of this
# looks at the blocks of one island.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef bint contradicts(const Operator* G, const double* impulse, double share) noexcept nogil
cdef bint is_dear(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil
cdef bint soften_dependent(Operator* G) noexcept nogil
cdef void soften(Operator* G, const ContactProblem* p) noexcept nogil
