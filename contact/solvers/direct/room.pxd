# Room for the direct solve of a problem; everything else in this folder works in it.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef int begin(Direct* S, const Operator* G, const ContactProblem* p, size_t* reallocations) except -1 nogil
cdef void release(Direct* S) noexcept nogil
