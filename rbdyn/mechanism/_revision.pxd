cdef class Revision:
    cdef public long value      # edits made so far
    cdef public long frames     # frames added to bodies, which is no edit: Models learn of them
    cdef public object owner    # weak reference to the mechanism, or None: whose parts those are that have this counter
