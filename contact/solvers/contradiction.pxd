# Laws that no velocities can meet: robots whose links overlap in every pose, bodies that are squeezed.  All of this
# works on the islands of an Operator (islands.pxd), and leaves alone those that are not marked.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef bint mark_contradictory(Operator* G, const double* impulse, double share) noexcept nogil
cdef bint may_be_dear(const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint mark_dear(Operator* G, const ContactProblem* p) noexcept nogil
cdef bint mark_dependent(Operator* G) noexcept nogil
cdef void soften_marked(Operator* G, const ContactProblem* p) noexcept nogil
cdef void begin_marked_again(Operator* G, ContactProblem* p) noexcept nogil
