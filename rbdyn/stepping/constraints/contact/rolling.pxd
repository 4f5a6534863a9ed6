# Torsional and rolling friction as a source of constraints: discs of one and of two rows beside the cones of contacts.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:
    TORSION_SOURCE = 30       # Key.source; id_a, id_b and feature are those of the contact
    ROLLING_SOURCE = 31

cdef Count count_rolling(const Scene* s) noexcept nogil
cdef int write_rolling(const Scene* s, Builder* b) except -1 nogil
cdef void read_rolling(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
