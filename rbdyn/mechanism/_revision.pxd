cdef class Revision:
    cdef public long value      # edits made so far
