# Laws that no velocities can meet: robots whose links overlap in every pose, bodies that are squeezed.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef bint contradictory(const Operator* G, const double* impulse) noexcept nogil
cdef bint too_dear(const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint soften_dependent(Operator* G) noexcept nogil
cdef void soften(Operator* G, const ContactProblem* p) noexcept nogil
