# Dry friction of joints as a source of constraints: a bounded row for each degree of freedom that has some.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene, System

cdef enum:
    FRICTION_SOURCE = 4       # Key.source; id_a is the handle of the system, id_b the dof

cdef void list_friction(System* s) noexcept nogil
cdef Count count_friction(const Scene* s) noexcept nogil
cdef int write_friction(const Scene* s, Builder* b) except -1 nogil
cdef void read_friction(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
cdef void clear_friction(const Scene* s) noexcept nogil
cdef bint find_judged(const Scene* s) noexcept nogil
