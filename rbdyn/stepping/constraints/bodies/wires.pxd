# Wires and springs between points of bodies as a source of constraints.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef void look_at_wires(const Scene* s) noexcept nogil
cdef Count count_wires(const Scene* s) noexcept nogil
cdef int write_wires(const Scene* s, Builder* b) except -1 nogil
cdef void read_wires(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
