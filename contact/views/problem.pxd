# A contact problem that owns its arrays.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.views.view cimport ContactView

cdef class Problem(ContactView):
    cdef ContactProblem own
    cdef dict arrays                 # what own points into
    cdef int take(self, dict a) except -1

cdef Problem copy_of(const ContactProblem* p)
