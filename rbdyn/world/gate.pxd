cdef class Gate:
    cdef bint half               # between integrate1 and integrate2
    cdef bint busy               # a step runs
    cdef int check_idle(self) except -1
    cdef int check_editable(self) except -1
