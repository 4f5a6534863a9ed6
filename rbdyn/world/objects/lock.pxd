cdef class EditLock:
    cdef bint half               # between integrate1 and integrate2
    cdef bint busy               # a step runs
    cdef size_t observing        # thread that stepped: the step is done, and observers look at it; else 0
    cdef bint editing            # an object is being added or removed
    cdef int queries             # that look at it now, without the interpreter's lock
    cdef bint edited             # something was, or may have been, since the latest step
    cdef long process            # that locked this
    cdef size_t whole            # thread that does several things as a whole, 0 if none
    cdef int depth               # of such wholes within one another
    cdef int lock(self) except -1
    cdef int unlock(self) except -1
    cdef int begin_edit(self) except -1
    cdef int end_edit(self) except -1
    cdef int begin_whole(self) except -1
    cdef int end_whole(self) except -1
    cdef int begin_query(self) except -1
    cdef int end_query(self) except -1
    cdef int check_alone(self) except -1
    cdef int check_idle(self) except -1
    cdef int check_readable(self) except -1
    cdef int check_settable(self) except -1
    cdef int check_editable(self) except -1
