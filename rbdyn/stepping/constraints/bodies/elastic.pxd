# Compliant wires and springs: rows that give way.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder
from rbdyn.stepping.constraints.bodies.wire cimport Wire
from rbdyn.stepping.scene cimport Scene

cdef void find_free_rate(const Scene* s, const Wire* w, double* rate, double* bend) noexcept nogil
cdef int write_across(const Scene* s, Builder* b, Wire* w, double theta, double gamma, double k) except -1 nogil
cdef int write_elastic(const Scene* s, Builder* b, Wire* w) except -1 nogil
cdef void read_elastic(const Scene* s, Wire* w, const ContactProblem* p, int block, bint outside) noexcept nogil
