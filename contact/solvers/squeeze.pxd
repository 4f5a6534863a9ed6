# Kinematic bodies do any work.  Where they squeeze bodies that friction holds in their way, the laws are met only by
# bodies that shoot out, in rolling, at any speed: 1e6 m/s between a wall and a plate that comes at 1 m/s.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef bint throws(const Operator* G, const ContactProblem* p, const double* impulse) noexcept nogil
cdef void give_way(Operator* G, const ContactProblem* p, int turn) noexcept nogil
