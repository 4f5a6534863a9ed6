# How compliant wires and springs turn the bodies that they pull beside their centres.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder
from rbdyn.stepping.constraints.bodies.wire cimport Wire
from rbdyn.stepping.scene cimport Scene

cdef double turned_mobility(const Scene* s, const Wire* w, int i) noexcept nogil
cdef void clear_turning(const Scene* s, const Wire* w) noexcept nogil
cdef void note_turning(const Scene* s, const Wire* w) noexcept nogil
cdef void find_turning(const Scene* s, Wire* w) noexcept nogil
cdef int count_turning(const Wire* w) noexcept nogil
cdef int write_turning(const Scene* s, Builder* b, const Wire* w, bint flies) except -1 nogil
cdef void read_turning(const Scene* s, Wire* w, const ContactProblem* p, int block, bint outside) noexcept nogil
