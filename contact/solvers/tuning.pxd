# How precise an island is solved, and how long: what the default threshold means.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.settings cimport Settings

cdef bint rests(const Operator* G, const ContactProblem* p) noexcept nogil
cdef void tune(Settings* s, const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint is_hasty(const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint ends_softly(const Settings* s, const Operator* G, const ContactProblem* p) noexcept nogil
