# Limits of spherical joints as a source of constraints: a unilateral row for each that is near.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:
    BALL_SOURCE = 6           # Key.source; id_a is the handle of the system, id_b 4 times the first dof, and which end

cdef Count count_ball_limits(const Scene* s) noexcept nogil
cdef int write_ball_limits(const Scene* s, Builder* b) except -1 nogil
cdef void read_ball_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
