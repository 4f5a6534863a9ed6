# Velocity limits of degrees of freedom as a source of constraints: a unilateral row for each near one.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene, System

cdef enum:
    VELOCITY_SOURCE = 5       # Key.source; id_a is the handle of the system, id_b the dof, feature the end

cdef void list_velocity_limits(System* s) noexcept nogil
cdef Count count_velocity_limits(const Scene* s) noexcept nogil
cdef int write_velocity_limits(const Scene* s, Builder* b) except -1 nogil
cdef void read_velocity_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
cdef void clear_speeding(const Scene* s) noexcept nogil
cdef bint find_speeders(const Scene* s) noexcept nogil
