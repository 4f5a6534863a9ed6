# Loop joints as a source of constraints: their rows, if they are not eliminated, and what acts along their motion.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:
    LOOP_SOURCE = 10          # Key.source; id_a is the handle of the system, id_b the loop joint

cdef Count count_loops(const Scene* s) noexcept nogil
cdef int write_loops(const Scene* s, Builder* b) except -1 nogil
cdef void read_loops(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
cdef void release_motors(const Scene* s) noexcept nogil
cdef bint find_loop_overloads(const Scene* s) noexcept nogil
