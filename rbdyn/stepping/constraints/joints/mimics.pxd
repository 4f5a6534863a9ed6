# Joints that follow others as a source of constraints: a bilateral row for each.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:
    MIMIC_SOURCE = 7          # Key.source; id_a is the handle of the system, id_b the dof that follows

cdef Count count_mimics(const Scene* s) noexcept nogil
cdef int write_mimics(const Scene* s, Builder* b) except -1 nogil
cdef void read_mimics(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
