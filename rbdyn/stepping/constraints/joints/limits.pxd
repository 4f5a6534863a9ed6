# Position limits of joints with one degree of freedom as a source of constraints: a unilateral row for each near end.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene, System

cdef enum:
    LIMIT_SOURCE = 2          # Key.source; id_a is the handle of the system, id_b the dof, feature the end

cdef void list_limits(System* s) noexcept nogil
cdef Count count_limits(const Scene* s) noexcept nogil
cdef int write_limits(const Scene* s, Builder* b) except -1 nogil
cdef void read_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
cdef void clear_passed(const Scene* s) noexcept nogil
cdef bint find_passed(const Scene* s) noexcept nogil
