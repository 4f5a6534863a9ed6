cdef class EditLock:
    cdef bint half               # between integrate1 and integrate2
    cdef bint busy               # a step runs
    cdef bint observing          # the step is done, and observers look at it
    cdef bint editing            # an object is being added or removed
    cdef int queries             # that look at it now, without the interpreter's lock
    cdef bint edited             # something was, or may have been, since the latest step
    cdef long process            # that locked this
    cdef int lock(self) except -1
    cdef int unlock(self) except -1
    cdef int begin_edit(self) except -1
    cdef int begin_query(self) except -1
    cdef int end_query(self) except -1
    cdef int check_alone(self) except -1
    cdef int check_idle(self) except -1
    cdef int check_readable(self) except -1
    cdef int check_settable(self) except -1
    cdef int check_editable(self) except -1
