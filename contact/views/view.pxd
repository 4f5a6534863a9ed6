# A contact problem as Python sees it.

from rbdyn.contact.problem cimport ContactProblem

cdef class ContactView:
    cdef ContactProblem* p           # NULL once the step is over
    cdef object impulse_array        # writable copy of p.impulse that the user holds, or None
    cdef dict cache                  # read-only arrays made so far
    cdef ContactProblem* live(self) except NULL
    cdef ContactProblem* begin(self) except NULL
    cdef int finish(self) except -1
    cdef tuple by_row(self)
    cdef object of_blocks(self, str name)
    cdef object cached(self, str name, const double* data, tuple shape)
